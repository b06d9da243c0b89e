//===- NaiveTest.cpp - the yardsticks of low precision --------------------===//
#include "smx/Reference/Naive.h"
#include "smx/Reference/Compare.h"
#include "smx/Reference/Generators.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace smx::reference;

static double worstError(const Tensor &a, const Tensor &b) {
  return compareWithin(a, b, nullptr, {DType::F64}, {}).worstAbsolute;
}

TEST(Naive, SoftmaxIsRoundedOnce) {
  for (DType dtype : {DType::F16, DType::BF16}) {
    const Tensor x = *generate("normal", {8, 1000}, {dtype, 1});
    const Tensor reference = softmax(x), naive = naiveSoftmax(x, dtype);
    for (int64_t n = 0; n < x.size(); ++n) {
      ASSERT_EQ(naive[n], roundTo(dtype, naive[n]));
      ASSERT_NEAR(naive[n], reference[n], 0.501 * ulpAt(dtype, reference[n]));
    }
  }
}

TEST(Naive, F32SoftmaxWithinFastTolerance) {
  const Tensor x = *generate("normal", {8, 4096}, {DType::F32, 1});
  Comparison how;
  how.mode = Mode::Fast;
  const Report report =
      compare(naiveSoftmax(x, DType::F32), softmax(x), nullptr, how);
  EXPECT_TRUE(report.pass) << report.text;
  // The difference of the scores is rounded, which alone may cost more than the
  // 4 ulp of precise mode for results below e^-8.
  EXPECT_LT(report.worstUlps, 16);
}

TEST(Naive, SoftmaxKeepsTheContract) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x({3, 2}, {-inf, -inf, 0, std::nan(""), 60000, -60000});
  SoftmaxOptions zero;
  zero.maskedRow = MaskedRow::Zero;
  const Tensor y = naiveSoftmax(x, DType::F16, zero);
  EXPECT_EQ(y[0], 0);
  EXPECT_TRUE(std::isnan(y[2]) && std::isnan(y[3]));
  EXPECT_EQ(y[4], 1);
  EXPECT_EQ(y[5], 0);
  EXPECT_TRUE(std::isnan(naiveSoftmax(x, DType::F16)[0]));
}

TEST(Naive, AttentionIsAsWrongAsItsPrecision) {
  AttentionOptions options;
  options.scale = 0.125;
  options.band = Band::causal(BandAnchor::TopLeft);
  for (DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    auto input = [&](uint64_t seed) {
      return *generate("normal", {1, 2, 100, 64}, {dtype, seed});
    };
    const Tensor q = input(1), k = input(2), v = input(3);
    const double error = worstError(naiveAttention(q, k, v, dtype, options).out,
                                    attention(q, k, v, options).out);
    // Values of size 3 or so, the score and the probability each rounded.
    const double ulp = ulpAt(dtype, 1.0);
    EXPECT_GT(error, 0.1 * ulp) << nameOf(dtype);
    EXPECT_LT(error, 8 * ulp) << nameOf(dtype);
  }
}

TEST(Naive, AttentionPassesItsOwnTolerance) {
  for (const char *name :
       {"normal", "staircase", "falling", "spike_last", "all_equal", "ramp"})
    for (DType dtype : {DType::F32, DType::F16, DType::BF16}) {
      auto input = [&](const char *generator, uint64_t seed) {
        return *generate(generator, {1, 2, 48, 16}, {dtype, seed, 16, -2});
      };
      const Tensor q = input("normal", 1), k = input(name, 2),
                   v = input("normal", 3);
      AttentionOptions options;
      options.scale = 0.25;
      Comparison how;
      how.dtype = dtype;
      how.family = OpFamily::WeightedSum;
      const Tensor naive = naiveAttention(q, k, v, dtype, options).out;
      const Report report =
          compare(naive, attention(q, k, v, options).out, &naive, how);
      EXPECT_TRUE(report.pass)
          << name << " " << nameOf(dtype) << " " << report.text;
    }
}

TEST(Naive, SoftmaxDotSkipsMaskedValues) {
  const Tensor x({1, 3}, {0, 0, 0}), v({1, 3}, {1, std::nan(""), 3}),
      mask({1, 3}, {1, 0, 1});
  SoftmaxOptions options;
  options.mask = &mask;
  EXPECT_EQ(naiveSoftmaxDot(x, v, DType::BF16, options)[0], 2);
}
