//===- LateDivision.cpp - softmax that divides behind a product -----------===//

#include "Attention.h"
#include "RowReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// Exponentials that a product reads, and the axis that both sum over.
struct Exponentials {
  OpOperand *use;
  int64_t axis;
  bool hasZeroGuard;
};
} // namespace

/// The operand of `product` of which `divisor` is the sum over the product's
/// loop; `loops` of the product are those of the element that is divided.
static std::optional<Exponentials>
findExponentials(ElementReader &reader, Product product, Element divisor,
                 SmallVector<AffineExpr> loops) {
  Positions &positions = reader.getPositions();
  AffineExpr axis =
      positions.add(product.op.getStaticLoopRanges()[product.reductionLoop]);
  loops[product.reductionLoop] = axis;
  bool hasZeroGuard = dropZeroGuard(reader, divisor);
  for (unsigned n : {0u, 1u}) {
    OpOperand *use = product.op.getDpsInputOperand(n);
    auto dim = product.getMap(n).getResultPosition(
        getAffineDimExpr(product.reductionLoop, positions.getContext()));
    if (!dim)
      continue;
    RowExtent extent{positions.extent(cast<AffineDimExpr>(axis).getPosition()),
                     {{use->get(), int64_t(*dim)}}};
    std::optional<Element> summed = matchRowSum(reader, divisor, axis, extent);
    if (summed &&
        reader.equal(
            *summed,
            reader.tensorElement(
                use->get(), indicesFor(positions, product.getMap(n), loops))))
      return Exponentials{use, int64_t(*dim), hasZeroGuard};
  }
  return std::nullopt;
}

bool mlir::smx::raiseLateDivision(RewriterBase &rewriter, SharedRows &shared,
                                  Operation *op) {
  RowRoot root(op);
  ElementReader &reader = root.reader;
  std::optional<Quotient> quotient = quotientOf(root);
  if (!quotient)
    return false;
  Element dividend = reader.strip(quotient->dividend);
  auto producer = dividend.value.getDefiningOp<linalg::LinalgOp>();
  std::optional<Product> product =
      producer && dividend.isTensor() ? matchProduct(producer) : std::nullopt;
  if (!product || !producer->hasOneUse() ||
      dividend.at != root.positions.getAll())
    return false;
  auto type = cast<RankedTensorType>(producer->getResult(0).getType());
  auto loops = loopsFor(product->getResultMap(), type.getShape(), dividend.at);
  bool isConverted = type.getElementType() != root.getType().getElementType();
  if (!loops || type.getShape() != root.getType().getShape() ||
      (isConverted && type.getElementTypeBitWidth() ==
                          root.getType().getElementTypeBitWidth()))
    return false;
  std::optional<Exponentials> found =
      findExponentials(reader, *product, quotient->divisor, *loops);
  if (!found)
    return false;

  // The weights have positions of their own.
  Value weights = found->use->get();
  auto weightsType = cast<RankedTensorType>(weights.getType());
  Positions positions(op->getContext(), weightsType.getShape());
  ElementReader weightsReader(positions);
  std::string whyNot;
  auto exponential = matchShiftedExponential(
      weightsReader, weightsReader.identityElement(weights),
      positions.get(found->axis),
      {positions.extent(found->axis), {{weights, found->axis}}}, whyNot,
      MaximumGuard::MinusInfinity);
  if (!exponential) {
    shared.explain(op, "smx.softmax", whyNot);
    return false;
  }
  rewriter.setInsertionPoint(producer);
  auto row = takeRow(rewriter, shared, weightsReader, exponential->input,
                     positions.getAll(), op, "smx.softmax");
  if (!row)
    return false;
  auto softmax = SoftmaxOp::create(
      rewriter, op->getLoc(), weightsType, row->tensor,
      rewriter.getI64IntegerAttr(found->axis),
      rewriter.getF64FloatAttr(exponential->scale),
      maskedRowOf(op->getContext(),
                  found->hasZeroGuard &&
                      exponential->guard != MaximumGuard::None));
  rewriter.modifyOpInPlace(producer,
                           [&] { found->use->set(softmax.getResult()); });
  rewriter.setInsertionPoint(op);
  Value result = producer->getResult(0);
  unsigned from = type.getElementTypeBitWidth(),
           to = root.getType().getElementTypeBitWidth();
  if (from < to)
    result =
        arith::ExtFOp::create(rewriter, op->getLoc(), root.getType(), result);
  else if (from > to)
    result =
        arith::TruncFOp::create(rewriter, op->getLoc(), root.getType(), result);
  rewriter.replaceAllUsesWith(op->getResult(0), result);
  row->cluster.remove(producer);
  eraseUnused(rewriter, row->cluster);
  absorbConversions(rewriter, softmax);
  remarkRaised(softmax);
  return true;
}
