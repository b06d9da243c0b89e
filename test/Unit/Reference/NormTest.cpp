//===- NormTest.cpp - layer norm and RMS norm -----------------------------===//
#include "smx/Reference/Generators.h"
#include "smx/Reference/Softmax.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace smx::reference;

TEST(Norm, LayerNormByHand) {
  // Mean 2, population variance 2/3.
  NormOptions options;
  options.epsilon = 0;
  const Tensor y = layerNorm(Tensor({1, 3}, {1, 2, 3}), options);
  EXPECT_NEAR(y[0], -std::sqrt(1.5), 1e-15);
  EXPECT_EQ(y[1], 0);
  EXPECT_NEAR(y[2], std::sqrt(1.5), 1e-15);
}

TEST(Norm, TheLargestMeanInDeviations) {
  NormOptions options;
  options.epsilon = 3;
  // Mean -4, variance 1, with epsilon 4; mean 2, variance 33; and one that is
  // not finite.
  const Tensor x({3, 2},
                 {-3, -5, 2 + std::sqrt(33), 2 - std::sqrt(33), HUGE_VAL, 1});
  EXPECT_EQ(largestMean(x, options), 2);
  options.axis = 0;
  EXPECT_EQ(largestMean(Tensor({2, 1}, {5, 3}), options), 2);
  EXPECT_EQ(largestMean(Tensor({0, 1}), options), 0);
}

TEST(Norm, MeansAreOffByTheDepthOfTheirSums) {
  EXPECT_EQ(errorOfMean(0, DType::F32), 0x1p-23);
  EXPECT_EQ(errorOfMean(1, DType::BF16), 0x1p-23);
  EXPECT_EQ(errorOfMean(20000, DType::F32), 17 * 0x1p-24);
  EXPECT_EQ(errorOfMean(4096, DType::F64), 14 * 0x1p-53);
}

TEST(Norm, AMeanThatIsOffMovesTheWholeRow) {
  NormOptions options;
  options.epsilon = 3;
  options.errorOfMean = 0.25;
  const Tensor weight({2}, {1, 2});
  options.weight = &weight;
  const Tensor y = layerNorm(Tensor({1, 2}, {-3, -5}), options);
  EXPECT_EQ(y[0], (1 + 1) / 2.0);
  EXPECT_EQ(y[1], (-1 + 1) / 2.0 * 2);
}

TEST(Norm, RmsNormByHand) {
  NormOptions options;
  options.epsilon = 1;
  // Mean square 24, with epsilon 25.
  const Tensor weight({2}, {10, 1}), bias({2}, {0, 1});
  options.weight = &weight;
  options.bias = &bias;
  const Tensor y = rmsNorm(Tensor({1, 2}, {4, std::sqrt(32)}), options);
  EXPECT_NEAR(y[0], 8, 1e-14);
  EXPECT_NEAR(y[1], std::sqrt(32) / 5 + 1, 1e-15);
}

TEST(Norm, TheMeanSquareOfHugeAndTinyRowsIsInRange) {
  NormOptions options;
  options.epsilon = 0;
  for (double size : {1.5e308, 1.0, 1e-300}) {
    const Tensor y = rmsNorm(Tensor({1, 2}, {size, -size / 2}), options);
    EXPECT_NEAR(y[0], std::sqrt(1.6), 1e-14) << size;
    EXPECT_NEAR(y[1], -std::sqrt(0.4), 1e-14) << size;
  }
}

TEST(Norm, MeanZeroVarianceOneFarFromTheOrigin) {
  Tensor x = *generate("normal", {5, 100}, {DType::F64, 4});
  for (double &v : x.values())
    v += 1e6;
  for (int64_t axis : {0, 1}) {
    NormOptions options;
    options.axis = axis;
    options.epsilon = 0;
    const Tensor y = layerNorm(x, options);
    const RowLayout rows(x.shape(), axis);
    for (int64_t r = 0; r < rows.rowCount(); ++r) {
      double sum = 0, squares = 0;
      for (int64_t j = 0; j < rows.length; ++j) {
        const double v = y[rows.begin(r) + j * rows.stride()];
        sum += v;
        squares += v * v;
      }
      EXPECT_NEAR(sum / rows.length, 0, 1e-9);
      EXPECT_NEAR(squares / rows.length, 1, 1e-9);
    }
  }
}

TEST(Norm, AConstantRowIsTheBias) {
  const Tensor bias({3}, {1, 2, 3});
  NormOptions options;
  options.bias = &bias;
  EXPECT_EQ(layerNorm(Tensor({1, 3}, 7.0), options).values(),
            std::vector<double>({1, 2, 3}));
}
