//===- PowerOfTwo.h - splitting off and applying powers of two --*- C++ -*-===//
#ifndef SMX_LIB_CPU_POWEROFTWO_H
#define SMX_LIB_CPU_POWEROFTWO_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::smx {

/// What an expansion does with results below the normal range.
enum class Subnormals { Keep, Flush };

/// Floating-point arithmetic on one type (f32 or f64, or a vector of either) at
/// the builder's insertion point.
class FloatMath {
public:
  /// `avx512`: VSCALEF may be used where the type fits a register.
  FloatMath(ImplicitLocOpBuilder &b, Type type, bool avx512);

  Value constant(double value);
  Value integer(int64_t value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value fma(Value x, Value y, Value z);
  Value neg(Value x);
  /// The polynomial with `coefficients`, lowest power first, by Horner's rule.
  Value polynomial(Value x, ArrayRef<double> coefficients);
  /// x limited to [low, high]; NaN stays NaN.
  Value clamp(Value x, double low, double high);

  /// x rounded to an integer. Without VSCALEF |x| must be below 2^21 (f32) or
  /// 2^50 (f64).
  Value roundToInteger(Value x);
  /// p * 2^n, for p in (1/2, 2) and n from roundToInteger. Without VSCALEF the
  /// exponent of the result must be in range, or, with `Keep`, at most twice
  /// out of range.
  Value scale(Value p, Value n, Subnormals subnormals);

  bool isDouble() const;
  /// scale() takes any n and any finite or NaN p: VSCALEF turns n = +-inf into
  /// +inf and 0 even for a NaN p.
  bool scalesAnything() const { return !scalef.empty(); }

  ImplicitLocOpBuilder &b;
  Type type;

private:
  Value exponentBits(Value n);
  Value bitcast(Value x, Type to);

  Type intType;
  /// 1.5 * 2^(mantissa bits): adding it leaves an integer in the low bits.
  double magic;
  int64_t mantissaBits;
  std::string scalef;
};

} // namespace mlir::smx

#endif // SMX_LIB_CPU_POWEROFTWO_H
