//===- SoftmaxTest.cpp - the softmax family -------------------------------===//
#include "SpecialNumbers.h"

#include "smx/Reference/Generators.h"
#include "smx/Reference/Softmax.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace smx::reference;
using namespace smx::test;

static SoftmaxOptions zeroRows() {
  SoftmaxOptions options;
  options.maskedRow = MaskedRow::Zero;
  return options;
}

static bool allNaN(const Tensor &t) {
  for (double x : t.values())
    if (!std::isnan(x))
      return false;
  return true;
}

TEST(Softmax, RowsSumToOneAlongEveryAxis) {
  const Tensor x = *generate("normal", {3, 5, 7}, {DType::F64, 1});
  for (int64_t axis = -3; axis < 3; ++axis) {
    SoftmaxOptions options;
    options.axis = axis;
    const Tensor y = softmax(x, options);
    const RowLayout rows(x.shape(), axis);
    for (int64_t r = 0; r < rows.rowCount(); ++r) {
      double sum = 0;
      for (int64_t j = 0; j < rows.length; ++j)
        sum += y[rows.begin(r) + j * rows.stride()];
      EXPECT_NEAR(sum, 1, 1e-15);
    }
  }
}

TEST(Softmax, AnAxisIsTheLastOneOfTheTranspose) {
  const Tensor x = *generate("staircase", {4, 6, 3}, {DType::F64, 2, 2});
  SoftmaxOptions middle;
  middle.axis = 1;
  const Tensor direct = softmax(x, middle);
  const Tensor turned = softmax(x.transposed({0, 2, 1})).transposed({0, 2, 1});
  EXPECT_EQ(direct.values(), turned.values());
}

TEST(Softmax, IsInvariantUnderAShift) {
  const Tensor x({4}, {1, 2, 3, 4});
  const Tensor far({4}, {1001, 1002, 1003, 1004});
  EXPECT_EQ(softmax(x).values(), softmax(far).values());
  EXPECT_NEAR(logSumExp(far)[0], logSumExp(x)[0] + 1000, 1e-12);
}

TEST(Softmax, AgreesWithLongDouble) {
  const Tensor x = *generate("uniform", {1, 3000}, {DType::F64, 3});
  SoftmaxOptions options;
  options.scale = 300.7;
  const Tensor y = softmax(x, options);
  long double m = -inf, l = 0;
  for (double v : x.values())
    m = std::max(m, static_cast<long double>(options.scale) * v);
  for (double v : x.values())
    l += std::exp(static_cast<long double>(options.scale) * v - m);
  for (int64_t j = 0; j < y.size(); ++j) {
    const double exact = static_cast<double>(
        std::exp(static_cast<long double>(options.scale) * x[j] - m) / l);
    ASSERT_NEAR(y[j] / exact, 1, 8e-16) << j;
  }
}

TEST(Softmax, ContractForMaskedRows) {
  const Tensor x({2, 2}, {-inf, -inf, 0, 0});
  const Tensor y = softmax(x);
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
  EXPECT_EQ(y[2], 0.5);
  EXPECT_EQ(softmax(x, zeroRows()).values(),
            std::vector<double>({0, 0, 0.5, 0.5}));
  EXPECT_EQ(logSumExp(x)[0], -inf);
  EXPECT_TRUE(std::isnan(logSoftmax(x)[0]));
  EXPECT_EQ(logSoftmax(x, zeroRows())[0], -inf);
  EXPECT_EQ(sumOfScaledExponentials(x)[0], 0);
  const Tensor v({2, 2}, {1, 2, 3, 5});
  EXPECT_TRUE(std::isnan(softmaxDot(x, v)[0]));
  EXPECT_EQ(softmaxDot(x, v, zeroRows()).values(), std::vector<double>({0, 4}));
}

TEST(Softmax, ContractForNaNAndInfinity) {
  for (double special : {nan_, inf}) {
    const Tensor x({2, 3}, {0, special, -inf, 1, 1, -inf});
    const Tensor y = softmax(x), lse = logSumExp(x), logs = logSoftmax(x);
    EXPECT_TRUE(allNaN(y.slice(0, 0, 1)));
    EXPECT_TRUE(allNaN(logs.slice(0, 0, 1)));
    EXPECT_TRUE(special == inf ? lse[0] == inf : std::isnan(lse[0]));
    EXPECT_EQ(y.slice(0, 1, 2).values(), std::vector<double>({0.5, 0.5, 0}));
    EXPECT_EQ(logs[5], -inf);
  }
}

TEST(Softmax, MaskedPlacesAreIgnored) {
  const Tensor x({1, 4}, {0, nan_, inf, 0}), mask({1, 4}, {1, 0, 0, 1});
  SoftmaxOptions options;
  options.mask = &mask;
  EXPECT_EQ(softmax(x, options).values(),
            std::vector<double>({0.5, 0, 0, 0.5}));
  EXPECT_EQ(logSumExp(x, options)[0], std::log(2));
  EXPECT_EQ(logSoftmax(x, options)[1], -inf);
  const Tensor v({1, 4}, {2, nan_, inf, 4});
  EXPECT_EQ(softmaxDot(x, v, options)[0], 3);
  const Tensor nothing({1, 4}, 0.0);
  options.mask = &nothing;
  EXPECT_TRUE(allNaN(softmax(x, options)));
  EXPECT_EQ(logSumExp(x, options)[0], -inf);
}

TEST(Softmax, SmallestRows) {
  const Tensor one({1}, -1234.5);
  EXPECT_EQ(softmax(one)[0], 1);
  EXPECT_EQ(logSoftmax(one)[0], 0);
  EXPECT_EQ(logSumExp(one)[0], -1234.5);
  EXPECT_EQ(softmax(Tensor({3, 0})).size(), 0);
  EXPECT_EQ(logSumExp(Tensor({3, 0})).values(), std::vector<double>(3, -inf));
  EXPECT_EQ(logSumExp(Tensor({0, 3})).shape(), Shape({0}));
  EXPECT_EQ(softmaxDot(Tensor({2, 0}), Tensor({2, 0, 3}), zeroRows()).values(),
            std::vector<double>(6, 0));
}

TEST(Softmax, HugeJumpsGiveExactZeros) {
  const Tensor y = softmax(Tensor({3}, {-1000, 0, 1000}));
  EXPECT_EQ(y.values(), std::vector<double>({0, 0, 1}));
  const Tensor z = softmax(Tensor({2}, {-1.7e308, 1.7e308}));
  EXPECT_EQ(z.values(), std::vector<double>({0, 1}));
}

TEST(Softmax, ANegativeScaleTurnsTheRowAround) {
  SoftmaxOptions options;
  options.scale = -2;
  const Tensor y = softmax(Tensor({2}, {0, 1}), options);
  EXPECT_NEAR(y[0] / y[1], std::exp(2), 1e-14);
  EXPECT_NEAR(logSumExp(Tensor({2}, {0, 1}), options)[0],
              std::log(1 + std::exp(-2)), 1e-15);
}

TEST(SoftmaxDot, TakesVectorsAndScalarsAsValues) {
  const Tensor x({2, 2}, {0, 0, 0, 1000});
  EXPECT_EQ(softmaxDot(x, Tensor({2, 2}, {1, 3, 5, 7})).values(),
            std::vector<double>({2, 7}));
  const Tensor y =
      softmaxDot(x, Tensor({2, 2, 3}, {1, 2, 3, 3, 4, 5, 0, 0, 0, 7, 8, 9}));
  EXPECT_EQ(y.shape(), Shape({2, 3}));
  EXPECT_EQ(y.values(), std::vector<double>({2, 3, 4, 7, 8, 9}));
}

TEST(TopK, LargestFirstAndTiesByIndex) {
  const Tensor x({1, 6}, {1, 3, 2, 3, -inf, 3});
  const TopK top = topkSoftmax(x, 4);
  EXPECT_EQ(top.indices.values(), std::vector<double>({1, 3, 5, 2}));
  const Tensor y = softmax(x);
  EXPECT_EQ(top.values.values(), std::vector<double>({y[1], y[3], y[5], y[2]}));
}

TEST(TopK, AnyAxisAndUnderflow) {
  SoftmaxOptions options;
  options.axis = 0;
  const Tensor x({3, 2}, {0, -5000, 9000, 0, 1, -4000});
  const TopK top = topkSoftmax(x, 3, options);
  EXPECT_EQ(top.indices.values(), std::vector<double>({1, 1, 2, 2, 0, 0}));
  EXPECT_EQ(top.values.values(), std::vector<double>({1, 1, 0, 0, 0, 0}));
}

TEST(TopK, ANaNRowKeepsItsOrder) {
  const TopK top = topkSoftmax(Tensor({1, 3}, {0, nan_, 1}), 2);
  EXPECT_TRUE(allNaN(top.values));
  EXPECT_EQ(top.indices.values(), std::vector<double>({0, 1}));
  EXPECT_EQ(topkSoftmax(Tensor({2, 3}), 0).values.shape(), Shape({2, 0}));
}
