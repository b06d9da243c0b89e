//===- LastWaveTest.cpp - tiles of a last wave, in parts ------------------===//
//
// A few blocks walk over tiles of queries, and the last of these are cut along
// the keys. Queries are few and keys many, so that it pays.
//
//===----------------------------------------------------------------------===//

#include "WalkForm.h"

#include <cmath>
#include <limits>

using namespace smx;
using namespace smx::test;

namespace {
/// Of tiles of 192 rows, or 128.
const WalkForm lastWaveForms[] = {
    // One of five tiles in parts, the last of them with the keys left over.
    {"Whole", 1, 1, 960, 2720, 64, 4, DType::BF16},
    // All of two tiles, of which the second has rows beyond the end.
    {"NoneWhole", 1, 1, 300, 2000, 128, 16, DType::F16},
    {"SharedKeys", 5, 1, 192, 2000, 128, 4, DType::BF16},
    {"WideHeads", 1, 1, 384, 2048, 256, 2, DType::BF16},
    // Two rows to a block that merges.
    {"ManyParts", 1, 1, 128, 3072, 256, 16, DType::F16},
    // Columns that the tile of a product pads.
    {"OddHeads", 1, 1, 300, 2400, 72, 8, DType::BF16},
    // The next item begins under the end of this one.
    {"Chained", 1, 1, 1728, 3072, 64, 2, DType::BF16},
};

struct LastWave : WalkTest {};
} // namespace

TEST_P(LastWave, MatchesTheReference) {
  for (const char *generator : {"normal", "falling", "one_nan", "one_inf"}) {
    NumericCase c = attentionCase();
    c.generator = generator;
    c.seed = 7;
    EXPECT_EQ(checkCase(c), "");
  }
}

/// Scores are 0 or -inf: a row is the mean of the values that it sees, and 0 if
/// that is none. Parts of a tile see nothing, or all parts do.
TEST_P(LastWave, PartsMaySeeNothing) {
  NumericCase c = attentionCase();
  auto [name, heads, keyHeads, queries, keys, headDim, blocks, dtype] =
      GetParam();
  llvm::Expected<Kernel> kernel = compileCase(c, targetUnderTest().chip);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  Tensor q({1, heads, queries, headDim}), v({1, keyHeads, keys, headDim});
  for (int64_t i = 0; i < heads * queries; ++i)
    q[i * headDim] = 1;
  for (int64_t h = 0; h < keyHeads; ++h)
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t d = 0; d < headDim; ++d)
        v[(h * keys + j) * headDim + d] = double((7 * j + d + 5 * h) % 16);
  for (auto [first, last] : {std::pair<int64_t, int64_t>(keys - 5, keys),
                             {0, 3},
                             {keys / 2 - 20, keys / 2 + 20},
                             {0, 0}}) {
    SCOPED_TRACE("keys " + std::to_string(first) + " to " +
                 std::to_string(last));
    Tensor k({1, keyHeads, keys, headDim});
    for (int64_t j = 0; j < keyHeads * keys; ++j)
      if (j % keys < first || j % keys >= last)
        k[j * headDim] = -std::numeric_limits<double>::infinity();
    llvm::Expected<std::vector<Tensor>> out = runKernel(
        *kernel, {q, k, v}, {{1, heads, queries, headDim}, {1, heads, queries}},
        {dtype, dtype, dtype}, {dtype, DType::F32}, 0);
    ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
    for (int64_t row = 0; row < heads * queries; ++row) {
      int64_t keyHead = row / queries * keyHeads / heads;
      const double count = double(last - first);
      for (int64_t d = 0; d < headDim; ++d) {
        double sum = 0;
        for (int64_t j = first; j < last; ++j)
          sum += v[(keyHead * keys + j) * headDim + d];
        double expected = count ? sum / count : 0;
        ASSERT_NEAR((*out)[0][row * headDim + d], expected, 0x1p-8 * expected)
            << "row " << row << ", column " << d;
      }
      if (count)
        ASSERT_NEAR((*out)[1][row], std::log(count), 1e-6);
      else
        ASSERT_EQ((*out)[1][row], -std::numeric_limits<double>::infinity());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, LastWave, testing::ValuesIn(lastWaveForms),
                         LastWave::nameOf);
