//===- HiddenValuesTest.cpp - values that are not finite, behind a mask ---===//
//
// All weights of a row are equal, and values are small integers: a row is right
// to the last bit if it takes the values that it sees and no others. What it
// does not see may be a NaN or an infinity, anywhere in a tile that a mask
// cuts, or in one that it does not.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace smx;
using namespace smx::test;

namespace {
constexpr int64_t length = 448;

struct HiddenValues : testing::TestWithParam<int64_t> {
  static NumericCase attentionCase(int64_t headDim, bool isWindow) {
    NumericCase c;
    c.op = Op::Attention;
    c.dtype = DType::BF16;
    c.queries = c.keys = length;
    c.headDim = c.valueDim = headDim;
    c.scale = 1.0;
    c.band.emplace();
    c.band->right = 0;
    if (isWindow)
      c.band->left = 99;
    return c;
  }

  /// What `x` is among the values of a row that sees it.
  static void expectSame(double value, double expected, bool isSeen, double x) {
    if (!isSeen)
      ASSERT_EQ(value, expected);
    else if (std::isnan(x))
      ASSERT_TRUE(std::isnan(value)) << value;
    else
      ASSERT_EQ(value, x);
  }
};
} // namespace

TEST_P(HiddenValues, AreIgnored) {
  int64_t headDim = GetParam();
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const std::string &chip : targetUnderTest().chips())
    for (bool isWindow : {false, true}) {
      NumericCase c = attentionCase(headDim, isWindow);
      llvm::Expected<Kernel> kernel = compileCase(c, chip);
      ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
      Tensor q({1, 1, length, headDim}), k({1, 1, length, headDim}),
          v({1, 1, length, headDim});
      for (int64_t j = 0; j < length; ++j)
        for (int64_t d = 0; d < headDim; ++d)
          v[j * headDim + d] = double((7 * j + d) % 16 - 8);
      auto run = [&](const Tensor &values) {
        return llvm::cantFail(runKernel(
            *kernel, {q, k, values}, {{1, 1, length, headDim}, {1, 1, length}},
            {DType::BF16, DType::BF16, DType::BF16}, {DType::BF16, DType::F32},
            0));
      };
      std::vector<Tensor> expected = run(v);
      for (int64_t place : {3, 70, 127, 128, 200, 300, 447})
        for (double x : {std::numeric_limits<double>::quiet_NaN(), inf, -inf}) {
          SCOPED_TRACE(c.text() + chip + ", " + std::to_string(x) + " at " +
                       std::to_string(place));
          int64_t column = place % headDim;
          Tensor values = v;
          values[place * headDim + column] = x;
          std::vector<Tensor> out = run(values);
          for (int64_t i = 0; i < length; ++i)
            for (int64_t d = 0; d < headDim; ++d) {
              bool isSeen =
                  i >= place && (!isWindow || i - place < 100) && d == column;
              ASSERT_NO_FATAL_FAILURE(expectSame(out[0][i * headDim + d],
                                                 expected[0][i * headDim + d],
                                                 isSeen, x))
                  << "query " << i << ", column " << d;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Dims, HiddenValues, testing::Values(64, 128, 256),
                         [](const testing::TestParamInfo<int64_t> &info) {
                           return "d" + std::to_string(info.param);
                         });
