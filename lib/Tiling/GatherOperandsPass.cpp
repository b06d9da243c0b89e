//===- GatherOperandsPass.cpp - operands that no tile can be cut from -----===//

#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx {
#define GEN_PASS_DEF_GATHEROPERANDSPASS
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// True if the operand's part of a tile is no slice of it: a step of some loop
/// goes backwards, and the slice would begin where its last element is; or
/// there is a quotient or a remainder, which depends on where the tile begins.
static bool hasNoSlices(AffineMap map) {
  bool isOther = false;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || binary.getKind() == AffineExprKind::Add)
      return;
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    isOther |= binary.getKind() != AffineExprKind::Mul || !factor ||
               factor.getValue() < 0;
  });
  return isOther;
}

/// True if every dimension of the operand is a loop's, or its only place.
static bool isPlain(AffineMap map, RankedTensorType type) {
  llvm::SmallBitVector seen(map.getNumDims());
  return llvm::all_of(llvm::zip(map.getResults(), type.getShape()),
                      [&](auto pair) {
                        auto [expr, extent] = pair;
                        if (auto constant = dyn_cast<AffineConstantExpr>(expr))
                          return constant.getValue() == 0 && extent == 1;
                        auto loop = dyn_cast<AffineDimExpr>(expr);
                        if (!loop || seen.test(loop.getPosition()))
                          return false;
                        seen.set(loop.getPosition());
                        return true;
                      });
}

/// Reads element `map(indices)` of `source`.
static Value readAt(OpBuilder &builder, Location loc, Value source,
                    AffineMap map, ValueRange indices) {
  std::optional<SmallVector<Value, 8>> places =
      affine::expandAffineMap(builder, loc, map, indices);
  assert(places && "maps of linalg ops have no division by 0");
  return tensor::ExtractOp::create(builder, loc, source, *places);
}

/// Has the body of `op` read the inputs of `gathered` itself.
static void gather(RewriterBase &rewriter, linalg::GenericOp op,
                   const llvm::SmallBitVector &gathered) {
  SmallVector<Value> kept;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    if (gathered.test(operand.getOperandNumber()))
      continue;
    maps.push_back(op.getMatchingIndexingMap(&operand));
    if (op.isDpsInput(&operand))
      kept.push_back(operand.get());
  }
  rewriter.setInsertionPoint(op);
  auto other = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), kept, op.getDpsInits(), maps,
      op.getIteratorTypesArray());
  other->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), other.getRegion(),
                              other.getRegion().begin());
  Block *body = other.getBlock();
  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> indices;
  for (unsigned loop = 0; loop < other.getNumLoops(); ++loop)
    indices.push_back(linalg::IndexOp::create(rewriter, op.getLoc(), loop));
  for (unsigned number : gathered.set_bits()) {
    OpOperand &operand = op->getOpOperand(number);
    body->getArgument(number).replaceAllUsesWith(
        readAt(rewriter, op.getLoc(), operand.get(),
               op.getMatchingIndexingMap(&operand), indices));
  }
  body->eraseArguments([&](BlockArgument argument) {
    return gathered.test(argument.getArgNumber());
  });
  rewriter.replaceOp(op, other);
}

namespace {
struct GatherOperandsPass
    : mlir::smx::impl::GatherOperandsPassBase<GatherOperandsPass> {
  using GatherOperandsPassBase::GatherOperandsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.getNumReductionLoops() == 0 && op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops) {
      llvm::SmallBitVector gathered(op->getNumOperands());
      for (OpOperand *input : op.getDpsInputOperands()) {
        auto type = dyn_cast<RankedTensorType>(input->get().getType());
        AffineMap map = op.getMatchingIndexingMap(input);
        if (type && (keepSlices ? hasNoSlices(map) : !isPlain(map, type)))
          gathered.set(input->getOperandNumber());
      }
      if (gathered.any())
        gather(rewriter, op, gathered);
    }
  }
};
} // namespace
