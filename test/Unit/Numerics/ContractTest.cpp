//===- ContractTest.cpp - the numerics contract, row by row ---------------===//
//
// Each row of the contract is tested in every floating-point type, in one tile,
// in many tiles and split. What is expected is written here, not taken from the
// reference.
//
//===----------------------------------------------------------------------===//

#include "EveryForm.h"
#include "SpecialNumbers.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace smx;
using namespace smx::test;

namespace {
/// [1, 1, 4, 8] queries, 40 keys: small whole numbers, exact in every type.
struct SmallAttention {
  NumericCase c;
  std::vector<Tensor> inputs;
  std::vector<Shape> outputs{{1, 1, 4, 8}, {1, 1, 4}};
  explicit SmallAttention(int64_t keys = 40) {
    c.op = Op::Attention;
    c.queries = 4;
    c.keys = keys;
    c.headDim = c.valueDim = 8;
    c.scale = 0.125;
    Tensor q({1, 1, 4, 8}), k({1, 1, keys, 8}), v({1, 1, keys, 8});
    for (int64_t i = 0; i < q.size(); ++i)
      q[i] = i % 5 - 2;
    for (int64_t i = 0; i < k.size(); ++i) {
      k[i] = i % 7 - 3;
      v[i] = i % 3 - 1;
    }
    inputs = {q, k, v};
  }
};
} // namespace

TEST(Contract, RowOfMinusInfinityIsNaN) {
  Tensor x({2, 40});
  for (int64_t j = 0; j < 40; ++j)
    x[j] = -inf;
  inEveryForm(rowCase(Op::Softmax, x), {x}, {{2, 40}},
              [](const std::vector<Tensor> &y) {
                for (int64_t j = 0; j < 40; ++j) {
                  EXPECT_TRUE(std::isnan(y[0][j]));
                  EXPECT_NEAR(y[0][40 + j], 1.0 / 40, 2e-4);
                }
              });
}

TEST(Contract, RowOfMinusInfinityIsZeroOnRequest) {
  Tensor x({1, 40}, -inf);
  NumericCase c = rowCase(Op::Softmax, x);
  c.zeroForMaskedRow = true;
  inEveryForm(c, {x}, {{1, 40}}, [](const std::vector<Tensor> &y) {
    for (double p : y[0].values())
      EXPECT_EQ(p, 0.0);
  });
}

TEST(Contract, TheLogarithmOfAMaskedRowIsMinusInfinityOnRequest) {
  Tensor x({2, 40});
  for (int64_t j = 0; j < 40; ++j)
    x[j] = -inf;
  NumericCase c = rowCase(Op::LogSoftmax, x);
  c.zeroForMaskedRow = true;
  inEveryForm(c, {x}, {{2, 40}}, [](const std::vector<Tensor> &y) {
    for (int64_t j = 0; j < 40; ++j) {
      EXPECT_EQ(y[0][j], -inf);
      EXPECT_NEAR(y[0][40 + j], -std::log(40.0), 0.02);
    }
  });
}

TEST(Contract, LogSumExpOfMinusInfinityIsMinusInfinity) {
  Tensor x({3, 40}, -inf);
  inEveryForm(rowCase(Op::LogSumExp, x), {x}, {{3}},
              [](const std::vector<Tensor> &y) {
                for (double lse : y[0].values())
                  EXPECT_EQ(lse, -inf);
              });
}

// A row of the same large negative score: weights are equal.
TEST(Contract, RowOfLargeNegativeScoresIsTheAverage) {
  for (double magnitude : {40960.0, 55296.0, 58368.0}) {
    SmallAttention small;
    Tensor &q = small.inputs[0], &k = small.inputs[1], &v = small.inputs[2];
    for (int64_t i = 0; i < q.size(); ++i)
      q[i] = i < 8 ? -magnitude : 0;
    for (int64_t i = 0; i < k.size(); ++i)
      k[i] = magnitude;
    inEveryForm(small.c, small.inputs, small.outputs,
                [&](const std::vector<Tensor> &y) {
                  for (int64_t d = 0; d < 8; ++d) {
                    double average = 0;
                    for (int64_t j = 0; j < 40; ++j)
                      average += v[8 * j + d] / 40;
                    EXPECT_NEAR(y[0][8 + d], average, 1e-3);
                    EXPECT_NEAR(y[0][d], average, 1e-3);
                  }
                  EXPECT_LT(y[1][0], -1e8);
                });
  }
}

TEST(Contract, NaNMakesItsRowNaN) {
  Tensor x({2, 40});
  x[33] = nan_;
  inEveryForm(rowCase(Op::Softmax, x), {x}, {{2, 40}},
              [](const std::vector<Tensor> &y) {
                for (int64_t j = 0; j < 80; ++j)
                  EXPECT_EQ(std::isnan(y[0][j]), j < 40) << j;
              });
}

TEST(Contract, InfinityMakesItsRowNaNAndItsLogSumExpInfinite) {
  Tensor x({2, 40});
  x[3] = inf;
  inEveryForm(rowCase(Op::Softmax, x), {x}, {{2, 40}},
              [](const std::vector<Tensor> &y) {
                for (int64_t j = 0; j < 80; ++j)
                  EXPECT_EQ(std::isnan(y[0][j]), j < 40) << j;
              });
  inEveryForm(rowCase(Op::LogSumExp, x), {x}, {{2}},
              [](const std::vector<Tensor> &y) {
                EXPECT_EQ(y[0][0], inf);
                EXPECT_NEAR(y[0][1], std::log(40.0), 0.02);
              });
}

TEST(Contract, AJumpOfTheMaximumGivesExactZeros) {
  // The last element is far above all others: rescaling must give 0 and not
  // NaN.
  Tensor x({1, 40}, -200.0);
  x[39] = 0;
  inEveryForm(rowCase(Op::Softmax, x), {x}, {{1, 40}},
              [](const std::vector<Tensor> &y) {
                EXPECT_EQ(y[0][39], 1.0);
                for (int64_t j = 0; j < 39; ++j)
                  EXPECT_LT(y[0][j], 1e-80);
              });
}

TEST(Contract, OneElementIsExactlyOne) {
  Tensor x({3, 1}, 7.0);
  inEveryForm(rowCase(Op::Softmax, x), {x}, {{3, 1}},
              [](const std::vector<Tensor> &y) {
                for (double p : y[0].values())
                  EXPECT_EQ(p, 1.0);
              });
}

TEST(Contract, TheMeanSquareOfHugeAndOfTinyRowsIsInRange) {
  // Beside them a row whose squares are as they are. Epsilon is below all.
  const double signs[] = {1, -1, -1, 1, 1};
  for (auto [huge, tiny, type] : {std::tuple(1.5e308, 1e-300, DType::F64),
                                  {3e38, 2e-30, DType::F32},
                                  {3e38, 2e-30, DType::BF16},
                                  {60000.0, 6e-8, DType::F16}}) {
    Tensor x({3, 40});
    for (int64_t j = 0; j < 40; ++j) {
      x[j] = huge * signs[j % 5];
      x[40 + j] = tiny * signs[j % 5];
      x[80 + j] = 2 * signs[j % 5];
    }
    inEveryForm(rowCase(Op::RmsNorm, x), {x}, {{3, 40}},
                [&](const std::vector<Tensor> &y) {
                  for (int64_t j = 0; j < 40; ++j) {
                    EXPECT_NEAR(y[0][j], signs[j % 5], 1e-6);
                    // epsilon = 1e-5 is what it is divided by.
                    EXPECT_NEAR(y[0][40 + j] / (tiny * std::sqrt(1e5)),
                                signs[j % 5], 0.03);
                    EXPECT_NEAR(y[0][80 + j], signs[j % 5], 4e-3);
                  }
                },
                {type});
  }
}

TEST(Contract, ZeroRowsAndEmptyRowsSucceed) {
  Tensor none({0, 40}), empty({3, 0});
  inEveryForm(rowCase(Op::Softmax, none), {none}, {{0, 40}},
              [](const std::vector<Tensor> &) {});
  inEveryForm(rowCase(Op::Softmax, empty), {empty}, {{3, 0}},
              [](const std::vector<Tensor> &) {});
  inEveryForm(rowCase(Op::LogSumExp, empty), {empty}, {{3}},
              [](const std::vector<Tensor> &y) {
                for (double lse : y[0].values())
                  EXPECT_EQ(lse, -inf);
              });
}

TEST(Contract, AttentionWithoutKeysIsZero) {
  SmallAttention a(0);
  inEveryForm(a.c, a.inputs, a.outputs, [](const std::vector<Tensor> &y) {
    for (double o : y[0].values())
      EXPECT_EQ(o, 0.0);
    for (double lse : y[1].values())
      EXPECT_EQ(lse, -inf);
  });
}

TEST(Contract, AQueryThatSeesNoKeyIsZero) {
  // 4 queries, 2 keys, bottom right: the first two queries see nothing.
  SmallAttention a(2);
  a.c.band = reference::Band::causal(reference::BandAnchor::BottomRight);
  inEveryForm(a.c, a.inputs, a.outputs, [](const std::vector<Tensor> &y) {
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(y[1][i] == -inf, i < 2) << i;
      for (int64_t d = 0; d < 8; ++d)
        EXPECT_TRUE(i >= 2 || y[0][i * 8 + d] == 0.0) << i;
    }
  });
}

TEST(Contract, WhatAMaskHidesIsIgnored) {
  SmallAttention a;
  a.c.band = reference::Band::causal(reference::BandAnchor::TopLeft);
  SmallAttention clean = a;
  // Query i sees keys 0..i: keys from 4 on are seen by nobody, key 3 by the
  // last query only.
  for (int64_t j = 4; j < 40; ++j)
    for (int64_t d = 0; d < 8; ++d) {
      a.inputs[1][j * 8 + d] = d % 2 ? nan_ : inf;
      a.inputs[2][j * 8 + d] = nan_;
    }
  for (int64_t d = 0; d < 8; ++d)
    a.inputs[2][3 * 8 + d] = inf;
  reference::AttentionOptions options;
  options.scale = a.c.scale;
  options.band = a.c.band;
  Tensor expected = reference::attention(clean.inputs[0], clean.inputs[1],
                                         clean.inputs[2], options)
                        .out;
  inEveryForm(a.c, a.inputs, a.outputs, [&](const std::vector<Tensor> &y) {
    for (int64_t i = 0; i < 24; ++i)
      EXPECT_NEAR(y[0][i], expected[i], 0.02) << i;
    for (int64_t d = 24; d < 32; ++d)
      EXPECT_FALSE(std::isfinite(y[0][d])) << d;
  });
}

TEST(Contract, ANaNOfAVisibleKeyIsSeenWhateverItsWeight) {
  // The weight of key 1 is far below the smallest number of every type, and is
  // 0; queries 1 to 3 see it all the same, in a tile that the mask cuts.
  SmallAttention a;
  a.c.band = reference::Band::causal(reference::BandAnchor::TopLeft);
  for (int64_t d = 0; d < 8; ++d) {
    for (int64_t i = 0; i < 4; ++i)
      a.inputs[0][i * 8 + d] = 16;
    for (int64_t j = 0; j < 40; ++j)
      a.inputs[1][j * 8 + d] = j == 1 ? -2000 : 1;
  }
  a.inputs[2][8] = nan_;
  inEveryForm(a.c, a.inputs, a.outputs, [](const std::vector<Tensor> &y) {
    for (int64_t i = 0; i < 32; ++i)
      EXPECT_EQ(std::isnan(y[0][i]), i >= 8 && i % 8 == 0) << i;
  });
}

TEST(Contract, ANaNScoreMakesItsQueryNaN) {
  SmallAttention a;
  a.inputs[0][2 * 8] = nan_;
  inEveryForm(a.c, a.inputs, a.outputs, [](const std::vector<Tensor> &y) {
    for (int64_t i = 0; i < 32; ++i)
      EXPECT_EQ(std::isnan(y[0][i]), i / 8 == 2) << i;
  });
}
