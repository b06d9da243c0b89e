//===- WorkedExamplesTest.cpp - examples computed by hand -----------------===//
//
// The traces by which texts explain online softmax, with the figures to full
// precision.
//
//===----------------------------------------------------------------------===//
#include "smx/Reference/OnlineState.h"
#include "smx/Reference/Softmax.h"

#include "gtest/gtest.h"

#include <random>

using namespace smx::reference;
using State = OnlineState<double>;

static double e(double x) { return std::exp(x); }

/// Streams a row in tiles of a given size; values may be empty.
static State stream(const std::vector<double> &scores,
                    const std::vector<double> &values, size_t tile) {
  const size_t width = values.size() / scores.size();
  State state = State::identity(width);
  for (size_t j = 0; j < scores.size(); j += tile) {
    const size_t n = std::min(tile, scores.size() - j);
    state.update(std::span(scores).subspan(j, n),
                 std::span(values).subspan(j * width, n * width));
  }
  return state;
}

TEST(WorkedExamples, TraceOfThreeBlocks) {
  State state = State::identity(0);
  state.update(std::vector<double>{2, 1, 3}, {});
  EXPECT_EQ(state.m, 3);
  EXPECT_NEAR(state.l, e(-1) + e(-2) + 1, 1e-15);
  EXPECT_NEAR(state.l, 1.503, 5e-4);

  // A new maximum: what was summed shrinks by e^(3-5).
  state.update(std::vector<double>{5, 4, 4}, {});
  EXPECT_EQ(state.m, 5);
  EXPECT_NEAR(state.l, (e(-1) + e(-2) + 1) * e(-2) + 1 + 2 * e(-1), 1e-15);
  EXPECT_NEAR(state.l, 1.94, 5e-3);

  // No new maximum: nothing is rescaled.
  const double before = state.l;
  state.update(std::vector<double>{1, 2, 1}, {});
  EXPECT_EQ(state.m, 5);
  EXPECT_NEAR(state.l, before + e(-4) + e(-3) + e(-4), 1e-15);
  EXPECT_NEAR(state.l, 2.03, 5e-3);

  const Tensor row({9}, {2, 1, 3, 5, 4, 4, 1, 2, 1});
  EXPECT_NEAR(state.l, sumOfScaledExponentials(row)[0], 1e-15);
  EXPECT_NEAR(state.finish().logSumExp, logSumExp(row)[0], 1e-15);
}

TEST(WorkedExamples, ValuesOfOneGiveOne) {
  State state = State::identity(1);
  state.update(std::vector<double>{1, 2}, std::vector<double>{1, 1});
  EXPECT_EQ(state.m, 2);
  EXPECT_NEAR(state.l, 1.368, 5e-4);
  EXPECT_EQ(state.acc[0], state.l);
  state.update(std::vector<double>{3, 10}, std::vector<double>{1, 1});
  EXPECT_EQ(state.m, 10);
  EXPECT_NEAR(state.l, 1.00137, 5e-6);
  EXPECT_EQ(state.finish().out[0], 1.0);

  const Tensor p = softmax(Tensor({4}, {1, 2, 3, 10}));
  EXPECT_NEAR(p[0], 1.23e-4, 5e-7);
  EXPECT_NEAR(p[1], 3.35e-4, 5e-7);
  EXPECT_NEAR(p[2], 9.11e-4, 5e-7);
  EXPECT_NEAR(p[3], 0.9986, 5e-5);
}

TEST(WorkedExamples, TwoChunksOfOne) {
  // s = [0, 5], V = [2, 3]: (2 e^-5 + 3) / (e^-5 + 1).
  const State state = stream({0, 5}, {2, 3}, 1);
  EXPECT_NEAR(state.l, 1 + e(-5), 1e-15);
  EXPECT_NEAR(state.acc[0], 3 + 2 * e(-5), 1e-15);
  EXPECT_NEAR(state.finish().out[0], (3 + 2 * e(-5)) / (1 + e(-5)), 1e-15);
}

TEST(WorkedExamples, ScoresThatOverflowWithoutAMaximum) {
  const Tensor p = softmax(Tensor({3}, {1000, 1001, 1002}));
  const Tensor q = softmax(Tensor({3}, {0, 1, 2}));
  EXPECT_EQ(p.values(), q.values());
  EXPECT_NEAR(p[2], 0.665, 5e-4);
}

TEST(WorkedExamples, SumOfAThousandIntegersInBlocksOfFifty) {
  std::mt19937 random(50);
  std::vector<double> scores(1000);
  for (double &s : scores)
    s = static_cast<double>(random() % 101);
  const State state = stream(scores, {}, 50);
  const Tensor whole({1000}, scores);
  EXPECT_EQ(state.m, *std::max_element(scores.begin(), scores.end()));
  EXPECT_NEAR(state.l / sumOfScaledExponentials(whole)[0], 1, 1e-14);
}

TEST(WorkedExamples, SoftmaxDotByChunksEqualsWhole) {
  std::mt19937 random(100);
  std::vector<double> scores(100), values(100);
  for (int j = 0; j < 100; ++j) {
    scores[j] = 2 * (random() / 4294967296.0);
    values[j] = 2 * (random() / 4294967296.0);
  }
  const double whole =
      softmaxDot(Tensor({100}, scores), Tensor({100}, values))[0];
  for (size_t tile : {1, 7, 10, 50, 99, 100})
    EXPECT_NEAR(stream(scores, values, tile).finish().out[0], whole, 1e-14)
        << tile;
}

TEST(WorkedExamples, UnderflowOfTheRescaleFactorIsRight) {
  // In float e^-200 is 0, and so is the share of what came before.
  OnlineState<float> state =
      OnlineState<float>::lift(0.0f, std::vector<float>{5.0f});
  state.update(std::vector<float>{200.0f}, std::vector<float>{7.0f});
  EXPECT_EQ(state.l, 1.0f);
  EXPECT_EQ(state.finish().out[0], 7.0f);
}
