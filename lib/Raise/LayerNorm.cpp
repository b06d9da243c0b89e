//===- LayerNorm.cpp - (x - mean) / sqrt(variance + epsilon) --------------===//
//
// Weights and biases are not part of it: they are elementwise ops that follow,
// or that are put there.
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
  /// What is divided by the root of `radicand` is `x - mean(x)`, and that is
  /// the deviation.
  bool match(Element centred, const Element &radicand);
  /// True if at least the mean of the row is subtracted and something is
  /// normalised.
  bool isNear() const { return hasMean; }

  Element input;
  double epsilon = 0;

private:
  bool matchDeviation(Element e);
  bool matchMeanOfSquares(Element variance);

  ElementReader &reader;
  RowMeans means;
  bool hasMean = false;
};
} // namespace

/// Reads `variance` as mean(x^2) - mean(x)^2, which may be clamped at 0: the
/// same of numbers that are not rounded.
bool LayerNormMatcher::matchMeanOfSquares(Element variance) {
  variance = reader.strip(variance);
  if (isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(
          reader.arithmetic(variance)))
    for (unsigned n : {0u, 1u})
      if (reader.constant(reader.operand(variance, n)) == 0.0) {
        variance = reader.strip(reader.operand(variance, 1 - n));
        break;
      }
  if (!reader.stripTo<arith::SubFOp>(variance))
    return false;
  std::optional<Element> term = means.match(reader.operand(variance, 0), input);
  std::optional<Element> x = term ? matchSquare(reader, *term) : std::nullopt;
  std::optional<Element> mean =
      matchSquare(reader, reader.operand(variance, 1));
  std::optional<Element> row = mean ? means.match(*mean, input) : std::nullopt;
  return x && row && reader.equal(*x, input) && reader.equal(*row, input);
}

/// Reads `e` as variance + epsilon.
bool LayerNormMatcher::matchDeviation(Element e) {
  std::optional<Element> variance = means.dropEpsilon(e, epsilon);
  if (!variance)
    return false;
  if (matchMeanOfSquares(*variance))
    return true;
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

bool LayerNormMatcher::match(Element centred, const Element &radicand) {
  if (!reader.stripTo<arith::SubFOp>(centred))
    return false;
  input = reader.operand(centred, 0);
  std::optional<Element> row = means.match(reader.operand(centred, 1), input);
  if (!row || !reader.equal(*row, input))
    return false;
  hasMean = true;
  return matchDeviation(radicand);
}

bool mlir::smx::raiseLayerNorm(RewriterBase &rewriter, SharedRows &shared,
                               Operation *op) {
  return raiseNorm<LayerNormOp, LayerNormMatcher>(
      rewriter, shared, op,
      "the centred row is not divided by its standard deviation");
}
