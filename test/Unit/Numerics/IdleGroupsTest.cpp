//===- IdleGroupsTest.cpp - groups whose rows are beyond the end ----------===//
//
// Groups of 64 rows of which the last tile of rows has none, or some.
//
//===----------------------------------------------------------------------===//

#include "WalkForm.h"

using namespace smx;
using namespace smx::test;

namespace {
/// Of tiles of 192 rows and 96 keys, or of 128 and 128 at a head dim of 128.
const WalkForm idleForms[] = {
    // One group of the second tile has rows, a few of them.
    {"OneGroup", 3, 3, 200, 500, 64, 2, DType::BF16},
    // Two groups, one of them all of its rows; keys that end within a tile.
    {"TwoGroups", 2, 1, 320, 610, 64, 3, DType::F16},
    // One of two groups.
    {"WideHeads", 3, 3, 192, 700, 128, 2, DType::BF16},
    // The only tile.
    {"Alone", 5, 5, 60, 400, 64, 2, DType::BF16},
    // A tile in parts of the keys: the merge takes the rows of one group.
    {"Parts", 1, 1, 832, 2720, 64, 4, DType::BF16},
};

struct IdleGroups : WalkTest {};
} // namespace

TEST_P(IdleGroups, MatchTheReference) {
  for (bool isCausal : {false, true})
    for (const char *generator : {"normal", "staircase", "one_nan"}) {
      NumericCase c = attentionCase();
      if (isCausal)
        c.band = reference::Band::causal(reference::BandAnchor::BottomRight);
      c.road.tileRows = c.headDim == 64 ? 192 : 128;
      c.road.tileStream = c.headDim == 64 ? 96 : 128;
      c.generator = generator;
      c.seed = 11;
      EXPECT_EQ(checkCase(c), "") << (isCausal ? "causal " : "") << generator;
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, IdleGroups, testing::ValuesIn(idleForms),
                         IdleGroups::nameOf);
