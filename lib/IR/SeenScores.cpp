//===- SeenScores.cpp - which scores of a tile masks let be seen ----------===//

#include "SeenScores.h"

#include "smx/IR/HidesScores.h"
#include "smx/IR/Smx.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

/// The select of -inf that `generic` ends with, or null.
static arith::SelectOp lastSelect(linalg::GenericOp generic) {
  if (generic.getNumResults() != 1 || generic.getNumReductionLoops() != 0)
    return {};
  auto select = generic.getBlock()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  return select && matchPattern(select.getFalseValue(), m_NegInfFloat())
             ? select
             : arith::SelectOp();
}

/// The select with which a region hides the scores of `op`; null if it does
/// not. One of a score region is no mask.
static arith::SelectOp findSelect(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && generic->hasAttr(hidesScoresAttribute) ? lastSelect(generic)
                                                           : arith::SelectOp();
}

/// A generic of i1 that gives the condition of `select`, of those inputs that
/// it is computed of. Null if these are not known.
static Value buildCondition(OpBuilder &builder, linalg::GenericOp generic,
                            arith::SelectOp select) {
  Location loc = NameLoc::get(builder.getStringAttr("seen"), generic.getLoc());
  Block *body = generic.getBlock();
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) { return op->getBlock() == body; };
  if (failed(getBackwardSlice(select.getCondition(), &slice, options)))
    return {};
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (OpOperand *input : generic.getDpsInputOperands()) {
    BlockArgument argument = generic.getMatchingBlockArgument(input);
    bool isRead = argument == select.getCondition() ||
                  llvm::any_of(argument.getUsers(), [&](Operation *user) {
                    return slice.contains(user);
                  });
    if (!isRead)
      continue;
    inputs.push_back(input->get());
    maps.push_back(generic.getMatchingIndexingMap(input));
    arguments.push_back(argument);
  }
  OpOperand *init = generic.getDpsInitOperand(0);
  maps.push_back(generic.getMatchingIndexingMap(init));
  Value result = generic.getResult(0);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, init->get()),
      builder.getI1Type());
  return linalg::GenericOp::create(
             builder, loc,
             cast<RankedTensorType>(result.getType())
                 .clone(builder.getI1Type()),
             inputs, empty, maps, generic.getIteratorTypesArray(),
             [&](OpBuilder &b, Location loc, ValueRange args) {
               IRMapping copies;
               copies.map(ValueRange(SmallVector<Value>(arguments.begin(),
                                                        arguments.end())),
                          args.drop_back());
               for (Operation &op : *body)
                 if (slice.contains(&op))
                   b.clone(op, copies);
               linalg::YieldOp::create(
                   b, loc, copies.lookupOrDefault(select.getCondition()));
             })
      .getResult(0);
}

SmallVector<Value> mlir::smx::buildSeen(OpBuilder &builder, Value scores) {
  SmallVector<Value> seen;
  while (Operation *op = scores.getDefiningOp()) {
    if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      scores = cast.getSource();
      continue;
    }
    if (auto mask = dyn_cast<MaskOp>(op)) {
      auto select = mask.expand(builder).getDefiningOp<linalg::GenericOp>();
      seen.push_back(buildCondition(builder, select, lastSelect(select)));
      select.erase();
      if (!seen.back())
        return {};
      scores = mask.getInput();
      continue;
    }
    arith::SelectOp select = findSelect(op);
    if (!select)
      break;
    seen.push_back(
        buildCondition(builder, cast<linalg::GenericOp>(op), select));
    return seen.back() ? seen : SmallVector<Value>();
  }
  return seen;
}

bool mlir::smx::keepSeenFinite(Value scores) {
  while (Operation *op = scores.getDefiningOp()) {
    if (!isa<tensor::CastOp, MaskOp>(op))
      break;
    scores = op->getOperand(0);
  }
  arith::SelectOp select = findSelect(scores.getDefiningOp());
  if (!select || !scores.hasOneUse())
    return false;
  OpBuilder builder(select);
  auto type = cast<FloatType>(select.getType());
  Value lowest = arith::ConstantOp::create(
      builder, select.getLoc(),
      builder.getFloatAttr(type, APFloat::getLargest(type.getFloatSemantics(),
                                                     /*Negative=*/true)));
  select.getTrueValueMutable().assign(arith::MaximumFOp::create(
      builder, select.getLoc(), select.getTrueValue(), lowest));
  return true;
}

linalg::GenericOp mlir::smx::fuseSeen(OpBuilder &builder,
                                      linalg::GenericOp generic,
                                      unsigned count) {
  IRRewriter rewriter(builder);
  for (; count != 0; --count) {
    OpOperand *last = generic.getDpsInputOperands().back();
    auto seen = last->get().getDefiningOp<linalg::GenericOp>();
    rewriter.setInsertionPoint(generic);
    auto fused = linalg::fuseElementwiseOps(rewriter, last);
    if (failed(fused))
      break;
    rewriter.eraseOp(generic);
    rewriter.eraseOp(seen);
    generic = cast<linalg::GenericOp>(fused->fusedOp);
  }
  return generic;
}
