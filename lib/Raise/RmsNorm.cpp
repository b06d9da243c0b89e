//===- RmsNorm.cpp - x / sqrt(mean(x^2) + epsilon) ------------------------===//
//
// Weights are not part of it: they are elementwise ops that follow, or that are
// put there.
//
//===----------------------------------------------------------------------===//

#include "Norms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
class RmsNormMatcher {
public:
  RmsNormMatcher(RowRoot &root, int64_t axis)
      : reader(root.reader), means(root, axis) {}
  /// What is divided by the root of `radicand` is `x`, and that is
  /// mean(x^2) + epsilon.
  bool match(const Element &numerator, const Element &radicand);
  /// True if something is normalised by the root of a mean of squares.
  bool isNear() const { return hasSquares; }

  Element input;
  double epsilon = 0;

private:
  ElementReader &reader;
  RowMeans means;
  bool hasSquares = false;
};
} // namespace

bool RmsNormMatcher::match(const Element &numerator, const Element &radicand) {
  input = numerator;
  std::optional<Element> mean = means.dropEpsilon(radicand, epsilon);
  std::optional<Element> square =
      mean ? means.match(*mean, input) : std::nullopt;
  std::optional<Element> row =
      square ? matchSquare(reader, *square) : std::nullopt;
  hasSquares |= row.has_value();
  return row && reader.equal(*row, input);
}

bool mlir::smx::raiseRmsNorm(RewriterBase &rewriter, SharedRows &shared,
                             Operation *op) {
  return raiseNorm<RmsNormOp, RmsNormMatcher>(
      rewriter, shared, op,
      "the mean square is not that of the row that is divided");
}
