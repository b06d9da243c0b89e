//===- LayerNorm.cpp - (x - mean) / sqrt(variance + epsilon) --------------===//
//
// Weights and biases are not part of it: they are elementwise ops that follow.
//
//===----------------------------------------------------------------------===//

#include "Norms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  bool isNear() const { return hasMean; }

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
  std::optional<Element> difference =
      square ? matchSquare(reader, *square) : std::nullopt;
  if (!difference || !reader.stripTo<arith::SubFOp>(*difference))
    return false;
  std::optional<Element> row =
      means.match(reader.operand(*difference, 1), input);
  return row && reader.equal(*row, input) &&
         reader.equal(reader.operand(*difference, 0), input);
}

bool LayerNormMatcher::match(const Element &e) {
  return matchQuotientByRoot(
      reader, e, [&](Element centred, const Element &radicand) {
        if (!reader.stripTo<arith::SubFOp>(centred))
          return false;
        input = reader.operand(centred, 0);
        std::optional<Element> row =
            means.match(reader.operand(centred, 1), input);
        if (!row || !reader.equal(*row, input))
          return false;
        hasMean = true;
        return matchDeviation(radicand);
      });
}

bool mlir::smx::raiseLayerNorm(RewriterBase &rewriter, Operation *op) {
  return raiseNorm<LayerNormOp, LayerNormMatcher>(
      rewriter, op, "the centred row is not divided by its standard deviation");
}
