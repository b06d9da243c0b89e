//===- ExpOfDifference.cpp - exp(scale (x - y)) in f32 --------------------===//
//
// Where contraction is allowed, the difference is not rounded before it is
// multiplied: its error would be multiplied too. With L = scale log2(e), as the
// sum of two floats, and y L = E + g, E whole:
//
//   n = round(x L - y L),  f = (x L - (n + E)) - g,  result = 2^f 2^n
//
// where the parentheses are one multiply-add. Added to a number so large that
// floats lie 1 apart, n is the last bits of the sum: of x L - E, where f may be
// up to 1. What depends on y alone is the same for a whole row.
//
//===----------------------------------------------------------------------===//

#include "RegisterMath.h"
#include "smx/IR/ScaledDifference.h"

#include "smx/CPU/Exp2Polynomial.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::smx;

namespace {
class ExpOfDifference {
public:
  ExpOfDifference(RegisterMath &m, const ScaledDifference &difference);

  /// To 1 ulp: 2^f is a polynomial, as ex2.approx may be off by 2, and 2^n is
  /// ex2.approx, which is exact there.
  Value precise();
  /// To 3 ulp: 2^f is ex2.approx, and 2^n the bits of n as an exponent. Where
  /// it would not be normal, f takes what is left: then ex2.approx gives 0 and
  /// infinity by itself.
  Value rough();

private:
  /// x L - (n + E) - g.
  Value fraction(Value n);

  RegisterMath &m;
  double low;
  Value factor, correction;
  /// Of the row: y L as it rounds, E and g, of what is not subtracted first.
  Value exponent, whole, rest;
  /// Of the element: x, less what is subtracted first; and where infinite
  /// arguments end.
  Value d, limit;
};
} // namespace

ExpOfDifference::ExpOfDifference(RegisterMath &m,
                                 const ScaledDifference &difference)
    : m(m) {
  auto [x, y, scale] = difference;
  // Towards 0, so that neither part gives an infinite x another sign.
  float high = static_cast<float>(scale * log2E);
  if (high > scale * log2E)
    high = std::nextafter(high, 0.0f);
  low = scale * log2E - high;
  factor = m.constant(high);
  correction = m.constant(low);

  // Where |y| is large, x - y is exact for every x whose exponential is not 0
  // or inf (Sterbenz), and y is subtracted first.
  double far = 256 / scale;
  Value isFar =
      m.compare(arith::CmpFPredicate::OGE, math::AbsFOp::create(m.b, y), far);
  Value zero = m.constant(0.0);
  Value origin = m.select(isFar, y, zero), near = m.select(isFar, zero, y);
  exponent = m.mul(near, factor);
  whole = m.round(exponent);
  rest = m.fma(near, correction, m.fma(near, factor, m.negate(whole)));
  d = m.sub(x, origin);
  limit = m.constant(2 * far);
}

Value ExpOfDifference::fraction(Value n) {
  Value left = m.negate(rest);
  if (low != 0)
    left = m.fma(d, correction, left);
  return m.add(m.fma(d, factor, m.negate(n)), left);
}

Value ExpOfDifference::precise() {
  // Limited, so that an infinite argument gives no NaN.
  d = arith::MaximumFOp::create(m.b, d, m.negate(limit));
  d = arith::MinimumFOp::create(m.b, d, limit);
  Value n = m.round(m.fma(d, factor, m.negate(exponent)));
  // 2^128 is infinite, where 2^f 2^128 may not be.
  Value mantissa = m.polynomial(fraction(m.add(n, whole)), exp2Single);
  Value power = m.apply("llvm.nvvm.ex2.approx.f32", m.sub(n, m.constant(1.0)));
  return m.mul(m.add(mantissa, mantissa), power);
}

Value ExpOfDifference::rough() {
  // The last 9 bits are the exponent of 1; normal powers are -126 to 127.
  constexpr double spacing = 0x1.8p23 + 127;
  Value start = m.sub(m.constant(spacing), whole);
  Value sum = m.fma(d, factor, start);
  sum = arith::MaxNumFOp::create(m.b, sum, m.constant(spacing - 126));
  sum = arith::MinNumFOp::create(m.b, sum, m.constant(spacing + 127));
  Value mantissa =
      m.apply("llvm.nvvm.ex2.approx.ftz.f32", fraction(m.sub(sum, start)));
  Value bits = arith::BitcastOp::create(m.b, m.integers(), sum);
  bits = arith::ShLIOp::create(m.b, bits, m.integer(23));
  return m.mul(mantissa, arith::BitcastOp::create(m.b, m.type, bits));
}

/// By one product, off by what it, its factor and the difference round: 2^-22.4
/// of the argument. A difference that overflows gives 0 before a small scale.
static Value byProduct(RegisterMath &m, const ScaledDifference &difference) {
  Value d = m.sub(difference.x, difference.y);
  Value power = m.mul(d, m.constant(difference.scale * log2E));
  return m.apply("llvm.nvvm.ex2.approx.ftz.f32", power);
}

Value mlir::smx::expandExpOfDifference(RegisterMath &m, Value argument,
                                       int64_t bits) {
  std::optional<ScaledDifference> match = matchScaledDifference(argument);
  if (!match)
    return {};
  if (bits <= bitsOfProduct)
    return byProduct(m, *match);
  ExpOfDifference exponential(m, *match);
  return bits <= bitsOfRough ? exponential.rough() : exponential.precise();
}
