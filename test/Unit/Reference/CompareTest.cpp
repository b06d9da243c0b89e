//===- CompareTest.cpp - the comparison itself ----------------------------===//
#include "SpecialNumbers.h"

#include "smx/Reference/Compare.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace smx::reference;
using namespace smx::test;

static const DType floats[] = {DType::F64, DType::F32, DType::F16, DType::BF16};
static const OpFamily families[] = {OpFamily::Softmax, OpFamily::LogSumExp,
                                    OpFamily::WeightedSum, OpFamily::Norm};

static Report compareOne(double out, double reference, DType dtype,
                         OpFamily family = OpFamily::Softmax,
                         Mode mode = Mode::Precise) {
  Comparison how;
  how.dtype = dtype;
  how.family = family;
  how.mode = mode;
  return compare(Tensor({1}, out), Tensor({1}, reference), nullptr, how);
}

TEST(Compare, TruthTableOfClasses) {
  const double classes[] = {0.25, nan_, inf, -inf};
  for (DType dtype : floats)
    for (OpFamily family : families)
      for (Mode mode : {Mode::Precise, Mode::Fast})
        for (int out = 0; out < 4; ++out)
          for (int reference = 0; reference < 4; ++reference) {
            const Report report = compareOne(classes[out], classes[reference],
                                             dtype, family, mode);
            EXPECT_EQ(report.pass, out == reference)
                << classes[out] << " for " << classes[reference] << ": "
                << report.text;
          }
}

TEST(Compare, NaNInTheNaiveResultExcusesNothing) {
  Comparison how;
  how.dtype = DType::F16;
  how.family = OpFamily::WeightedSum;
  const Tensor reference({2}, {1, 2});
  const Tensor wrong({2}, {1, 3});
  const Tensor nanNaive({2}, {1, nan_}), infNaive({2}, {1, inf});
  EXPECT_FALSE(compare(wrong, reference, &nanNaive, how).pass);
  EXPECT_FALSE(compare(wrong, reference, &infNaive, how).pass);
}

TEST(Compare, AReferenceBeyondTheDTypeIsInfinity) {
  EXPECT_TRUE(sameClass(inf, 70000, DType::F16));
  EXPECT_FALSE(sameClass(65504, 70000, DType::F16));
  EXPECT_FALSE(sameClass(-inf, 70000, DType::F16));
  EXPECT_TRUE(sameClass(70000, 70000, DType::BF16));
  EXPECT_FALSE(sameClass(inf, 65504, DType::F16));
}

TEST(Compare, F32SoftmaxIsFourUlp) {
  const double r = 0.3, ulp = ulpAt(DType::F32, r);
  EXPECT_TRUE(compareOne(r + 3.99 * ulp, r, DType::F32).pass);
  EXPECT_FALSE(compareOne(r + 4.01 * ulp, r, DType::F32).pass);
  EXPECT_TRUE(
      compareOne(r + 31 * ulp, r, DType::F32, OpFamily::Softmax, Mode::Fast)
          .pass);
  EXPECT_FALSE(
      compareOne(r + 33 * ulp, r, DType::F32, OpFamily::Softmax, Mode::Fast)
          .pass);
  // Down to 2^-100.
  const double small = std::ldexp(1.5, -100);
  EXPECT_FALSE(
      compareOne(small + 5 * ulpAt(DType::F32, small), small, DType::F32).pass);
}

TEST(Compare, ToleranceGrowsWithTheLogarithmOfTheRow) {
  auto ulps = [](int64_t n) {
    return toleranceFor(DType::F32, OpFamily::Softmax, Mode::Precise, n).ulps;
  };
  EXPECT_EQ(ulps(1), 4);
  EXPECT_EQ(ulps(4096), 4);
  EXPECT_EQ(ulps(int64_t(1) << 24), 8);
}

TEST(Compare, F64SoftmaxIs1e14) {
  EXPECT_TRUE(compareOne(0.5 * (1 + 0.8e-14), 0.5, DType::F64).pass);
  EXPECT_FALSE(compareOne(0.75 * (1 + 2e-14), 0.75, DType::F64).pass);
  // Wherever it is between powers of two.
  EXPECT_TRUE(compareOne(0.99 * (1 + 0.9e-14), 0.99, DType::F64).pass);
  EXPECT_FALSE(compareOne(0.99 * (1 + 1.1e-14), 0.99, DType::F64).pass);
  EXPECT_FALSE(compareOne(0.51 * (1 + 1.1e-14), 0.51, DType::F64).pass);
  EXPECT_TRUE(
      compareOne(1 + 0.9e-13, 1, DType::F64, OpFamily::WeightedSum).pass);
  EXPECT_FALSE(
      compareOne(1 + 1.1e-13, 1, DType::F64, OpFamily::WeightedSum).pass);
}

// A log-sum-exp in f32 on the way to a result in f64.
TEST(Compare, F64HasTwiceTheNaiveError) {
  Comparison how;
  how.dtype = DType::F64;
  const double r = 0.75;
  const Tensor reference({1}, r), naive({1}, r + 1e-8);
  for (OpFamily family :
       {OpFamily::LogSumExp, OpFamily::WeightedSum, OpFamily::Norm}) {
    how.family = family;
    EXPECT_TRUE(compare(Tensor({1}, r + 1.9e-8), reference, &naive, how).pass);
    EXPECT_FALSE(compare(Tensor({1}, r + 2.1e-8), reference, &naive, how).pass);
    EXPECT_FALSE(
        compare(Tensor({1}, r + 1.9e-8), reference, &reference, how).pass);
  }
}

TEST(Compare, DenormalsMayVanishOnlyInFastMode) {
  const double denormal = std::ldexp(1, -130);
  EXPECT_FALSE(compareOne(0, denormal, DType::F32).pass);
  EXPECT_TRUE(
      compareOne(0, denormal, DType::F32, OpFamily::Softmax, Mode::Fast).pass);
  EXPECT_FALSE(compareOne(0, std::ldexp(1, -110), DType::F32, OpFamily::Softmax,
                          Mode::Fast)
                   .pass);
}

TEST(Compare, LowPrecisionRule) {
  // Naive is wrong by 0.01 at most; twice that and one ulp at 1 (2^-10 in f16)
  // are granted.
  const Tensor reference({2}, {1, 0.5}), naive({2}, {1.01, 0.5});
  Comparison how;
  how.dtype = DType::F16;
  how.family = OpFamily::WeightedSum;
  const double limit = 2 * 0.01 + std::ldexp(1, -10);
  auto passes = [&](double error) {
    return compare(Tensor({2}, {1, 0.5 + error}), reference, &naive, how).pass;
  };
  EXPECT_TRUE(passes(limit - 1e-6));
  EXPECT_FALSE(passes(limit + 1e-6));
  EXPECT_FALSE(
      compare(Tensor({2}, {1, 0.5 + 0.01}), reference, nullptr, how).pass);
}

TEST(Compare, LowPrecisionSoftmaxIsJudgedRowByRow) {
  // A row of small probabilities, all wrong, beside a row whose rounding error
  // is larger.
  const Tensor reference({2, 2}, {0.998, 0.002, 1e-4, 2e-4});
  const Tensor naive = reference.roundedTo(DType::BF16);
  Tensor out = naive;
  Comparison how;
  how.dtype = DType::BF16;
  EXPECT_TRUE(compare(out, reference, &naive, how).pass);
  out[2] = 0;
  EXPECT_FALSE(compare(out, reference, &naive, how).pass);
}

TEST(Compare, ReportsTheFirstWrongElement) {
  const Tensor reference({2, 3}, {1, 1, 1, 1, 1, 1});
  const Tensor out({2, 3}, {1, 1, 1, 1, 1.5, nan_});
  Comparison how;
  how.family = OpFamily::Norm;
  const Report report = compare(out, reference, nullptr, how);
  EXPECT_FALSE(report.pass);
  EXPECT_EQ(report.firstWrong, Shape({1, 1}));
  EXPECT_EQ(report.wrongElements, 2);
  EXPECT_EQ(report.outThere, 1.5);
  EXPECT_EQ(report.referenceThere, 1);
  EXPECT_EQ(report.worstAbsolute, 0.5);
  EXPECT_EQ(report.worstRelative, 0.5);
  EXPECT_EQ(report.worstUlps, 0.5 * (1 << 23));
  EXPECT_EQ(report.text, "fail: worst error 0.5 absolute, 0.5 relative, "
                         "4.19e+06 ulp; 2 of 6 elements "
                         "wrong, first [1, 1] is 1.5, expected 1 within 1e-06");
}

TEST(Compare, ShapesMustMatch) {
  const Report report =
      compareWithin(Tensor({2, 3}), Tensor({3, 2}), nullptr, {DType::F32}, {});
  EXPECT_FALSE(report.pass);
  EXPECT_EQ(report.text, "fail: expected shape 3x2, got 2x3");
}

TEST(Compare, NothingToCompareIsRight) {
  EXPECT_TRUE(
      compareWithin(Tensor({0, 3}), Tensor({0, 3}), nullptr, {DType::F32}, {})
          .pass);
  EXPECT_TRUE(
      compareWithin(Tensor(), Tensor(), nullptr, {DType::F32}, {}).pass);
}

/// A result is as exact as the narrowest type on its way, and infinite by its
/// own.
TEST(Compare, OverflowIsThatOfTheResult) {
  const Tensor large({1}, {1e6});
  const Tensor infinite({1}, {std::numeric_limits<double>::infinity()});
  Comparison how;
  how.family = OpFamily::WeightedSum;
  how.dtype = DType::F16;
  how.stored = DType::F32;
  EXPECT_TRUE(compare(large, large, &large, how).pass);
  EXPECT_FALSE(compare(infinite, large, &large, how).pass);
  how.dtype = DType::BF16;
  how.stored = DType::F16;
  EXPECT_TRUE(compare(infinite, large, &large, how).pass);
  EXPECT_FALSE(compare(large, large, &large, how).pass);
}

/// The share that scores of one's own cost is that of the naive result, and
/// nobody else's.
TEST(Compare, ScoresThatAreSumsAreMeasuredByTheNaiveResult) {
  const Tensor reference({2}, {0.5, 0x1p-10});
  const Tensor naive({2}, {0.5 * (1 + 0x1p-20), 0x1p-10});
  const Tensor within({2}, {0.5, 0x1p-10 * (1 + 0x1.8p-20)});
  const Tensor beyond({2}, {0.5, 0x1p-10 * (1 + 0x1.8p-19)});
  Comparison how;
  how.dtype = DType::F32;
  EXPECT_FALSE(compare(within, reference, &naive, how).pass);
  how.areScoresComputed = true;
  EXPECT_TRUE(compare(within, reference, &naive, how).pass);
  EXPECT_FALSE(compare(beyond, reference, &naive, how).pass);
  EXPECT_FALSE(compare(within, reference, nullptr, how).pass);
  // What is below the floor excuses nothing above it.
  const Tensor low({2}, {0.5, 0x1p-120}), offLow({2}, {0.5, 0x1p-119});
  const Tensor off({2}, {0.5 * (1 + 0x1p-18), 0x1p-120});
  EXPECT_FALSE(compare(off, low, &offLow, how).pass);
}

/// Terms of which fewer bits are known make scores, and what is weighted by
/// them, less known in proportion.
TEST(Compare, ScoresOfFewerBitsAreLessKnown) {
  Comparison how;
  how.family = OpFamily::WeightedSum;
  const double none = toleranceFor(how).ofLargest;
  how.largestScore = 100;
  const double whole = toleranceFor(how).ofLargest - none;
  EXPECT_NEAR(whole, 4 * 100 * 0x1p-24, 1e-12);
  how.scoreBits = 21;
  EXPECT_NEAR(toleranceFor(how).ofLargest - none, 8 * whole, 1e-12);
}

/// The naive result of products of fewer bits would be off by as much more.
TEST(Compare, ProductsOfFewerBitsAreLessKnown) {
  Comparison how;
  how.areScoresComputed = true;
  how.productBits = 21;
  EXPECT_EQ(toleranceFor(how).ulpsOfNaive, 16);
  how.family = OpFamily::WeightedSum;
  EXPECT_EQ(toleranceFor(how).ofNaive, 16);
  how.dtype = DType::BF16;
  EXPECT_EQ(toleranceFor(how).ofNaive, 2);
}

/// A weight by such a score is off by its share; in f64, where no naive result
/// shows how much.
TEST(Compare, WeightsOfLargeScoresAreLessKnown) {
  const Tensor reference({2}, {0.5, 0x1p-50});
  const Tensor off({2}, {0.5 * (1 + 100 * 0x1p-52), 0x1p-50});
  Comparison how;
  how.dtype = DType::F64;
  how.areScoresComputed = true;
  EXPECT_FALSE(compare(off, reference, &reference, how).pass);
  how.largestScore = 20;
  EXPECT_TRUE(compare(off, reference, &reference, how).pass);
  EXPECT_EQ(toleranceFor(how).ofLargest, 0);
}

/// A mean that is off is as far off in each element of its row.
TEST(Compare, MeansAreKnownAsTheirTypeHasThem) {
  Comparison how;
  how.family = OpFamily::Norm;
  EXPECT_EQ(toleranceFor(how).absolute, 0);
  how.ofMeans = 60 * 0x1p-24;
  EXPECT_EQ(toleranceFor(how).absolute, 60 * 0x1p-24);
  const Tensor reference({2}, {1, -1});
  const double limit = 1e-6 + 60 * 0x1p-24;
  EXPECT_TRUE(
      compare(Tensor({2}, {1 + 0.99 * limit, -1}), reference, nullptr, how)
          .pass);
  EXPECT_FALSE(
      compare(Tensor({2}, {1 + 1.01 * limit, -1}), reference, nullptr, how)
          .pass);
}
