//===- StripedLayoutTest.cpp - rows over a grid of threads ----------------===//

#include "Ownership.h"

#include "gtest/gtest.h"

#include <set>

using namespace smx::gpu;

TEST(StripedLayout, AcceptsWholeStripesOnly) {
  StripedLayout layout{2, 16, 4};
  EXPECT_TRUE(layout.accepts(2, 64));
  EXPECT_TRUE(layout.accepts(6, 192));
  EXPECT_FALSE(layout.accepts(3, 64));
  EXPECT_FALSE(layout.accepts(2, 32));
}

TEST(StripedLayout, HoldsEachElementOnce) {
  for (int64_t rows : {1, 2, 8, 32})
    for (int64_t columns : {1, 4, 16, 32, 128})
      for (int64_t vector : {1, 2, 4, 8})
        for (int64_t times : {1, 2, 3})
          if (rows * columns <= 1024)
            EXPECT_TRUE(
                holdsEachElementOnce(StripedLayout{rows, columns, vector},
                                     rows * times, columns * vector * times))
                << rows << " x " << columns << " threads, vectors of " << vector
                << ", " << times << " times";
}

TEST(StripedLayout, AVectorIsContiguousAndAligned) {
  StripedLayout layout{4, 32, 8};
  for (int64_t thread = 0; thread < layout.threads(); ++thread)
    for (int64_t i = 0; i < layout.registers(8, 512); ++i) {
      Coordinate first = layout.coordinate(8, 512, thread, i - i % 8);
      EXPECT_EQ(first.column % 8, 0);
      EXPECT_EQ(layout.coordinate(8, 512, thread, i),
                (Coordinate{first.row, first.column + i % 8}));
    }
}

/// The elements that a warp reads with one instruction, a vector per lane, are
/// `contiguous` neighbours in each of the rows that it reads.
static void expectCoalesced(const StripedLayout &layout, int64_t rows,
                            int64_t columns, int64_t contiguous) {
  for (int64_t warp = 0; warp < layout.threads() / warpThreads; ++warp)
    for (int64_t i = 0; i < layout.registers(rows, columns);
         i += layout.vector) {
      std::set<int64_t> places;
      for (int64_t lane = 0; lane < warpThreads; ++lane) {
        Coordinate at =
            layout.coordinate(rows, columns, warp * warpThreads + lane, i);
        places.insert(at.row * columns + at.column);
      }
      ASSERT_EQ(places.size(), size_t(warpThreads));
      int64_t lanes = contiguous / layout.vector, lane = 0, start = 0;
      for (int64_t place : places) {
        if (lane++ % lanes == 0)
          start = place;
        else
          start += layout.vector;
        EXPECT_EQ(place, start);
      }
    }
}

TEST(StripedLayout, AWarpReadsAContiguousPieceOfARow) {
  expectCoalesced({1, 128, 4}, 2, 2048, 32 * 4);
  expectCoalesced({1, 256, 8}, 1, 4096, 32 * 8);
  expectCoalesced({4, 32, 4}, 8, 512, 32 * 4);
}

TEST(StripedLayout, ShortRowsShareAWarp) {
  // 8 lanes of 16 bytes are a whole line of 128 bytes per row.
  expectCoalesced({16, 8, 8}, 16, 192, 8 * 8);
  expectCoalesced({32, 4, 4}, 64, 32, 4 * 4);
}

TEST(StripedLayout, ThreadsOfARowAreNeighbours) {
  // What a row reduction relies on: rows of up to 32 threads lie in one warp.
  StripedLayout layout{16, 8, 4};
  for (int64_t thread = 0; thread < layout.threads(); ++thread)
    for (int64_t i = 0; i < layout.registers(32, 64); ++i)
      EXPECT_EQ(layout.coordinate(32, 64, thread, i).row % 16, thread / 8);
}
