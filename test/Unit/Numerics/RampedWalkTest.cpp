//===- RampedWalkTest.cpp - windows, short tiles behind the others --------===//
//
// A few blocks walk over the tiles of a window, of which the first ones of a
// row of tiles see fewer keys than the others: each tile is some block's, and
// sees its whole tiles of keys in front of the two that the window cuts.
//
//===----------------------------------------------------------------------===//

#include "WalkForm.h"

using namespace smx;
using namespace smx::test;

namespace {
/// As many keys as queries; tiles as the model has them.
const WalkForm rampedForms[] = {
    {"OneRow", 1, 1, 1664, 1664, 128, 3, DType::BF16},
    {"Rows", 3, 3, 1300, 1300, 128, 5, DType::F16},
    {"SharedKeys", 6, 2, 1000, 1000, 64, 4, DType::BF16},
    {"WideHeads", 2, 2, 1100, 1100, 256, 3, DType::BF16},
};

struct RampedWalk : WalkTest {
  static void expectReference(reference::Band band) {
    for (const char *generator : {"normal", "falling", "one_nan", "one_inf"}) {
      NumericCase c = attentionCase();
      c.band = band;
      c.generator = generator;
      c.seed = 7;
      EXPECT_EQ(checkCase(c), "");
    }
  }
};
} // namespace

TEST_P(RampedWalk, MatchesTheReference) {
  expectReference({reference::BandAnchor::TopLeft, 400, 0});
}

/// Keys behind a query, too: tiles at both ends of a row are short, and go in
/// their order. Bounds are within tiles.
TEST_P(RampedWalk, MatchesTheReferenceBothWays) {
  expectReference({reference::BandAnchor::TopLeft, 333, 150});
}

INSTANTIATE_TEST_SUITE_P(Forms, RampedWalk, testing::ValuesIn(rampedForms),
                         RampedWalk::nameOf);
