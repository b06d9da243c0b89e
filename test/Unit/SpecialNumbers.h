//===- SpecialNumbers.h - what arithmetic has no number for ----*- C++ -*-===//
#ifndef SMX_TEST_SPECIALNUMBERS_H
#define SMX_TEST_SPECIALNUMBERS_H

#include <limits>

namespace smx::test {

inline constexpr double inf = std::numeric_limits<double>::infinity();
/// std::nan is a function.
inline constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

} // namespace smx::test

#endif // SMX_TEST_SPECIALNUMBERS_H
