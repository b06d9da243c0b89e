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
/// What rows see of `keys` values.
struct Sight {
  int64_t queries, keys;
  reference::Band band;
  /// Queries and keys of a tile; 0: those of the model.
  int64_t tileRows = 0, tileStream = 0;

  bool contains(int64_t i, int64_t j) const {
    return band.contains(i, j, queries, keys);
  }
};

/// Rows of a tile see all, some and none of tiles of keys, at either end.
const Sight sights[] = {
    {448, 448, {reference::BandAnchor::TopLeft, std::nullopt, 0}},
    {448, 448, {reference::BandAnchor::TopLeft, std::nullopt, 0}, 192, 96},
    {448, 448, {reference::BandAnchor::TopLeft, 99, 0}},
    {448, 300, {reference::BandAnchor::BottomRight, std::nullopt, 0}},
    {300, 448, {reference::BandAnchor::BottomRight, 170, 0}}};

struct HiddenValues : testing::TestWithParam<int64_t> {
  static NumericCase attentionCase(int64_t headDim, const Sight &sight) {
    NumericCase c;
    c.op = Op::Attention;
    c.dtype = DType::BF16;
    c.queries = sight.queries;
    c.keys = sight.keys;
    c.headDim = c.valueDim = headDim;
    c.scale = 1.0;
    c.band = sight.band;
    c.road.tileRows = sight.tileRows;
    c.road.tileStream = sight.tileStream;
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
    for (const Sight &sight : sights) {
      NumericCase c = attentionCase(headDim, sight);
      llvm::Expected<Kernel> kernel = compileCase(c, chip);
      ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
      Tensor q({1, 1, sight.queries, headDim}), k({1, 1, sight.keys, headDim}),
          v({1, 1, sight.keys, headDim});
      for (int64_t j = 0; j < sight.keys; ++j)
        for (int64_t d = 0; d < headDim; ++d)
          v[j * headDim + d] = double((7 * j + d) % 16 - 8);
      auto run = [&](const Tensor &values) {
        return llvm::cantFail(
            runKernel(*kernel, {q, k, values},
                      {{1, 1, sight.queries, headDim}, {1, 1, sight.queries}},
                      {DType::BF16, DType::BF16, DType::BF16},
                      {DType::BF16, DType::F32}, 0));
      };
      std::vector<Tensor> expected = run(v);
      for (int64_t place : {3, 70, 127, 128, 200, 299, 447}) {
        if (place >= sight.keys)
          continue;
        for (double x : {std::numeric_limits<double>::quiet_NaN(), inf, -inf}) {
          SCOPED_TRACE(c.text() + chip + ", " + std::to_string(x) + " at " +
                       std::to_string(place));
          int64_t column = place % headDim;
          Tensor values = v;
          values[place * headDim + column] = x;
          std::vector<Tensor> out = run(values);
          for (int64_t i = 0; i < sight.queries; ++i)
            for (int64_t d = 0; d < headDim; ++d) {
              bool isSeen = sight.contains(i, place) && d == column;
              ASSERT_NO_FATAL_FAILURE(expectSame(out[0][i * headDim + d],
                                                 expected[0][i * headDim + d],
                                                 isSeen, x))
                  << "query " << i << ", column " << d;
            }
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Dims, HiddenValues, testing::Values(64, 128, 256),
                         [](const testing::TestParamInfo<int64_t> &info) {
                           return "d" + std::to_string(info.param);
                         });
