//===- MatrixDescriptorTest.cpp - descriptors against the definition ------===//
//
// What the PTX ISA says that wgmma reads for a descriptor, element by element,
// against where `sharedOffset` puts the element.
//
//===----------------------------------------------------------------------===//

#include "DefinedOffset.h"

#include "NVVM/MatrixDescriptor.h"

#include <gtest/gtest.h>

using namespace smx::gpu;

namespace {

/// A descriptor as the unit decodes it; all in bytes.
struct Decoded {
  int64_t address, panelStride, rowStride, span;

  Decoded(int64_t low, int64_t high)
      : address((low & 0x3FFF) * 16), panelStride((low >> 16 & 0x3FFF) * 16),
        rowStride((high & 0x3FFF) * 16) {
    int64_t code = high >> 30 & 3;
    span = code == 1 ? 128 : code == 2 ? 64 : code == 3 ? 32 : 0;
  }

  /// The swizzle permutes 16-byte chunks by bits of the address itself.
  int64_t swizzled(int64_t address) const {
    return address ^ (address >> 7 & (span / 16 - 1)) << 4;
  }
  /// Where column `n` of the product and row `k` of the reduced dimension are.
  int64_t placeOf(int64_t n, int64_t k, bool isReducedContiguous) const {
    if (isReducedContiguous)
      return swizzled(address + n / 8 * rowStride + n % 8 * span + k * 2);
    int64_t width = span / 2;
    return swizzled(address + n / width * panelStride + k / 8 * rowStride +
                    k % 8 * span + n % width * 2);
  }
};

const SharedTile operandTiles[] = {
    {64, 128, 2, 128}, {128, 64, 2, 128}, {176, 128, 2, 128}, {64, 96, 2, 64},
    {32, 32, 2, 64},   {80, 48, 2, 32},   {16, 16, 2, 32}};

/// A tile does not start at 0, so that what is or-ed must not overlap it.
constexpr int64_t start = 3 * 1024;

Decoded descriptorOf(const MatrixDescriptor &operand, Coordinate at) {
  return {(start / 16 | operand.lowBits()) + operand.step(at),
          operand.highBits()};
}

TEST(MatrixDescriptor, ReadsRowsAlongTheReducedDimension) {
  for (const SharedTile &tile : operandTiles) {
    MatrixDescriptor operand{tile, /*isReducedContiguous=*/true};
    for (int64_t row = 0; row < tile.rows; row += 8)
      for (int64_t k = 0; k < tile.columns; k += MatrixDescriptor::depth) {
        Decoded decoded = descriptorOf(operand, {row, k});
        for (int64_t n = 0; row + n < tile.rows; ++n)
          for (int64_t i = 0; i < MatrixDescriptor::depth; ++i)
            ASSERT_EQ(decoded.placeOf(n, i, true),
                      start + definedOffset(tile, {row + n, k + i}))
                << tile.rows << "x" << tile.columns << " span "
                << tile.swizzleBytes;
      }
  }
}

TEST(MatrixDescriptor, ReadsRowsAlongTheColumnsOfTheProduct) {
  for (const SharedTile &tile : operandTiles) {
    MatrixDescriptor operand{tile, /*isReducedContiguous=*/false};
    for (int64_t k = 0; k < tile.rows; k += MatrixDescriptor::depth) {
      Decoded decoded = descriptorOf(operand, {k, 0});
      for (int64_t n = 0; n < tile.columns; ++n)
        for (int64_t i = 0; i < MatrixDescriptor::depth; ++i)
          ASSERT_EQ(decoded.placeOf(n, i, false),
                    start + definedOffset(tile, {k + i, n}))
              << tile.rows << "x" << tile.columns << " span "
              << tile.swizzleBytes;
    }
  }
}

TEST(MatrixDescriptor, HasTheWordsThatRanOnTheDevice) {
  // 128-byte swizzle: the same high word for all operands.
  MatrixDescriptor keys{{128, 128, 2, 128}, true};
  MatrixDescriptor values{{128, 128, 2, 128}, false};
  EXPECT_EQ(keys.highBits(), 0x40000040);
  EXPECT_EQ(values.highBits(), 0x40000040);
  EXPECT_EQ(keys.step({0, 16}), 2);
  EXPECT_EQ(keys.step({0, 64}), 128 * 128 / 16);
  EXPECT_EQ(values.lowBits() >> 16, 128 * 128 / 16);
  EXPECT_EQ(values.step({16, 0}), 128);
}

} // namespace
