//===- CutTile.cpp - what only a tile that is cut needs -------------------===//

#include "CutTile.h"
#include "ScoreArithmetic.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace mlir::smx::gpu;

std::optional<SmallVector<Operation *>>
mlir::smx::gpu::placesOf(Value condition) {
  llvm::SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [block = condition.getParentBlock()](Operation *op) {
    return op->getBlock() == block;
  };
  auto isPlace = [](Operation *op) {
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getResultTypes(), [](Type type) {
             return getElementTypeOrSelf(type).isIntOrIndex();
           });
  };
  if (failed(getBackwardSlice(condition, &needed, options)) ||
      !llvm::all_of(needed, isPlace))
    return std::nullopt;
  return needed.takeVector();
}

/// True for a number above 0, or one of two for each row.
static bool isPositive(Value factor) {
  if (auto broadcast = factor.getDefiningOp<BroadcastOp>())
    if (auto choice = broadcast.getValues().getDefiningOp<arith::SelectOp>())
      return isPositive(choice.getTrueValue()) &&
             isPositive(choice.getFalseValue());
  std::optional<double> number = splatValue(factor);
  return number && *number > 0;
}

/// True for exp2(s c - r) with a positive c: 0 where s is -inf, since a
/// reference r is neither infinite nor, being a maximum, NaN.
static bool isZeroOfInfinity(Value weights, Value scores) {
  auto exponential = weights.getDefiningOp<math::Exp2Op>();
  auto exponent = exponential
                      ? exponential.getOperand().getDefiningOp<math::FmaOp>()
                      : math::FmaOp();
  if (!exponent || exponent.getA() != scores)
    return false;
  auto broadcast = exponent.getC().getDefiningOp<BroadcastOp>();
  auto negated = broadcast
                     ? broadcast.getValues().getDefiningOp<arith::NegFOp>()
                     : arith::NegFOp();
  return isPositive(exponent.getB()) && negated &&
         behindGuard(negated.getOperand());
}

bool mlir::smx::gpu::isMark(const LoopPair &pair, TileMask mask) {
  std::optional<double> hidden = splatValue(mask.hidden());
  return hidden && *hidden == 0 && std::signbit(*hidden) &&
         llvm::any_of(pair.masks, [&](TileMask other) {
           return other.isShown == mask.isShown && !other.isInverted &&
                  matchPattern(other.hidden(), m_NegInfFloat()) &&
                  isZeroOfInfinity(mask.shown(), other.select.getResult());
         });
}

Value CutTile::choose(Operation *op, function_ref<Value()> whenCut,
                      function_ref<Value()> otherwise) {
  rewriter.setInsertionPoint(op);
  auto branch =
      scf::IfOp::create(rewriter, op->getLoc(), op->getResultTypes(), isCut,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [block, value] : {std::pair(branch.thenBlock(), whenCut),
                              std::pair(branch.elseBlock(), otherwise)}) {
    rewriter.setInsertionPointToEnd(block);
    Value result = value();
    scf::YieldOp::create(rewriter, op->getLoc(), result);
  }
  rewriter.replaceOp(op, branch);
  return branch.getResult(0);
}

Value CutTile::cloneShown(TileMask mask) {
  IRMapping copies;
  SmallVector<Operation *> places = *placesOf(mask.isShown);
  for (Operation *op : places)
    rewriter.clone(*op, copies);
  return copies.lookupOrDefault(mask.isShown);
}

void CutTile::hide(TileMask mask) {
  Value shown = mask.shown();
  SmallVector<OpOperand *> others;
  for (OpOperand &use : shown.getUses())
    if (use.getOwner() != mask.select)
      others.push_back(&use);
  auto whenCut = [&]() -> Value {
    Value isShown = cloneShown(mask);
    return arith::SelectOp::create(rewriter, mask.select.getLoc(), isShown,
                                   shown, mask.hidden());
  };
  Value either = choose(mask.select, whenCut, [&] { return shown; });
  // What is hidden later anyway: one of both tiles takes registers.
  for (OpOperand *use : others)
    rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(either); });
}

void CutTile::widen(CutExtent extent) {
  Operation *user = extent.use->getOwner();
  Location loc = user->getLoc();
  rewriter.setInsertionPoint(user);
  Value whole = arith::ConstantIndexOp::create(rewriter, loc, extent.whole);
  Value either =
      arith::SelectOp::create(rewriter, loc, isCut, extent.use->get(), whole);
  rewriter.modifyOpInPlace(user, [&] { extent.use->set(either); });
}

void CutTile::leaveUnmarked(TileMask mask) {
  Value weights = mask.shown();
  for (Operation *user : mask.select->getUsers())
    if (auto narrow = dyn_cast<arith::TruncFOp>(user))
      unmarked.try_emplace(narrow.getResult(), mask);
  unmarked.try_emplace(weights, mask);
  rewriter.replaceAllUsesWith(mask.select.getResult(), weights);
}

void CutTile::guard(MmaOp product) {
  auto copy = [&](bool isGuarded) -> Value {
    auto result = cast<MmaOp>(rewriter.clone(*product));
    result.setGuarded(isGuarded);
    return result.getResult();
  };
  auto whenCut = [&]() -> Value {
    auto marks = unmarked.find(product.getA());
    if (marks == unmarked.end())
      return copy(true);
    Location loc = product.getLoc();
    Value weights = product.getA(), isShown = cloneShown(marks->second);
    auto type = cast<RankedTensorType>(weights.getType());
    Value mark = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(
            type, rewriter.getFloatAttr(type.getElementType(), -0.0)));
    Value marked =
        arith::SelectOp::create(rewriter, loc, isShown, weights, mark);
    auto result = cast<MmaOp>(rewriter.clone(*product));
    result.setGuarded(true);
    result.getAMutable().assign(marked);
    return result.getResult();
  };
  choose(product, whenCut, [&] { return copy(false); });
}
