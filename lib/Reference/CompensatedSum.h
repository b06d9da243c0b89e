//===- CompensatedSum.h - sums whose error does not grow -------*- C++ -*-===//
//
// Neumaier's sum and exact differences. A reference has to be better than what
// it judges: plain sums over a million terms lose what a 1e-14 tolerance needs.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_COMPENSATEDSUM_H
#define SMX_REFERENCE_COMPENSATEDSUM_H

#include <cmath>

namespace smx::reference {

/// Adds up with the rounding errors carried along; NaN and infinities as in a
/// plain sum.
class CompensatedSum {
public:
  void add(double x) {
    const double next = total + x;
    lost += std::abs(total) >= std::abs(x) ? (total - next) + x
                                           : (x - next) + total;
    total = next;
  }
  /// The correction is itself NaN once the total is infinite.
  double value() const { return std::isfinite(total) ? total + lost : total; }

private:
  double total = 0;
  double lost = 0;
};

/// exp(scale * (a - b)) with what the difference and the product round away put
/// back to first order: for a - b near -700 the plain form is wrong by 500 ulp.
inline double expOfScaledDifference(double scale, double a, double b) {
  const double d = a - b;
  const double s = scale * d;
  const double plain = std::exp(s);
  if (!std::isfinite(s))
    return plain;
  const double subtrahend = a - d;
  const double minuend = d + subtrahend;
  const double lostInDifference = (a - minuend) + (subtrahend - b);
  const double lostInProduct = scale == 1 ? 0 : std::fma(scale, d, -s);
  return plain + plain * (lostInProduct + scale * lostInDifference);
}

} // namespace smx::reference

#endif // SMX_REFERENCE_COMPENSATEDSUM_H
