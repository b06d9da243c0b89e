//===- ScaledDifference.h - scale * (x - y), unrounded ----------*- C++ -*-===//
//
// The argument of an exponential in softmax. Rounding the difference, or the
// scale, would cost units in the last place of the exponential in proportion to
// how large the argument is, so every op of the expression may be contracted,
// and back ends that see it as a whole round nothing before the end.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_IR_SCALEDDIFFERENCE_H
#define SMX_IR_SCALEDDIFFERENCE_H

#include "mlir/IR/Builders.h"

namespace mlir::smx {

/// Bits that forms of the exponential are right to in f32, as `result_bits`
/// asks for them: e^d by one product, off by at most |d| 2^-22.4, and one that
/// is off by up to 3 units in the last place. Without the attribute it is to 1.
inline constexpr int64_t bitsOfProduct = 19, bitsOfRough = 22;

struct ScaledDifference {
  Value x, y;
  double scale = 1.0;
};

/// Writes `scale * (x - y)` for floats of one type and a scale above 0. A scale
/// that the type does not hold is the sum of two constants that it does:
/// `fma(d, high, d * low)`. Neither is negative, so that an infinite difference
/// stays what it is.
Value buildScaledDifference(OpBuilder &builder, Location loc,
                            const ScaledDifference &difference);

/// Sees what buildScaledDifference writes, on floats or vectors of them. None
/// if an op may not be contracted, or for a scale that is not from 1e-30 to
/// 1e30: products with it would leave the range of f32.
std::optional<ScaledDifference> matchScaledDifference(Value value);

} // namespace mlir::smx

#endif // SMX_IR_SCALEDDIFFERENCE_H
