//===- LayerNorm.cpp - (x - mean) / sqrt(variance + epsilon) --------------===//
//
// Weights and biases are not part of it: they are elementwise ops that follow.
//
//===----------------------------------------------------------------------===//

#include "Norms.h"
#include "RowReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
class LayerNormMatcher {
public:
  LayerNormMatcher(RowRoot &root, int64_t axis)
      : reader(root.reader), means(root, axis) {}
  /// `e` is `(x - mean(x)) * reciprocal`, or divided by `deviation`.
  bool match(const Element &e);
  /// True if at least the mean of the row is subtracted and something is
  /// normalised.
  bool isCentred() const { return hasMean; }

  Element input;
  double epsilon = 0;

private:
  bool matchDeviation(Element e);

  ElementReader &reader;
  RowMeans means;
  bool hasMean = false;
};
} // namespace

/// Reads `e` as variance + epsilon.
bool LayerNormMatcher::matchDeviation(Element e) {
  std::optional<Element> variance = means.dropEpsilon(e, epsilon);
  if (!variance)
    return false;
  std::optional<Element> square = means.match(*variance, input);
  if (!square || !reader.stripTo<arith::MulFOp>(*square) ||
      !reader.equal(reader.operand(*square, 0), reader.operand(*square, 1)))
    return false;
  Element difference = reader.operand(*square, 0);
  if (!reader.stripTo<arith::SubFOp>(difference))
    return false;
  std::optional<Element> row =
      means.match(reader.operand(difference, 1), input);
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
    std::optional<Element> row = means.match(reader.operand(centred, 1), input);
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
    if (matches)
      return replaceByNorm<LayerNormOp>(rewriter, root, matcher.input, axis,
                                        matcher.epsilon);
  }
  if (isCentred)
    remarkNotRaised(op, "smx.layer_norm",
                    "the centred row is not divided by its standard deviation");
  return false;
}
