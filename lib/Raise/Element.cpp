//===- Element.cpp - following one element through movement ---------------===//

#include "Element.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

SmallVector<AffineExpr> mlir::smx::loopsFor(AffineMap map,
                                            ArrayRef<AffineExpr> at) {
  SmallVector<AffineExpr> loops(map.getNumDims());
  for (auto [expr, index] : llvm::zip(map.getResults(), at))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = index;
  return loops;
}

SmallVector<AffineExpr> mlir::smx::indicesFor(Positions &positions,
                                              AffineMap map,
                                              ArrayRef<AffineExpr> loops) {
  SmallVector<AffineExpr> at;
  for (AffineExpr expr : map.getResults())
    at.push_back(positions.simplify(expr.replaceDims(loops)));
  return at;
}

Element ElementReader::tensorElement(Value tensor, ArrayRef<AffineExpr> at) {
  Element e{tensor, SmallVector<AffineExpr>(at), nullptr};
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  for (auto [index, extent] : llvm::zip(e.at, shape))
    if (extent == 1)
      index = positions.constant(0);
  return e;
}

Element ElementReader::identityElement(Value tensor) {
  auto rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return tensorElement(tensor, ArrayRef(positions.getAll()).take_front(rank));
}

Element ElementReader::scalarElement(Value scalar, ArrayRef<AffineExpr> loops,
                                     Operation *body) {
  Block *block = scalar.getParentBlock();
  if (!body || block->getParentOp() != body)
    return {scalar, {}, nullptr};
  return {scalar, SmallVector<AffineExpr>(loops), body};
}

std::optional<Element> ElementReader::stepThroughTensorOp(const Element &e) {
  Operation *op = e.value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto sizes = [](Value v) {
    return cast<RankedTensorType>(v.getType()).getShape();
  };
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? std::optional(tensorElement(cast.getSource(), e.at))
               : std::nullopt;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    auto at = regroup(e.at, sizes(expand.getResult()),
                      expand.getReassociationIndices(), /*splits=*/false);
    return at ? std::optional(tensorElement(expand.getSrc(), *at))
              : std::nullopt;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    auto at = regroup(e.at, sizes(collapse.getSrc()),
                      collapse.getReassociationIndices(), /*splits=*/true);
    return at ? std::optional(tensorElement(collapse.getSrc(), *at))
              : std::nullopt;
  }
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return scalarElement(splat.getInput(), {}, nullptr);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  // A dynamic slice hides how far it reaches.
  if (!slice || !slice.getType().hasStaticShape() ||
      ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
      !slice.hasUnitStride())
    return std::nullopt;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<AffineExpr> at;
  unsigned next = 0;
  for (auto [k, offset] : llvm::enumerate(slice.getStaticOffsets())) {
    AffineExpr index = dropped[k] ? positions.constant(0) : e.at[next++];
    at.push_back(positions.simplify(index + offset));
  }
  return tensorElement(slice.getSource(), at);
}

std::optional<Element> ElementReader::step(const Element &e) {
  if (e.isTensor()) {
    auto op = e.value.getDefiningOp<linalg::LinalgOp>();
    if (!op || !op.hasPureTensorSemantics())
      return stepThroughTensorOp(e);
    if (op.getNumReductionLoops() > 0)
      return std::nullopt;
    unsigned n = cast<OpResult>(e.value).getResultNumber();
    OpOperand *init = op.getDpsInitOperand(n);
    SmallVector<AffineExpr> loops =
        loopsFor(op.getMatchingIndexingMap(init), e.at);
    for (auto [loop, extent] : llvm::zip(loops, op.getStaticLoopRanges())) {
      if (!loop && extent != 1)
        return std::nullopt;
      if (!loop)
        loop = positions.constant(0);
    }
    Value yielded = op.getBlock()->getTerminator()->getOperand(n);
    return scalarElement(yielded, loops, op);
  }
  if (auto extract = e.value.getDefiningOp<tensor::ExtractOp>()) {
    SmallVector<AffineExpr> at;
    for (Value index : extract.getIndices()) {
      AffineExpr expr = affine(scalarElement(index, e.at, e.body));
      if (!expr)
        return std::nullopt;
      at.push_back(expr);
    }
    return tensorElement(extract.getTensor(), at);
  }
  auto argument = dyn_cast<BlockArgument>(e.value);
  auto op = dyn_cast_or_null<linalg::LinalgOp>(e.body);
  if (!argument || !op || argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  // In a reduction the argument of an output is the running value.
  if (op.isDpsInit(operand) && op.getNumReductionLoops() > 0)
    return std::nullopt;
  if (!isa<RankedTensorType>(operand->get().getType()))
    return scalarElement(operand->get(), {}, nullptr);
  return tensorElement(
      operand->get(),
      indicesFor(positions, op.getMatchingIndexingMap(operand), e.at));
}

Element ElementReader::peel(Element e) {
  while (std::optional<Element> next = step(e))
    e = std::move(*next);
  return e;
}

Element ElementReader::strip(Element e) {
  e = peel(e);
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(arithmetic(e)))
    e = peel(operand(e, 0));
  return e;
}

std::optional<SmallVector<AffineExpr>>
ElementReader::stepForward(OpOperand &operand, ArrayRef<AffineExpr> at) {
  Operation *op = operand.getOwner();
  auto sizes = [](Value v) {
    return cast<RankedTensorType>(v.getType()).getShape();
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return regroup(at, sizes(expand.getResult()),
                   expand.getReassociationIndices(), /*splits=*/true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return regroup(at, sizes(collapse.getSrc()),
                   collapse.getReassociationIndices(), /*splits=*/false);
  if (isa<tensor::CastOp, arith::ExtFOp, arith::TruncFOp>(op))
    return SmallVector<AffineExpr>(at);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() > 0 ||
      op->getNumResults() != 1 || !linalgOp.isDpsInput(&operand))
    return std::nullopt;
  // Only a copy: what it yields is the operand, but for its float type.
  Value yielded = linalgOp.getBlock()->getTerminator()->getOperand(0);
  while (Operation *cast = yielded.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(cast))
      return std::nullopt;
    yielded = cast->getOperand(0);
  }
  if (yielded != linalgOp.getMatchingBlockArgument(&operand))
    return std::nullopt;
  SmallVector<AffineExpr> loops =
      loopsFor(linalgOp.getMatchingIndexingMap(&operand), at);
  for (auto [loop, extent] : llvm::zip(loops, linalgOp.getStaticLoopRanges())) {
    if (!loop && extent != 1) // a broadcast
      return std::nullopt;
    if (!loop)
      loop = positions.constant(0);
  }
  return indicesFor(
      positions, linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0)),
      loops);
}
