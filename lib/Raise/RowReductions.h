//===- RowReductions.h - what is computed of whole rows ---------*- C++ -*-===//
#ifndef SMX_RAISE_ROWREDUCTIONS_H
#define SMX_RAISE_ROWREDUCTIONS_H

#include "DynamicShapes.h"
#include "Element.h"

namespace mlir::smx {

enum class Combiner { Max, Sum, And, Or };

/// How many elements a row has.
struct RowExtent {
  int64_t size;                ///< may be dynamic
  SmallVector<TensorDim> dims; ///< all of this size
  /// True if both are provably the same.
  bool operator==(const RowExtent &other) const {
    return ShapedType::isDynamic(size) || ShapedType::isDynamic(other.size)
               ? haveSameSize(dims, other.dims)
               : size == other.size;
  }
};

/// A reduction over one position, from the neutral value of its combiner.
struct RowReduction {
  Combiner combiner;
  /// What is combined, with the row position in the place of the reduction
  /// loop.
  Element input;
  RowExtent extent;
  /// What it starts from: -inf, or the lowest finite number, for a maximum.
  double start;
};

/// Reads `e` as a reduction, and the reduction loop as position `axis`. Nothing
/// if `e` is something else, starts from something else than the neutral value,
/// or depends on `axis` already.
std::optional<RowReduction> matchRowReduction(ElementReader &reader, Element e,
                                              AffineExpr axis);

/// The same for a reduction by `combiner` over positions of that extent.
std::optional<RowReduction> matchRow(ElementReader &reader, Element e,
                                     AffineExpr axis, const RowExtent &extent,
                                     Combiner combiner);

/// True for -inf, and for the lowest finite number of `type`.
bool isLowest(double value, Type type);

/// Which maxima of a row are replaced by 0, or by the lowest number, so that
/// -inf is not subtracted from itself: none, -inf, or +inf, too.
enum class MaximumGuard { None, MinusInfinity, Infinity };

/// The elements of which `e` is the maximum along `axis`, with at most the
/// guard `allowed`, but for one by the lowest number, which nothing has to know
/// of; `found` is set to the one it has.
std::optional<Element> matchRowMaximum(
    ElementReader &reader, Element e, AffineExpr axis, const RowExtent &extent,
    MaximumGuard allowed = MaximumGuard::None, MaximumGuard *found = nullptr);

/// The elements of which `e` is the sum along `axis`.
std::optional<Element> matchRowSum(ElementReader &reader, Element e,
                                   AffineExpr axis, const RowExtent &extent);

struct Quotient {
  Element dividend, divisor;
};
/// `a / b`, or `a * (1 / b)`.
std::optional<Quotient> matchQuotient(ElementReader &reader, const Element &e);

/// Replaces the divisor `select(l == 0, 1, l)` or `max(l, 1e-9)` by `l`: a sum
/// of shifted exponentials is at least 1 where the row is not masked.
bool dropZeroGuard(ElementReader &reader, Element &divisor);

/// True if `e` is the result of a linalg op with reduction loops.
bool isReduction(const Element &peeled);

/// True if `lhs` may be `rhs`, rounded on its way through a few operations in
/// `type`. Numbers of 16 bits are not taken for what they stand for.
bool isAlmostEqual(double lhs, double rhs, Type type);

/// `exp(scale * (input - maximum of the row of input))`.
struct ShiftedExponential {
  Element input;
  double scale;
  MaximumGuard guard;
};

/// Reads `e` as an exponential that is shifted by the maximum of its row along
/// `axis`. On failure `whyNot` says what is missing.
std::optional<ShiftedExponential>
matchShiftedExponential(ElementReader &reader, Element e, AffineExpr axis,
                        const RowExtent &extent, std::string &whyNot,
                        MaximumGuard allowed);

/// Reads `e` as `input * factor` with a constant factor, and drops it.
bool dropConstantFactor(ElementReader &reader, Element &e, double &factor);

} // namespace mlir::smx

#endif // SMX_RAISE_ROWREDUCTIONS_H
