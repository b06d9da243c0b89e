//===- Numbers.h - integers that arithmetic goes wrong at -------*- C++ -*-===//
#ifndef SMX_TEST_UNIT_BUNDLE_NUMBERS_H
#define SMX_TEST_UNIT_BUNDLE_NUMBERS_H

#include <cstdint>

inline constexpr int64_t interestingNumbers[] = {0,
                                                 1,
                                                 2,
                                                 3,
                                                 7,
                                                 8,
                                                 63,
                                                 64,
                                                 65,
                                                 127,
                                                 128,
                                                 255,
                                                 256,
                                                 -1,
                                                 -2,
                                                 -7,
                                                 -8,
                                                 -128,
                                                 -129,
                                                 INT32_MAX,
                                                 int64_t(INT32_MAX) + 1,
                                                 -64,
                                                 100,
                                                 INT64_MAX,
                                                 INT64_MIN,
                                                 INT64_MIN + 1};

#endif // SMX_TEST_UNIT_BUNDLE_NUMBERS_H
