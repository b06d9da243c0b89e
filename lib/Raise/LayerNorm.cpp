//===- LayerNorm.cpp - (x - mean) / sqrt(variance + epsilon) --------------===//
//
// Weights and biases are not part of it: they are elementwise ops that follow.
//
//===----------------------------------------------------------------------===//

#include "RowReductions.h"
#include "Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
class LayerNormMatcher {
public:
  LayerNormMatcher(RowRoot &root, int64_t axis)
      : reader(root.reader), axis(axis), position(root.positions.get(axis)),
        extent(root.positions.extent(axis)) {}
  /// `e` is `(x - mean(x)) * reciprocal`, or divided by `deviation`.
  bool match(const Element &e);
  /// True if at least the mean of the row is subtracted and something is
  /// normalised.
  bool isCentred() const { return hasMean; }

  Element input;
  double epsilon = 0;

private:
  std::optional<Element> matchMean(Element e);
  bool isExtent(Element e);
  bool matchDeviation(Element e);

  ElementReader &reader;
  int64_t axis;
  AffineExpr position;
  int64_t extent;
  bool hasMean = false;
};
} // namespace

/// The number of elements of the row, as a constant or as the size of a tensor.
bool LayerNormMatcher::isExtent(Element e) {
  if (std::optional<double> constant = reader.constant(e))
    return *constant == (double)extent;
  e = reader.strip(e);
  while (Operation *op = reader.arithmetic(e)) {
    if (!isa<arith::SIToFPOp, arith::UIToFPOp, arith::IndexCastOp>(op))
      return false;
    e = reader.strip(reader.operand(e, 0));
  }
  auto dim = e.value.getDefiningOp<tensor::DimOp>();
  return dim && dim.getConstantIndex() == axis && input.value &&
         dim.getSource() ==
             findTensor(reader, input, reader.getPositions().getAll());
}

/// The elements of which `e` is the mean.
std::optional<Element> LayerNormMatcher::matchMean(Element e) {
  e = reader.strip(e);
  Operation *op = reader.arithmetic(e);
  if (isa_and_nonnull<arith::DivFOp>(op) && isExtent(reader.operand(e, 1)))
    return matchRowSum(reader, reader.operand(e, 0), position, extent);
  if (!isa_and_nonnull<arith::MulFOp>(op))
    return std::nullopt;
  for (unsigned n : {0u, 1u}) {
    auto factor = reader.constant(reader.operand(e, n));
    // 1/n is rounded to the element type.
    if (factor && std::abs(*factor * extent - 1) < 1e-6)
      return matchRowSum(reader, reader.operand(e, 1 - n), position, extent);
  }
  return std::nullopt;
}

/// Reads `e` as variance + epsilon.
bool LayerNormMatcher::matchDeviation(Element e) {
  Element variance = reader.strip(e);
  if (isa_and_nonnull<arith::AddFOp>(reader.arithmetic(variance))) {
    auto rhs = reader.constant(reader.operand(variance, 1));
    auto lhs = reader.constant(reader.operand(variance, 0));
    if (!rhs && !lhs)
      return false;
    epsilon = rhs ? *rhs : *lhs;
    variance = reader.operand(variance, rhs ? 0 : 1);
  }
  if (!std::isfinite(epsilon) || epsilon < 0)
    return false;
  std::optional<Element> square = matchMean(variance);
  if (!square || !reader.stripTo<arith::MulFOp>(*square) ||
      !reader.equal(reader.operand(*square, 0), reader.operand(*square, 1)))
    return false;
  Element difference = reader.operand(*square, 0);
  if (!reader.stripTo<arith::SubFOp>(difference))
    return false;
  std::optional<Element> row = matchMean(reader.operand(difference, 1));
  return row && reader.equal(*row, input) &&
         reader.equal(reader.operand(difference, 0), input);
}

bool LayerNormMatcher::match(const Element &e) {
  bool isQuotient = isa<arith::DivFOp>(reader.arithmetic(e));
  for (unsigned n : {0u, 1u}) {
    if (isQuotient && n == 1)
      return false;
    Element centred = reader.operand(e, n), scale = reader.operand(e, 1 - n);
    if (!reader.stripTo<arith::SubFOp>(centred))
      continue;
    input = reader.operand(centred, 0);
    std::optional<Element> row = matchMean(reader.operand(centred, 1));
    if (!row || !reader.equal(*row, input))
      continue;
    bool isRoot = isQuotient ? reader.stripTo<math::SqrtOp>(scale) != nullptr
                             : reader.stripTo<math::RsqrtOp>(scale) != nullptr;
    hasMean |= isRoot;
    if (isRoot && matchDeviation(reader.operand(scale, 0)))
      return true;
  }
  return false;
}

bool mlir::smx::raiseLayerNorm(RewriterBase &rewriter, Operation *op) {
  RowRoot root(op);
  ElementReader &reader = root.reader;
  Element e = reader.strip(root.result);
  if (!root.computes(e) ||
      !isa_and_nonnull<arith::MulFOp, arith::DivFOp>(reader.arithmetic(e)) ||
      !reader.contains(e, isReduction))
    return false;
  bool isCentred = false;
  for (int64_t axis = root.getType().getRank() - 1; axis >= 0; --axis) {
    LayerNormMatcher matcher(root, axis);
    bool matches = matcher.match(e);
    isCentred |= matcher.isCentred();
    if (!matches)
      continue;
    rewriter.setInsertionPoint(op);
    SmallVector<Value> sources;
    Value input = materialize(rewriter, reader, matcher.input,
                              root.positions.getAll(), sources);
    auto cluster = opsBetween(sources, op);
    if (!input || escapes(cluster, op)) {
      remarkNotRaised(op, "smx.layer_norm",
                      input ? "an intermediate value has another use"
                            : "the rows are not a tensor");
      return false;
    }
    auto norm = LayerNormOp::create(rewriter, op->getLoc(), root.getType(),
                                    input, rewriter.getI64IntegerAttr(axis),
                                    rewriter.getF64FloatAttr(matcher.epsilon));
    rewriter.replaceAllUsesWith(op->getResult(0), norm.getResult());
    eraseUnused(rewriter, cluster);
    absorbConversions(rewriter, norm);
    remarkRaised(norm);
    return true;
  }
  if (isCentred)
    remarkNotRaised(op, "smx.layer_norm",
                    "the centred row is not divided by its standard deviation");
  return false;
}
