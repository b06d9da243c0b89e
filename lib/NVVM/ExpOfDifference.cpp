//===- ExpOfDifference.cpp - exp(scale (x - y)) in f32 --------------------===//
//
// Where contraction is allowed, the difference is not rounded before it is
// multiplied: its error would be multiplied too. With L = scale log2(e), as the
// sum of two floats, and y L = E + g, E whole:
//
//   n = round(x L - y L),  f = (x L - (n + E)) - g,  result = 2^f 2^n
//
// where the parentheses are one multiply-add. 2^f is a polynomial: ex2.approx
// may be off by 2 units in the last place, in the weight and in the sum of all.
// 2^n is ex2.approx, which is exact there. What depends on y alone is the same
// for a whole row.
//
//===----------------------------------------------------------------------===//

#include "RegisterMath.h"
#include "smx/IR/ScaledDifference.h"

#include "smx/CPU/Exp2Polynomial.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::smx;

Value mlir::smx::expandExpOfDifference(RegisterMath &m, Value argument) {
  std::optional<ScaledDifference> match = matchScaledDifference(argument);
  if (!match)
    return {};
  auto [x, y, scale] = *match;
  constexpr double log2E = 0x1.71547652b82fep+0;
  double high = static_cast<float>(scale * log2E);
  Value factor = m.constant(high),
        correction = m.constant(scale * log2E - high);

  // Of the row. Where |y| is large, x - y is exact for every x whose
  // exponential is not 0 or inf (Sterbenz), and y is subtracted first.
  double far = 256 / scale;
  Value isFar =
      m.compare(arith::CmpFPredicate::OGE, math::AbsFOp::create(m.b, y), far);
  Value zero = m.constant(0.0);
  Value origin = m.select(isFar, y, zero), near = m.select(isFar, zero, y);
  Value exponent = m.mul(near, factor);
  Value whole = m.round(exponent);
  Value fraction =
      m.fma(near, correction, m.fma(near, factor, m.negate(whole)));

  // Of the element. Limited, so that an infinite argument gives no NaN.
  Value d = m.sub(x, origin);
  d = arith::MaximumFOp::create(m.b, d, m.constant(-2 * far));
  d = arith::MinimumFOp::create(m.b, d, m.constant(2 * far));
  Value n = m.round(m.fma(d, factor, m.negate(exponent)));
  Value f = m.add(m.fma(d, factor, m.negate(m.add(n, whole))),
                  m.fma(d, correction, m.negate(fraction)));
  // 2^128 is infinite, where 2^f 2^128 may not be.
  Value mantissa = m.polynomial(f, exp2Single);
  Value power = m.apply("llvm.nvvm.ex2.approx.f32", m.sub(n, m.constant(1.0)));
  return m.mul(m.add(mantissa, mantissa), power);
}
