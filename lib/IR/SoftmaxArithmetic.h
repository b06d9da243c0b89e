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
  /// What a score is multiplied by to be comparable with the running maximum.
  double factor() const {
    return algebra.getScaleValue() * (isBase2() ? llvm::numbers::log2e : 1.0);
  }
  Value scaled(ScalarMath m, Value s) const {
    return factor() == 1.0 ? s : m.mul(s, m.constant(factor(), type));
  }
  Value exp(ScalarMath m, Value x) const {
    return isBase2() ? m.exp2(x) : m.exp(x);
  }
  /// exp(factor*s - reference): in base 2 one fma and one exp2.
  Value weight(ScalarMath m, Value s, Value reference) const {
    if (!isBase2())
      return m.exp(m.sub(scaled(m, s), reference));
    return m.exp2(m.fma(s, m.constant(factor(), type), m.neg(reference)));
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
