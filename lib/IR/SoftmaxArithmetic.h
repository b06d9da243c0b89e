//===- SoftmaxArithmetic.h - scalar arithmetic of (m, l, acc) ---*- C++ -*-===//
#ifndef SMX_LIB_IR_SOFTMAXARITHMETIC_H
#define SMX_LIB_IR_SOFTMAXARITHMETIC_H

#include "TileArithmetic.h"
#include "smx/IR/Smx.h"

#include "llvm/Support/MathExtras.h"
#include <limits>

namespace mlir::smx {

/// The state's own arithmetic, in its base and with its scale.
struct SoftmaxArithmetic {
  SoftmaxAlgebraAttr algebra;
  FloatType type;

  bool isBase2() const { return algebra.getBase() == ExpBase::Exp2; }
  Value times(ScalarMath m, Value x, double factor) const {
    return factor == 1.0 ? x : m.mul(x, m.constant(factor, type));
  }
  /// In base 2 the state is kept scaled: what a score is multiplied by to be
  /// comparable with the running maximum.
  double base2Factor() const {
    return algebra.getScaleValue() * llvm::numbers::log2e;
  }
  Value comparable(ScalarMath m, Value score) const {
    return isBase2() ? times(m, score, base2Factor()) : score;
  }
  /// What turns a difference of maxima into an exponential. Without base 2 the
  /// scale comes last: differences of near scores are exact, and a score that
  /// is finite does not overflow.
  Value exp(ScalarMath m, Value difference) const {
    if (isBase2())
      return m.exp2(difference);
    return m.exp(times(m, difference, algebra.getScaleValue()));
  }
  /// The exponential of a score's distance from the reference; in base 2 one
  /// fma and one exp2.
  Value weight(ScalarMath m, Value s, Value reference) const {
    if (!isBase2())
      return exp(m, m.sub(s, reference));
    return m.exp2(m.fma(s, m.constant(base2Factor(), type), m.neg(reference)));
  }
  /// The same with the rounding of the difference put right, for weights that
  /// are results in f32: rounding s - m alone costs |s - m|/2 units in the last
  /// place of the exponential. exp(d + e) = exp(d) + exp(d) e, with e exact.
  Value compensatedWeight(ScalarMath m, Value s, Value reference) const {
    if (isBase2())
      return weight(m, s, reference);
    double scale = algebra.getScaleValue();
    Value difference = m.sub(s, reference);
    // Knuth's TwoSum: what rounding took from the difference, exactly.
    Value taken = m.sub(difference, s);
    Value lost =
        m.sub(m.sub(s, m.sub(difference, taken)), m.add(reference, taken));
    Value exponent = times(m, difference, scale);
    if (scale != 1.0) {
      Value factor = m.constant(scale, type);
      lost = m.fma(lost, factor, m.fma(difference, factor, m.neg(exponent)));
    }
    // What is infinite has lost nothing.
    lost = m.select(m.equal(lost, lost), lost, m.constant(0.0, type));
    Value weight = m.exp(exponent);
    return m.fma(weight, lost, weight);
  }
  /// The type in which the weights of one tile are added up: a precise f32 sum
  /// would otherwise round once for every element of a row.
  FloatType sumType() const {
    return isBase2() ? type : Float64Type::get(type.getContext());
  }
  /// The sum of no weights, in that type, in the shape of `like`.
  Value wideZero(OpBuilder &b, Location loc, Value like) const {
    Value empty = emptyLike(b, loc, like, sumType());
    Value zero = ScalarMath{b, loc}.constant(0.0, sumType());
    return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  }
  /// A maximum, or a difference from one, in units of the natural logarithm.
  Value natural(ScalarMath m, Value maximum) const {
    return times(m, maximum,
                 isBase2() ? llvm::numbers::ln2 : algebra.getScaleValue());
  }
  /// The distance of a score from the maximum in those units. With a scale
  /// below 1 the halves are subtracted: the difference itself may overflow
  /// where the scaled one does not.
  Value naturalDistance(ScalarMath m, Value score, Value maximum) const {
    double scale = algebra.getScaleValue();
    if (isBase2() || scale >= 1.0)
      return natural(m, m.sub(score, maximum));
    Value half = m.constant(0.5, type);
    Value distance = m.sub(m.mul(score, half), m.mul(maximum, half));
    return times(m, distance, 2 * scale);
  }
  Value infinity(ScalarMath m) const {
    return m.constant(std::numeric_limits<double>::infinity(), type);
  }
  /// The maximum, or 0 where it is infinite: inf - inf must not become NaN. A
  /// row with +inf in it then has the sum inf, one with NaN the sum NaN, and
  /// one without anything visible the sum 0.
  Value guarded(ScalarMath m, Value maximum) const {
    Value isInfinite = m.equal(m.abs(maximum), infinity(m));
    return m.select(isInfinite, m.constant(0.0, type), maximum);
  }
  /// NaN for a sum of inf: +inf in a row makes the whole row NaN, as IEEE has
  /// it for inf/inf.
  Value nanIfInfinite(ScalarMath m, Value sum, Value value) const {
    Value nan = m.constant(std::numeric_limits<double>::quiet_NaN(), type);
    return m.select(m.equal(sum, infinity(m)), nan, value);
  }
  /// weight/l from the reciprocal of l: one step of Newton's iteration takes
  /// back what the two roundings of weight * (1/l) lost, at a fraction of the
  /// cost of a division.
  Value quotient(ScalarMath m, Value weight, Value reciprocal,
                 Value sum) const {
    Value first = m.mul(weight, reciprocal);
    Value left = m.fma(m.neg(first), sum, weight);
    return m.fma(left, reciprocal, first);
  }
  /// 1/l; 0 for a row in which nothing is visible, if that is to give 0.
  Value reciprocal(ScalarMath m, Value sum) const {
    Value inverse = nanIfInfinite(m, sum, m.div(m.constant(1.0, type), sum));
    if (algebra.getMaskedRow() == MaskedRow::NaN)
      return inverse;
    Value zero = m.constant(0.0, type);
    return m.select(m.equal(sum, zero), zero, inverse);
  }
};

inline SoftmaxArithmetic arithmeticOf(SoftmaxAlgebraAttr algebra, Value state) {
  return {algebra, cast<FloatType>(getElementTypeOrSelf(state.getType()))};
}

} // namespace mlir::smx

#endif // SMX_LIB_IR_SOFTMAXARITHMETIC_H
