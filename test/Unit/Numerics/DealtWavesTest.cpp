//===- DealtWavesTest.cpp - the last tiles of a walk, one by one ----------===//
//
// A few blocks walk over the tiles of a band, of which the last ones see 40
// tiles of keys or more: each tile is some block's.
//
//===----------------------------------------------------------------------===//

#include "WalkForm.h"

using namespace smx;
using namespace smx::test;

namespace {
/// Of tiles of 192 rows and 96 keys, or of 128 and 64 at a head dim of 256: as
/// the model has them, but where queries are few.
const WalkForm dealtForms[] = {
    // Five of the eleven pairs of one row.
    {"Causal", 1, 1, 4096, 4096, 64, 3, DType::BF16},
    // Five pairs, which begin within a row of three.
    {"WithinARow", 3, 3, 1152, 4000, 64, 4, DType::BF16},
    {"SharedKeys", 6, 2, 768, 4000, 64, 5, DType::F16},
    {"WideHeads", 7, 7, 256, 2600, 256, 3, DType::BF16},
};

struct DealtWaves : WalkTest {};
} // namespace

TEST_P(DealtWaves, MatchTheReference) {
  for (const char *generator : {"normal", "one_nan"}) {
    NumericCase c = attentionCase();
    c.band = reference::Band::causal(reference::BandAnchor::BottomRight);
    if (c.headDim == 64) {
      c.road.tileRows = 192;
      c.road.tileStream = 96;
    }
    c.generator = generator;
    c.seed = 7;
    EXPECT_EQ(checkCase(c), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, DealtWaves, testing::ValuesIn(dealtForms),
                         DealtWaves::nameOf);
