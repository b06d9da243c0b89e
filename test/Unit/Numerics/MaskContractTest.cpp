//===- MaskContractTest.cpp - the contract of masks by data, and of sinks -===//
//
// As ContractTest.cpp: what is expected is written here.
//
//===----------------------------------------------------------------------===//

#include "EveryForm.h"
#include "SpecialNumbers.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace smx;
using namespace smx::test;
using MaskData = NumericCase::MaskData;

namespace {
/// Two batches of 4 queries and 40 keys whose scores are all 0; value j is j.
struct EqualScores {
  NumericCase c;
  std::vector<Tensor> inputs;
  std::vector<Shape> outputs{{2, 1, 4, 8}, {2, 1, 4}};
  EqualScores() {
    c.op = Op::Attention;
    c.batch = 2;
    c.queries = 4;
    c.keys = 40;
    c.headDim = c.valueDim = 8;
    c.scale = 0.125;
    Tensor q({2, 1, 4, 8}), k({2, 1, 40, 8}), v({2, 1, 40, 8});
    for (int64_t i = 0; i < v.size(); ++i)
      v[i] = static_cast<double>(i / 8 % 40);
    inputs = {q, k, v};
  }
  /// Row `row` of both batches: the first column and the log-sum-exp.
  static void expectRow(const std::vector<Tensor> &y, int64_t row,
                        double average, double logSumExp) {
    EXPECT_NEAR(y[0][row * 8], average, 0.01 * std::abs(average)) << row;
    if (std::isinf(logSumExp))
      EXPECT_EQ(y[1][row], logSumExp) << row;
    else
      EXPECT_NEAR(y[1][row], logSumExp, 1e-4) << row;
  }
};
} // namespace

TEST(MaskContract, LengthsEndTheKeys) {
  EqualScores a;
  a.c.maskData = MaskData::Lengths;
  a.inputs.push_back(Tensor({2}));
  // Beyond the keys there are none; below 0 is 0.
  for (auto [first, second] : {std::pair{0.0, 7.0}, {-3.0, 1000.0}}) {
    a.inputs[3][0] = first;
    a.inputs[3][1] = second;
    double seen = std::min(second, 40.0);
    inEveryForm(a.c, a.inputs, a.outputs, [&](const std::vector<Tensor> &y) {
      for (int64_t i = 0; i < 4; ++i) {
        EqualScores::expectRow(y, i, 0, -inf);
        EqualScores::expectRow(y, 4 + i, (seen - 1) / 2, std::log(seen));
      }
    });
  }
}

TEST(MaskContract, WhatLengthsHideIsIgnored) {
  EqualScores a;
  a.c.maskData = MaskData::Lengths;
  a.inputs.push_back(Tensor({2}));
  a.inputs[3][0] = 5;
  a.inputs[3][1] = 33;
  for (int64_t i = 0; i < a.inputs[1].size(); ++i)
    if (i / 8 % 40 >= (i < 320 ? 5 : 33))
      a.inputs[1][i] = a.inputs[2][i] = i % 2 ? nan_ : inf;
  inEveryForm(a.c, a.inputs, a.outputs, [&](const std::vector<Tensor> &y) {
    for (int64_t i = 0; i < 4; ++i) {
      EqualScores::expectRow(y, i, 2, std::log(5));
      EqualScores::expectRow(y, 4 + i, 16, std::log(33));
    }
  });
}

TEST(MaskContract, RangesMayBeEmptyOrOutOfOrder) {
  EqualScores a;
  a.c.maskData = MaskData::Ranges;
  const double begins[] = {30, 0, 20, -5, 5, 5, 39, 0},
               ends[] = {40, 1, 10, 3, 5, 6, 100, 40};
  a.inputs.insert(a.inputs.end(), {Tensor({2, 4}), Tensor({2, 4})});
  for (int64_t i = 0; i < 8; ++i) {
    a.inputs[3][i] = begins[i];
    a.inputs[4][i] = ends[i];
  }
  inEveryForm(a.c, a.inputs, a.outputs, [&](const std::vector<Tensor> &y) {
    for (int64_t i = 0; i < 8; ++i) {
      double from = std::max(begins[i], 0.0), to = std::min(ends[i], 40.0);
      if (from >= to)
        EqualScores::expectRow(y, i, 0, -inf);
      else
        EqualScores::expectRow(y, i, (from + to - 1) / 2, std::log(to - from));
    }
  });
}

TEST(MaskContract, ASinkTakesItsWeight) {
  EqualScores a;
  a.c.hasSinks = true;
  a.inputs.push_back(Tensor({1}));
  // exp(log 40) = 40 keys' worth; none at all; all there is.
  for (double sink : {std::log(40.0), -inf, 1000.0}) {
    a.inputs[3][0] = sink;
    double share = sink == -inf ? 1 : sink == 1000 ? 0 : 0.5;
    double logSumExp = sink == 1000 ? 1000 : std::log(40.0 / share);
    inEveryForm(a.c, a.inputs, a.outputs, [&](const std::vector<Tensor> &y) {
      for (int64_t i = 0; i < 8; ++i)
        EqualScores::expectRow(y, i, 19.5 * share, logSumExp);
    });
  }
}

TEST(MaskContract, AQueryThatSeesItsSinkAloneIsZero) {
  EqualScores a;
  a.c.maskData = MaskData::Lengths;
  a.c.hasSinks = true;
  a.inputs.insert(a.inputs.end(), {Tensor({2}), Tensor({1})});
  // The last ones are beyond what is kept of scores that hide a row.
  for (double sink : {-1000.0, -1e9, -1e10}) {
    a.inputs[4][0] = sink;
    inEveryForm(a.c, a.inputs, a.outputs, [&](const std::vector<Tensor> &y) {
      for (int64_t i = 0; i < 8; ++i)
        EqualScores::expectRow(y, i, 0, sink);
    });
  }
}

TEST(MaskContract, ASinkTakesItsWeightFromLargeNegativeScores) {
  EqualScores a;
  a.c.hasSinks = true;
  a.inputs.push_back(Tensor({1}));
  // 8 products of -2^28, an eighth of their sum.
  constexpr double side = 0x1p14, score = -0x1p28;
  for (double factor : {1.0, 2.0})
    for (double sink : {2 * score * factor, score * factor, score / 2}) {
      for (int64_t i = 0; i < a.inputs[0].size(); ++i)
        a.inputs[0][i] = side * factor;
      for (int64_t i = 0; i < a.inputs[1].size(); ++i)
        a.inputs[1][i] = -side;
      a.inputs[3][0] = sink;
      double largest = std::max(score * factor, sink);
      double keys = sink > score * factor ? 0 : 40,
             all = keys + (sink >= score * factor ? 1 : 0);
      inEveryForm(a.c, a.inputs, a.outputs, [&](const std::vector<Tensor> &y) {
        for (int64_t i = 0; i < 8; ++i) {
          EXPECT_NEAR(y[0][i * 8], 19.5 * keys / all, 0.2) << i;
          // As far as f32 holds it.
          EXPECT_NEAR(y[1][i], largest + std::log(all), 64) << i;
        }
      });
    }
}
