//===- SharedOffsetTest.cpp - swizzled tiles in shared memory -------------===//

#include "smx/GPU/Layout.h"

#include "gtest/gtest.h"

#include <set>
#include <vector>

using namespace smx::gpu;

static bool isBijection(int64_t rows, int64_t columns, int64_t elementBytes,
                        int64_t swizzle) {
  std::vector<bool> taken(rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      int64_t offset =
          sharedOffset(rows, columns, elementBytes, swizzle, {row, column});
      if (offset < 0 || offset % elementBytes != 0 ||
          offset / elementBytes >= rows * columns ||
          taken[offset / elementBytes])
        return false;
      taken[offset / elementBytes] = true;
    }
  return true;
}

TEST(SharedOffset, IsABijection) {
  for (int64_t swizzle : {0, 32, 64, 128})
    for (int64_t bytes : {1, 2, 4, 8})
      for (int64_t rows : {1, 8, 20, 64, 96})
        for (int64_t spans : {1, 2, 3}) {
          int64_t columns = (swizzle ? swizzle : 16) / bytes * spans;
          EXPECT_TRUE(isBijection(rows, columns, bytes, swizzle))
              << rows << " x " << columns << " of " << bytes
              << " bytes, swizzle " << swizzle;
        }
}

TEST(SharedOffset, PlainRowsAreRowMajor) {
  EXPECT_EQ(sharedOffset(64, 40, 2, 0, {3, 5}), (3 * 40 + 5) * 2);
}

/// What the hardware does to an address: bits 4.. are xored with bits 7.., as
/// many as the swizzle has chunks.
static int64_t hardwareSwizzle(int64_t address, int64_t swizzle) {
  int64_t mask = swizzle / 16 - 1;
  return address ^ ((address >> 7 & mask) << 4);
}

TEST(SharedOffset, PermutesAsTheTensorCopyEngineDoes) {
  for (int64_t swizzle : {32, 64, 128})
    for (int64_t panel = 0; panel < 2; ++panel)
      for (int64_t row = 0; row < 64; ++row)
        for (int64_t column = 0; column < swizzle / 2; ++column) {
          int64_t plain = row * swizzle + column * 2;
          EXPECT_EQ(sharedOffset(64, swizzle, 2, swizzle,
                                 {row, panel * swizzle / 2 + column}),
                    panel * 64 * swizzle + hardwareSwizzle(plain, swizzle));
        }
}

TEST(SharedOffset, KeepsChunksOf16BytesWhole) {
  for (int64_t swizzle : {32, 64, 128})
    for (int64_t row = 0; row < 16; ++row)
      for (int64_t column = 0; column < 128; ++column) {
        int64_t chunk =
            sharedOffset(16, 128, 2, swizzle, {row, column - column % 8});
        EXPECT_EQ(chunk % 16, 0);
        EXPECT_EQ(sharedOffset(16, 128, 2, swizzle, {row, column}),
                  chunk + column % 8 * 2);
      }
}

/// Of the eight groups of banks of 16 bytes, how many the rows of one 8 x 16
/// byte matrix lie in.
static size_t bankGroups(int64_t columns, int64_t swizzle, int64_t row,
                         int64_t column) {
  std::set<int64_t> groups;
  for (int64_t r = 0; r < 8; ++r)
    groups.insert(sharedOffset(64, columns, 2, swizzle, {row + r, column}) /
                  16 % 8);
  return groups.size();
}

TEST(SharedOffset, MatricesOf8RowsHaveNoBankConflict) {
  for (int64_t swizzle : {32, 64, 128})
    for (int64_t row = 0; row < 64; row += 8)
      for (int64_t column = 0; column < 128; column += 8)
        EXPECT_EQ(bankGroups(128, swizzle, row, column), 8u)
            << "swizzle " << swizzle << " at " << row << ", " << column;
}

TEST(SharedOffset, PlainRowsOf128BytesConflictEightfold) {
  // That the check above can fail.
  EXPECT_EQ(bankGroups(64, 0, 0, 0), 1u);
}
