//===- LossContractTest.cpp - what a loss is where a row is special -------===//

#include "EveryForm.h"
#include "SpecialNumbers.h"
#include "smx/Reference/CrossEntropy.h"

#include <cmath>

using namespace smx;
using namespace smx::test;

static NumericCase lossCase(const Tensor &x) {
  NumericCase c = rowCase(Op::CrossEntropy, x);
  c.isLossWide = false;
  return c;
}

TEST(LossContract, TargetsOutOfRangeAreNaN) {
  Tensor x({5, 40});
  const Tensor targets({5}, {0, 40, -1, 1e9, 39});
  for (double smoothing : {0.0, 0.25})
    for (bool isDynamic : {false, true}) {
      NumericCase c = lossCase(x);
      c.smoothing = smoothing;
      c.isDynamic = isDynamic;
      inEveryForm(c, {x, targets}, {{5}, {5}},
                  [](const std::vector<Tensor> &y) {
                    for (int64_t r = 0; r < 5; ++r) {
                      EXPECT_EQ(std::isnan(y[0][r]), r > 0 && r < 4) << r;
                      EXPECT_NEAR(y[1][r], std::log(40.0), 1e-3);
                    }
                    EXPECT_NEAR(y[0][0], std::log(40.0), 0.02);
                  });
    }
}

TEST(LossContract, IgnoredRowsAreZeroWhateverIsInThem) {
  Tensor x({4, 40});
  x[3] = nan_;
  x[40] = inf;
  for (int64_t j = 80; j < 120; ++j)
    x[j] = -inf;
  NumericCase c = lossCase(x);
  c.ignored = -100;
  c.smoothing = 0.1;
  inEveryForm(c, {x, Tensor({4}, {-100, -100, -100, 2})}, {{4}, {4}},
              [](const std::vector<Tensor> &y) {
                for (int64_t r = 0; r < 3; ++r)
                  EXPECT_EQ(y[0][r], 0.0) << r;
                EXPECT_NEAR(y[0][3], std::log(40.0), 0.02);
                EXPECT_TRUE(std::isnan(y[1][0]));
                EXPECT_EQ(y[1][1], inf);
                EXPECT_EQ(y[1][2], -inf);
              });
}

TEST(LossContract, SpecialRows) {
  // NaN and +inf beside the target, -inf at it, and nothing but -inf.
  Tensor x({4, 40});
  x[3] = nan_;
  x[43] = inf;
  x[80] = -inf;
  for (int64_t j = 120; j < 160; ++j)
    x[j] = -inf;
  inEveryForm(lossCase(x), {x, Tensor({4})}, {{4}, {4}},
              [](const std::vector<Tensor> &y) {
                EXPECT_TRUE(std::isnan(y[0][0]));
                EXPECT_TRUE(std::isnan(y[0][1]));
                EXPECT_EQ(y[0][2], inf);
                EXPECT_TRUE(std::isnan(y[0][3]));
              });
}

TEST(LossContract, LargeScoresDoNotCancel) {
  // log 40, however large the scores are: a difference of a log-sum-exp near
  // 49152 and a score would be 2e-3 off in f32.
  Tensor x({1, 40}, 49152.0);
  inEveryForm(lossCase(x), {x, Tensor({1}, 39)}, {{1}, {1}},
              [](const std::vector<Tensor> &y) {
                double error = inf;
                for (DType type : types)
                  error = std::min(
                      error, std::abs(y[0][0] - reference::roundTo(
                                                    type, std::log(40.0))));
                EXPECT_LT(error, 1e-6) << y[0][0];
              });
}

/// All of a row moved by an offset, which f32 holds beside the steps.
TEST(LossContract, SmoothedLossesAreThoseOfRowsBelowTheirMaximum) {
  constexpr int64_t columns = 100;
  const std::pair<double, double> rows[] = {{0, 1.0 / 16},
                                            {8192, 1.0 / 256},
                                            {-1e4, 1.0 / 256},
                                            {3221225472.0, 256},
                                            {-3221225472.0, 256}};
  constexpr int64_t count = std::size(rows);
  Tensor x({count, columns}), targets({count});
  for (int64_t r = 0; r < count; ++r) {
    targets[r] = 7 * r;
    // Larger ones come later: maxima move from tile to tile.
    for (int64_t j = 0; j < columns; ++j)
      x.at({r, j}) = rows[r].first + rows[r].second * double(j * 7 % 13 + j);
  }
  NumericCase c = lossCase(x);
  c.smoothing = 0.1;
  for (double scale : {1.0, 0.5}) {
    c.scale = scale;
    reference::CrossEntropyOptions options;
    options.axis = 1;
    options.scale = scale;
    options.smoothing = 0.1;
    const Tensor exact = reference::crossEntropy(x, targets, options);
    inEveryForm(c, {x, targets}, {{count}, {count}},
                [&](const std::vector<Tensor> &y) {
                  for (int64_t r = 0; r < count; ++r)
                    EXPECT_NEAR(y[0][r], exact[r], 1e-6 * exact[r]) << r;
                },
                {DType::F64, DType::F32});
  }
}

TEST(LossContract, SmoothedLossesOfTheLargestScores) {
  // Three quarters of a row are lower by nearly twice the largest number; the
  // rest of it is hidden in the last row.
  constexpr int64_t columns = 40;
  Tensor x({3, columns});
  for (int64_t j = 0; j < columns; ++j) {
    x.at({0, j}) = j < 30 ? -3e38 : 3e38;
    x.at({1, j}) = j < 10 ? 3e38 : -3e38;
    x.at({2, j}) = j < 30 ? -inf : 5;
  }
  NumericCase c = lossCase(x);
  c.smoothing = 0.1;
  inEveryForm(c, {x, Tensor({3}, {39, 0, 39})}, {{3}, {3}},
              [&](const std::vector<Tensor> &y) {
                EXPECT_NEAR(y[0][0], 4.5e37, 1e32);
                EXPECT_NEAR(y[0][1], 4.5e37, 1e32);
                EXPECT_EQ(y[0][2], inf);
              },
              {DType::F64, DType::F32});
}

TEST(LossContract, NoRowsAndNoPlaces) {
  for (bool isDynamic : {false, true}) {
    Tensor none({0, 40}), empty({3, 0});
    NumericCase c = lossCase(none);
    c.isDynamic = isDynamic;
    inEveryForm(c, {none, Tensor({0})}, {{0}, {0}},
                [](const std::vector<Tensor> &) {});
    c = lossCase(empty);
    c.isDynamic = isDynamic;
    c.ignored = 1;
    inEveryForm(c, {empty, Tensor({3}, {0, 1, 0})}, {{3}, {3}},
                [](const std::vector<Tensor> &y) {
                  EXPECT_TRUE(std::isnan(y[0][0]));
                  EXPECT_EQ(y[0][1], 0.0);
                  EXPECT_TRUE(std::isnan(y[0][2]));
                  EXPECT_EQ(y[1][0], -inf);
                });
  }
}

TEST(LossContract, GradientsOfIgnoredRowsAreZero) {
  Tensor x({3, 40});
  x[5] = nan_;
  NumericCase c = lossCase(x);
  c.op = Op::CrossEntropyBackward;
  c.ignored = 7;
  const Tensor lse({3}, std::log(40.0)), gradient({3}, {nan_, 1, 1});
  inEveryForm(c, {x, Tensor({3}, {7, 40, 39}), lse, gradient}, {{3, 40}},
              [](const std::vector<Tensor> &y) {
                for (int64_t j = 0; j < 40; ++j) {
                  EXPECT_EQ(y[0][j], 0.0);
                  EXPECT_TRUE(std::isnan(y[0][40 + j]));
                  EXPECT_NEAR(y[0][80 + j], 1.0 / 40 - (j == 39), 5e-3);
                }
              });
}

TEST(TopKContract, TiesZerosAndSpecialRows) {
  Tensor x({5, 40});
  // Ties across tiles, and -0 beside 0: the lowest place first.
  x[3] = x[20] = x[39] = 2;
  x[5] = -0.0;
  // -inf for all but two places, NaN, +inf, and nothing but -inf.
  for (int64_t j = 0; j < 40; ++j) {
    x[40 + j] = j == 7 || j == 30 ? -5.0 : -inf;
    x[160 + j] = -inf;
  }
  x[80 + 33] = nan_;
  x[120 + 33] = inf;
  NumericCase c = rowCase(Op::TopK, x);
  c.k = 5;
  c.isLossWide = false;
  const std::vector<double> places[] = {{3, 20, 39, 0, 1},
                                        {7, 30, 0, 1, 2},
                                        {0, 1, 2, 3, 4},
                                        {0, 1, 2, 3, 4},
                                        {0, 1, 2, 3, 4}};
  inEveryForm(
      c, {x}, {{5, 5}, {5, 5}},
      [&](const std::vector<Tensor> &out) {
        for (int64_t r = 0; r < 5; ++r)
          for (int64_t i = 0; i < 5; ++i) {
            EXPECT_EQ(out[1].at({r, i}), places[r][i]) << r << ", " << i;
            EXPECT_EQ(std::isnan(out[0].at({r, i})), r >= 2) << r << ", " << i;
          }
        EXPECT_EQ(out[0].at({1, 0}), 0.5);
        EXPECT_EQ(out[0].at({1, 2}), 0.0);
      },
      {DType::F32, DType::F16, DType::BF16}, DType::I64);
}

TEST(TopKContract, MoreEqualScoresThanThereAreCandidates) {
  constexpr int64_t columns = 4096;
  Tensor x({2, columns});
  for (int64_t j = 0; j < columns; ++j) {
    x[j] = 1;
    x[columns + j] = j % 4;
  }
  NumericCase c = rowCase(Op::TopK, x);
  c.k = 5;
  c.isLossWide = false;
  inEveryForm(
      c, {x}, {{2, 5}, {2, 5}},
      [&](const std::vector<Tensor> &out) {
        for (int64_t i = 0; i < 5; ++i) {
          EXPECT_EQ(out[1].at({0, i}), i);
          EXPECT_EQ(out[1].at({1, i}), 4 * i + 3);
          EXPECT_NEAR(out[0].at({0, i}), 1.0 / columns, 1e-3 / columns);
        }
      },
      {DType::F32, DType::F16, DType::BF16}, DType::I64);
}

TEST(TopKContract, RowsThatEndWithinATile) {
  // Two tiles of 8192 of 16 bits and a rest; of equal ones, and some in each.
  constexpr int64_t columns = 17000, tile = 8192;
  constexpr int64_t inAll[] = {columns - 1, 2 * tile, 2 * tile - 1, 0, tile};
  Tensor x({2, columns}, 0);
  for (int64_t i = 0; i < 5; ++i)
    x.at({1, inAll[i]}) = double(5 - i);
  NumericCase c = rowCase(Op::TopK, x);
  c.k = 5;
  c.isLossWide = false;
  // Half a unit of bf16.
  constexpr double equal = 1.0 / columns, tolerance = equal / 256;
  inEveryForm(
      c, {x}, {{2, 5}, {2, 5}},
      [&](const std::vector<Tensor> &out) {
        for (int64_t i = 0; i < 5; ++i) {
          EXPECT_EQ(out[1].at({0, i}), i);
          EXPECT_EQ(out[1].at({1, i}), inAll[i]);
          EXPECT_NEAR(out[0].at({0, i}), equal, tolerance);
        }
      },
      {DType::F32, DType::F16, DType::BF16}, DType::I64);
}
