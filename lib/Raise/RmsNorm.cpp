//===- RmsNorm.cpp - x / sqrt(mean(x^2) + epsilon) ------------------------===//
//
// Weights are not part of it: they are elementwise ops that follow.
//
//===----------------------------------------------------------------------===//

#include "Norms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
class RmsNormMatcher {
public:
  RmsNormMatcher(RowRoot &root, int64_t axis)
      : reader(root.reader), means(root, axis) {}
  /// `e` is `x * rsqrt(mean(x^2) + epsilon)`, or `x` divided by that root.
  bool match(const Element &e);
  /// True if something is normalised by the root of a mean of squares.
  bool isNear() const { return hasSquares; }

  Element input;
  double epsilon = 0;

private:
  /// What `e` is the square of, as a product or as a power.
  std::optional<Element> matchSquare(Element e);

  ElementReader &reader;
  RowMeans means;
  bool hasSquares = false;
};
} // namespace

std::optional<Element> RmsNormMatcher::matchSquare(Element e) {
  e = reader.strip(e);
  Operation *op = reader.arithmetic(e);
  if (!isa_and_nonnull<arith::MulFOp, math::PowFOp, math::FPowIOp>(op))
    return std::nullopt;
  Element base = reader.operand(e, 0), other = reader.operand(e, 1);
  bool isSquare = isa<arith::MulFOp>(op) ? reader.equal(base, other)
                                         : reader.constant(other) == 2.0;
  return isSquare ? std::optional(base) : std::nullopt;
}

bool RmsNormMatcher::match(const Element &e) {
  return matchQuotientByRoot(
      reader, e, [&](const Element &numerator, const Element &radicand) {
        input = numerator;
        std::optional<Element> mean = means.dropEpsilon(radicand, epsilon);
        std::optional<Element> square =
            mean ? means.match(*mean, input) : std::nullopt;
        std::optional<Element> row =
            square ? matchSquare(*square) : std::nullopt;
        hasSquares |= row.has_value();
        return row && reader.equal(*row, input);
      });
}

bool mlir::smx::raiseRmsNorm(RewriterBase &rewriter, Operation *op) {
  return raiseNorm<RmsNormOp, RmsNormMatcher>(
      rewriter, op, "the mean square is not that of the row that is divided");
}
