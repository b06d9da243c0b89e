//===- IntegerDivision.h - division that is always defined ------*- C++ -*-===//
//
// What has no result, by 0 or beyond int64, is 0.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_EVALUATOR_INTEGERDIVISION_H
#define SMX_LIB_EVALUATOR_INTEGERDIVISION_H

#include <cstdint>

namespace mlir::smx {

/// Towards zero.
inline int64_t quotientOf(int64_t a, int64_t b) {
  return b == 0 || (b == -1 && a == INT64_MIN) ? 0 : a / b;
}
/// With the sign of `a`.
inline int64_t remainderOf(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
inline int64_t floorDivide(int64_t a, int64_t b) {
  return quotientOf(a, b) - (remainderOf(a, b) != 0 && (a < 0) != (b < 0));
}
inline int64_t ceilDivide(int64_t a, int64_t b) {
  return quotientOf(a, b) + (remainderOf(a, b) != 0 && (a < 0) == (b < 0));
}

} // namespace mlir::smx

#endif // SMX_LIB_EVALUATOR_INTEGERDIVISION_H
