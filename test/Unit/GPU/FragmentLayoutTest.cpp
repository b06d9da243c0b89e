//===- FragmentLayoutTest.cpp - accumulators of matrix products -----------===//
//
// Expected places are the formulas of the PTX ISA, written down per fragment.
//
//===----------------------------------------------------------------------===//

#include "Ownership.h"

#include "gtest/gtest.h"

using namespace smx::gpu;

TEST(FragmentLayout, AcceptsWholeBlocksOnly) {
  FragmentLayout layout{4};
  EXPECT_TRUE(layout.accepts(64, 8));
  EXPECT_TRUE(layout.accepts(128, 136));
  EXPECT_FALSE(layout.accepts(32, 8));
  EXPECT_FALSE(layout.accepts(96, 8));
  EXPECT_FALSE(layout.accepts(64, 12));
}

TEST(FragmentLayout, HoldsEachElementOnce) {
  for (int64_t warps : {1, 2, 3, 4, 8, 16})
    for (int64_t blocks : {1, 2, 3})
      for (int64_t columns : {8, 16, 24, 64, 256})
        EXPECT_TRUE(holdsEachElementOnce(FragmentLayout{warps},
                                         16 * warps * blocks, columns))
            << warps << " warps, " << blocks << " blocks, " << columns
            << " columns";
}

/// "Accumulator C or D" of mma.m16n8k16: c0 to c3 of a lane.
static Coordinate accumulatorOfM16N8(int64_t lane, int64_t i) {
  int64_t group = lane >> 2, inGroup = lane % 4;
  return {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
}

TEST(FragmentLayout, IsTheAccumulatorOfMma) {
  FragmentLayout layout{1};
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t tile = 0; tile < 8; ++tile)
      for (int64_t i = 0; i < 4; ++i) {
        Coordinate expected = accumulatorOfM16N8(lane, i);
        expected.column += 8 * tile;
        EXPECT_EQ(layout.coordinate(16, 64, lane, 4 * tile + i), expected)
            << "lane " << lane << " c" << i << " of tile " << tile;
      }
}

/// "Matrix A" of mma.m16n8k16 for 16-bit types: a0 to a7 of a lane.
static Coordinate operandOfM16K16(int64_t lane, int64_t i) {
  int64_t group = lane >> 2, inGroup = lane % 4;
  bool upper = (i >= 0 && i < 2) || (i >= 4 && i < 6);
  return {upper ? group : group + 8, inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}

TEST(FragmentLayout, IsTheOperandOfTheNextProductWithoutAShuffle) {
  FragmentLayout layout{1};
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t step = 0; step < 4; ++step) // of 16 reduced elements
      for (int64_t i = 0; i < 8; ++i) {
        Coordinate expected = operandOfM16K16(lane, i);
        expected.column += 16 * step;
        EXPECT_EQ(layout.coordinate(16, 64, lane, 8 * step + i), expected)
            << "lane " << lane << " a" << i << " of step " << step;
      }
}

TEST(FragmentLayout, PairsForOneRegisterAreNeighbours) {
  FragmentLayout layout{4};
  for (int64_t thread = 0; thread < layout.threads(); ++thread)
    for (int64_t i = 0; i < layout.registers(128, 64); i += 2) {
      Coordinate low = layout.coordinate(128, 64, thread, i);
      Coordinate high = layout.coordinate(128, 64, thread, i + 1);
      EXPECT_EQ(high, (Coordinate{low.row, low.column + 1}));
      EXPECT_EQ(low.column % 2, 0);
    }
}

/// The D fragment of wgmma.m64nN: d0 to d(N/2-1) of a thread.
static Coordinate accumulatorOfM64(int64_t thread, int64_t i) {
  int64_t row = 16 * (thread / 32) + (thread % 32) / 4;
  int64_t column = (thread % 4) * 2;
  return {row + 8 * ((i / 2) % 2), column + 8 * (i / 4) + i % 2};
}

TEST(FragmentLayout, IsTheAccumulatorOfAWarpgroup) {
  FragmentLayout layout{4};
  for (int64_t columns : {8, 64, 128, 256})
    for (int64_t thread = 0; thread < 128; ++thread)
      for (int64_t i = 0; i < columns / 2; ++i)
        EXPECT_EQ(layout.coordinate(64, columns, thread, i),
                  accumulatorOfM64(thread, i));
}

TEST(FragmentLayout, FurtherRowsAreFurtherFragments) {
  // Registers of one 64-row fragment, then those of the next.
  FragmentLayout layout{4};
  for (int64_t thread = 0; thread < 128; ++thread)
    for (int64_t i = 0; i < 32; ++i) {
      Coordinate expected = accumulatorOfM64(thread, i);
      expected.row += 64;
      EXPECT_EQ(layout.coordinate(128, 64, thread, 32 + i), expected);
    }
}

TEST(FragmentLayout, FourLanesShareARow) {
  // What a row reduction across lanes relies on: lanes of one quad, and no
  // others, hold the elements of a row.
  FragmentLayout layout{2};
  for (int64_t thread = 0; thread < layout.threads(); ++thread)
    for (int64_t i = 0; i < layout.registers(32, 64); ++i) {
      int64_t row = layout.coordinate(32, 64, thread, i).row;
      EXPECT_EQ(row, layout.coordinate(32, 64, thread & ~3, i).row);
      EXPECT_EQ(row % 8, thread % 32 / 4);
    }
}
