//===- InfiniteScoresTest.cpp - scores of +inf, among keys of a window ----===//
//
// A sum of weights comes in parts, one of each thread. Some of them are 0 when
// the maximum becomes +inf: those of keys that the window hides.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "llvm/Support/SaveAndRestore.h"
#include "gtest/gtest.h"

using namespace smx;
using namespace smx::test;

namespace {
/// Head dims, each of which has other tiles of keys.
struct InfiniteScores : testing::TestWithParam<int64_t> {};
} // namespace

/// Log-sum-exps are +inf, and the results of such rows NaN.
TEST_P(InfiniteScores, AreTheSum) {
  NumericCase c;
  c.op = Op::Attention;
  c.dtype = DType::BF16;
  c.queryHeads = c.keyHeads = 2;
  c.queries = c.keys = 640;
  c.headDim = c.valueDim = GetParam();
  c.scale = 0.11;
  c.generator = "one_inf";
  llvm::SaveAndRestore<std::string> restored(targetUnderTest().chip);
  for (const std::string &chip : targetUnderTest().chips())
    for (int64_t left : {150, 400}) {
      targetUnderTest().chip = chip;
      c.band = {reference::BandAnchor::TopLeft, left, 0};
      c.seed = 7;
      EXPECT_EQ(checkCase(c), "") << chip;
    }
}

INSTANTIATE_TEST_SUITE_P(HeadDims, InfiniteScores,
                         testing::Values(64, 128, 256));
