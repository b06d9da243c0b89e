//===- Element.cpp - following one element through movement ---------------===//

#include "Element.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

static ArrayRef<int64_t> sizes(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

bool mlir::smx::isConversion(Operation *op) {
  return isa_and_nonnull<arith::ExtFOp>(op) ||
         (isa_and_nonnull<arith::TruncFOp>(op) &&
          elementBits(op->getResult(0).getType()) >= 16);
}

bool Element::covers(unsigned k, int64_t extent) const {
  int64_t own = cast<RankedTensorType>(value.getType()).getDimSize(k);
  if (!ShapedType::isDynamic(own) && !ShapedType::isDynamic(extent))
    return own == extent;
  // What is read at one place may be followed by more.
  return !isPart && !isa<AffineConstantExpr>(at[k]);
}

std::optional<SmallVector<AffineExpr>>
mlir::smx::loopsFor(AffineMap map, ArrayRef<int64_t> shape,
                    ArrayRef<AffineExpr> at) {
  SmallVector<AffineExpr> loops(map.getNumDims());
  for (auto [expr, extent, index] : llvm::zip(map.getResults(), shape, at)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && !loops[dim.getPosition()])
      loops[dim.getPosition()] = index;
    else if (dim || extent != 1)
      return std::nullopt;
  }
  return loops;
}

bool mlir::smx::fillUnitLoops(const Positions &positions, linalg::LinalgOp op,
                              MutableArrayRef<AffineExpr> loops) {
  for (auto [loop, extent] : llvm::zip(loops, op.getStaticLoopRanges())) {
    if (!loop && extent != 1)
      return false;
    if (!loop)
      loop = positions.constant(0);
  }
  return true;
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

std::optional<Element> ElementReader::stepInto(tensor::ConcatOp concat,
                                               const Element &e) {
  const uint64_t dim = concat.getDim();
  auto index = dyn_cast<AffineConstantExpr>(e.at[dim]);
  if (!index || index.getValue() < 0)
    return std::nullopt;
  int64_t place = index.getValue();
  for (Value input : concat.getInputs()) {
    int64_t extent = sizes(input)[dim];
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    if (place < extent) {
      SmallVector<AffineExpr> at(e.at);
      at[dim] = positions.constant(place);
      Element part = tensorElement(input, at);
      part.isPart = true;
      return part;
    }
    place -= extent;
  }
  return std::nullopt;
}

std::optional<Element> ElementReader::stepThroughTensorOp(const Element &e) {
  Operation *op = e.value.getDefiningOp();
  if (!op)
    return std::nullopt;
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
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return stepInto(concat, e);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  // A dynamic slice hides how far it reaches.
  if (!slice || !slice.getType().hasStaticShape() ||
      ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
      !slice.hasUnitStride())
    return std::nullopt;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  // So does one of a dynamic size, which what reads the source would run over.
  for (auto [k, extent] : llvm::enumerate(slice.getSourceType().getShape()))
    if (ShapedType::isDynamic(extent) && !dropped[k])
      return std::nullopt;
  SmallVector<AffineExpr> at;
  unsigned next = 0;
  for (auto [k, offset] : llvm::enumerate(slice.getStaticOffsets())) {
    AffineExpr index = dropped[k] ? positions.constant(0) : e.at[next++];
    at.push_back(positions.simplify(index + offset));
  }
  Element source = tensorElement(slice.getSource(), at);
  source.isPart = sizes(slice.getSource()) != slice.getStaticSizes();
  return source;
}

std::optional<Element> ElementReader::step(const Element &e) {
  std::optional<Element> next = stepOut(e);
  if (next)
    next->isPart |= e.isPart;
  return next;
}

std::optional<Element> ElementReader::stepOut(const Element &e) {
  if (e.isTensor()) {
    auto op = e.value.getDefiningOp<linalg::LinalgOp>();
    if (!op || !op.hasPureTensorSemantics())
      return stepThroughTensorOp(e);
    if (op.getNumReductionLoops() > 0)
      return std::nullopt;
    unsigned n = cast<OpResult>(e.value).getResultNumber();
    OpOperand *init = op.getDpsInitOperand(n);
    auto loops =
        loopsFor(op.getMatchingIndexingMap(init), sizes(e.value), e.at);
    if (!loops || !fillUnitLoops(positions, op, *loops))
      return std::nullopt;
    Value yielded = op.getBlock()->getTerminator()->getOperand(n);
    return scalarElement(yielded, *loops, op);
  }
  if (auto extract = e.value.getDefiningOp<tensor::ExtractOp>()) {
    SmallVector<AffineExpr> at;
    for (Value index : extract.getIndices()) {
      AffineExpr expr = affine(scalarElement(index, e.at, e.body));
      if (!expr)
        return std::nullopt;
      at.push_back(expr);
    }
    Element source = tensorElement(extract.getTensor(), at);
    source.isPart = true;
    return source;
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
  AffineMap map = op.getMatchingIndexingMap(operand);
  Element source =
      tensorElement(operand->get(), indicesFor(positions, map, e.at));
  // Only of what loops run over alone they are as long as the tensor.
  source.isPart = !map.isProjectedPermutation(/*allowZeroInResults=*/true);
  return source;
}

Element ElementReader::peel(Element e) {
  while (std::optional<Element> next = step(e))
    e = std::move(*next);
  return e;
}

Element ElementReader::strip(Element e) {
  e = peel(e);
  while (isConversion(arithmetic(e)))
    e = peel(operand(e, 0));
  return e;
}

std::optional<SmallVector<AffineExpr>>
ElementReader::stepForward(OpOperand &operand, ArrayRef<AffineExpr> at) {
  Operation *op = operand.getOwner();
  if (!llvm::all_of(op->getResultTypes(), isTypeOfResults))
    return std::nullopt;
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
    if (!isConversion(cast))
      return std::nullopt;
    yielded = cast->getOperand(0);
  }
  if (yielded != linalgOp.getMatchingBlockArgument(&operand))
    return std::nullopt;
  // A loop that is left open is a broadcast.
  auto loops = loopsFor(linalgOp.getMatchingIndexingMap(&operand),
                        sizes(operand.get()), at);
  if (!loops || !fillUnitLoops(positions, linalgOp, *loops))
    return std::nullopt;
  return indicesFor(
      positions, linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0)),
      *loops);
}
