//===- CrossEntropyTest.cpp - losses and gradients of the reference -------===//

#include "SpecialNumbers.h"

#include "smx/Reference/CrossEntropy.h"
#include "smx/Reference/Generators.h"
#include "smx/Reference/Softmax.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace smx::reference;
using namespace smx::test;

TEST(CrossEntropy, IsMinusTheLogProbability) {
  const Tensor x = *generate("normal", {4, 9}, {DType::F64, 5});
  CrossEntropyOptions options;
  options.ignored = -100;
  const Tensor loss = crossEntropy(x, Tensor({4}, {0, 8, -100, 9}), options);
  const Tensor logs = logSoftmax(x);
  EXPECT_EQ(loss[0], -logs.at({0, 0}));
  EXPECT_EQ(loss[1], -logs.at({1, 8}));
  EXPECT_EQ(loss[2], 0);
  EXPECT_TRUE(std::isnan(loss[3]));
}

TEST(CrossEntropy, SmoothingByHand) {
  // log-softmax of (0, log 3) is (-log 4, log 3 - log 4).
  CrossEntropyOptions options;
  options.smoothing = 0.2;
  const Tensor x({1, 2}, {0, std::log(3.0)});
  const Tensor loss = crossEntropy(x, Tensor({1}, 1), options);
  EXPECT_NEAR(loss[0], std::log(4.0) - 0.9 * std::log(3.0), 1e-15);
}

TEST(CrossEntropy, ContractForNaNAndInfinity) {
  const Tensor x({4, 2}, {nan_, 0, inf, 0, -inf, 0, -inf, -inf});
  CrossEntropyOptions options;
  options.ignored = 7;
  const Tensor loss = crossEntropy(x, Tensor({4}, {1, 1, 0, 0}), options);
  EXPECT_TRUE(std::isnan(loss[0]));
  EXPECT_TRUE(std::isnan(loss[1]));
  EXPECT_EQ(loss[2], inf);
  EXPECT_TRUE(std::isnan(loss[3]));
  EXPECT_EQ(crossEntropy(x, Tensor({4}, 7), options).values(),
            std::vector<double>(4, 0));
}

/// The central difference of sum(weight * f(x)) in the direction of element
/// `at`.
static double slope(const std::function<Tensor(const Tensor &)> &f, Tensor x,
                    const Tensor &weight, int64_t at) {
  constexpr double step = 1e-5;
  double sum = 0;
  for (double direction : {1.0, -1.0}) {
    Tensor moved = x;
    moved[at] += direction * step;
    const Tensor y = f(moved);
    for (int64_t i = 0; i < y.size(); ++i)
      sum += direction * weight[i] * y[i];
  }
  return sum / (2 * step);
}

TEST(Gradients, AreTheSlopesOfTheForwardOps) {
  const Tensor x = *generate("normal", {3, 5}, {DType::F64, 3});
  const Tensor g = *generate("normal", {3, 5}, {DType::F64, 4});
  const Tensor rows = *generate("normal", {3}, {DType::F64, 6});
  const Tensor targets({3}, {4, 0, 2});
  SoftmaxOptions softmaxes;
  softmaxes.scale = -0.75;
  CrossEntropyOptions losses;
  losses.scale = -0.75;
  losses.smoothing = 0.3;
  auto soft = [&](const Tensor &t) { return softmax(t, softmaxes); };
  auto logs = [&](const Tensor &t) { return logSoftmax(t, softmaxes); };
  auto loss = [&](const Tensor &t) { return crossEntropy(t, targets, losses); };
  const Tensor ofSoftmax = softmaxBackward(soft(x), g, -1, -0.75);
  const Tensor ofLogs = logSoftmaxBackward(logs(x), g, -1, -0.75);
  const Tensor ofLoss =
      crossEntropyBackward(x, targets, logSumExp(x, softmaxes), rows, losses);
  for (int64_t at = 0; at < x.size(); ++at) {
    EXPECT_NEAR(ofSoftmax[at], slope(soft, x, g, at), 1e-8);
    EXPECT_NEAR(ofLogs[at], slope(logs, x, g, at), 1e-8);
    EXPECT_NEAR(ofLoss[at], slope(loss, x, rows, at), 1e-8);
  }
}

TEST(Gradients, RowsWithoutATarget) {
  const Tensor x({2, 2}, {nan_, 1, 2, 3});
  CrossEntropyOptions options;
  options.ignored = -1;
  const Tensor dx = crossEntropyBackward(x, Tensor({2}, {-1, 2}), Tensor({2}),
                                         Tensor({2}, 1), options);
  EXPECT_EQ(dx[0], 0);
  EXPECT_EQ(dx[1], 0);
  EXPECT_TRUE(std::isnan(dx[2]) && std::isnan(dx[3]));
}
