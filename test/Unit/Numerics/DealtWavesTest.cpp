//===- DealtWavesTest.cpp - the last tiles of a walk, one by one ----------===//
//
// A few blocks walk over the tiles of a band, of which the last ones see 40
// tiles of keys or more: each tile is some block's.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "llvm/Support/SaveAndRestore.h"
#include "gtest/gtest.h"

using namespace smx;
using namespace smx::test;

namespace {
struct Form {
  const char *name;
  int64_t heads, keyHeads, queries, keys, headDim, blocks;
  DType dtype;
};

/// Of tiles of 192 rows and 96 keys, or of 128 and 64 at a head dim of 256: as
/// the model has them, but where queries are few.
const Form forms[] = {
    // Five of the eleven pairs of one row.
    {"Causal", 1, 1, 4096, 4096, 64, 3, DType::BF16},
    // Five pairs, which begin within a row of three.
    {"WithinARow", 3, 3, 1152, 4000, 64, 4, DType::BF16},
    {"SharedKeys", 6, 2, 768, 4000, 64, 5, DType::F16},
    {"WideHeads", 7, 7, 256, 2600, 256, 3, DType::BF16},
};

struct DealtWaves : testing::TestWithParam<Form> {
  DealtWaves()
      : chip(targetUnderTest().chip, targetUnderTest().chips().back()) {}

  llvm::SaveAndRestore<std::string> chip;
};
} // namespace

TEST_P(DealtWaves, MatchTheReference) {
  const Form &form = GetParam();
  for (const char *generator : {"normal", "one_nan"}) {
    NumericCase c;
    c.op = Op::Attention;
    c.dtype = form.dtype;
    c.queryHeads = form.heads;
    c.keyHeads = form.keyHeads;
    c.queries = form.queries;
    c.keys = form.keys;
    c.headDim = c.valueDim = form.headDim;
    c.scale = 0.11;
    c.band = reference::Band::causal(reference::BandAnchor::BottomRight);
    if (form.headDim == 64) {
      c.road.tileRows = 192;
      c.road.tileStream = 96;
    }
    c.road.blocks = form.blocks;
    c.generator = generator;
    c.seed = 7;
    EXPECT_EQ(checkCase(c), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, DealtWaves, testing::ValuesIn(forms),
                         [](const testing::TestParamInfo<Form> &info) {
                           return std::string(info.param.name);
                         });
