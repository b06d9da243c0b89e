//===- SharedAddressTest.cpp - addresses against the definition -----------===//
//
// The formulas that the lowering emits, evaluated for every thread, against
// `sharedOffset` and against what the PTX ISA says that ldmatrix and mma do.
//
//===----------------------------------------------------------------------===//

#include "DefinedOffset.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <set>
#include <vector>

using namespace smx::gpu;

namespace {

const SharedTile tiles[] = {
    {64, 128, 2, 128}, {64, 64, 2, 128}, {32, 96, 2, 64},   {128, 32, 2, 64},
    {64, 16, 2, 32},   {48, 80, 2, 32},  {64, 128, 4, 128}, {32, 16, 4, 64},
    {64, 64, 8, 128},  {16, 48, 2, 0},   {64, 40, 4, 0}};
const SharedTile oneRow{1, 4096, 2, 0};

/// The address of a thread's element as the lowering computes it.
int64_t steppedOffset(const SharedTile &tile, const ConstantStep &step,
                      ThreadPlace<int64_t> place) {
  place.row += step.phase;
  return (swizzledOffset(tile, place) ^ step.flip) + step.add;
}

TEST(SwizzledOffset, AgreesWithTheDefinition) {
  for (const SharedTile &tile : tiles)
    for (int64_t row = 0; row < tile.rows; ++row)
      for (int64_t column = 0; column < tile.columns; ++column)
        ASSERT_EQ(swizzledOffset<int64_t>(tile, {row, column}),
                  definedOffset(tile, {row, column}));
}

TEST(CopyGrid, MovesEveryElementOnceToItsPlace) {
  std::vector<SharedTile> all(std::begin(tiles), std::end(tiles));
  all.push_back(oneRow);
  for (const SharedTile &tile : all)
    for (int64_t threads : {32, 96, 128, 160, 256, 384, 512})
      for (int64_t bytes : {2, 4, 8, 16}) {
        int64_t vector = bytes / tile.elementBytes;
        if (vector == 0 || tile.columns % vector)
          continue;
        CopyGrid grid(tile.rows, tile.columns, threads, vector);
        std::vector<int> seen(tile.rows * tile.columns);
        for (int64_t i = 0; i < grid.rowSteps(); ++i)
          for (int64_t j = 0; j < grid.columnSteps(); ++j)
            for (int64_t thread = 0; thread < threads; ++thread) {
              ThreadPlace<int64_t> place = grid.place(thread);
              Coordinate step = grid.step(i, j);
              int64_t row = place.row + step.row;
              int64_t column = place.column + step.column;
              if (row >= tile.rows) {
                ASSERT_TRUE(grid.isRagged(i));
                continue;
              }
              auto split = splitStep(tile, grid.bits(tile.elementBytes), step);
              ASSERT_TRUE(split);
              ASSERT_LT(split->phase, SharedTile::phases);
              ASSERT_EQ(steppedOffset(tile, *split, place),
                        definedOffset(tile, {row, column}));
              // A vector stays in one chunk, hence in one piece.
              for (int64_t e = 0; e < vector; ++e) {
                ASSERT_EQ(definedOffset(tile, {row, column + e}),
                          definedOffset(tile, {row, column}) +
                              e * tile.elementBytes);
                ++seen[row * tile.columns + column + e];
              }
            }
        for (int count : seen)
          ASSERT_EQ(count, 1);
      }
}

TEST(CopyGrid, EveryThreadCopiesItsOwnPlacesOfARow) {
  for (int64_t threads : {32, 96, 160, 256, 384, 480})
    for (int64_t rounds : {1, 2, 3}) {
      constexpr int64_t vector = 8;
      SharedTile tile{1, rounds * threads * vector, 2, 0};
      CopyGrid grid(tile.rows, tile.columns, threads, vector);
      ASSERT_EQ(grid.rowSteps(), 1);
      ASSERT_EQ(grid.columnSteps(), rounds);
      for (int64_t round = 0; round < rounds; ++round)
        for (int64_t thread = 0; thread < threads; ++thread) {
          ThreadPlace<int64_t> place = grid.place(thread);
          Coordinate step = grid.step(0, round);
          ASSERT_EQ(place.row + step.row, 0);
          ASSERT_EQ(place.column + step.column,
                    (round * threads + thread) * vector);
          auto split = splitStep(tile, grid.bits(tile.elementBytes), step);
          ASSERT_TRUE(split);
          ASSERT_EQ(steppedOffset(tile, *split, place),
                    (round * threads + thread) * 16);
        }
    }
}

/// What a warp gets from ldmatrix.x4 on a tile whose elements are their own
/// linear indices: for lane, matrix and half the coordinate of the element.
using Fragment = std::array<std::array<std::array<Coordinate, 2>, 4>, 32>;

Fragment loadMatrices(const SharedTile &tile, Coordinate origin,
                      ThreadPlace<int64_t> (*place)(const int64_t &),
                      bool transposes) {
  // Back from bytes to elements.
  std::vector<Coordinate> content(tile.rows * tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t column = 0; column < tile.columns; ++column)
      content[definedOffset(tile, {row, column}) / tile.elementBytes] = {
          row, column};
  std::array<int64_t, 32> addresses;
  for (int64_t lane = 0; lane < 32; ++lane) {
    auto step = splitStep(tile, matrixBits, origin);
    EXPECT_TRUE(step);
    addresses[lane] = steppedOffset(tile, *step, place(lane));
  }
  Fragment fragment;
  for (int64_t matrix = 0; matrix < 4; ++matrix) {
    // Eight rows of 16 bytes in one go: no two may share banks.
    std::set<int64_t> banks;
    for (int64_t row = 0; row < 8; ++row)
      banks.insert(addresses[8 * matrix + row] / 16 % 8);
    if (tile.swizzleBytes)
      EXPECT_EQ(banks.size(), 8u);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t half = 0; half < 2; ++half) {
        int64_t row = transposes ? 2 * (lane % 4) + half : lane / 4;
        int64_t column = transposes ? lane / 4 : 2 * (lane % 4) + half;
        fragment[lane][matrix][half] =
            content[addresses[8 * matrix + row] / 2 + column];
      }
  }
  return fragment;
}

/// Fragments of mma.m16n8k16: the place of half `half` of register `r`.
Coordinate placeInA(int64_t lane, int64_t r, int64_t half) {
  return {lane / 4 + 8 * (r % 2), 2 * (lane % 4) + half + 8 * (r / 2)};
}
Coordinate placeInB(int64_t lane, int64_t r, int64_t half) {
  return {2 * (lane % 4) + half + 8 * r, lane / 4};
}

TEST(Ldmatrix, GivesTheFragmentsOfTheProduct) {
  for (const SharedTile &tile : tiles) {
    if (tile.elementBytes != 2)
      continue;
    for (int64_t row = 0; row < tile.rows; row += 16)
      for (int64_t column = 0; column < tile.columns; column += 16) {
        Coordinate origin{row, column};
        Fragment a =
            loadMatrices(tile, origin, columnMajorMatrices<int64_t>, false);
        Fragment plain =
            loadMatrices(tile, origin, columnMajorMatrices<int64_t>, true);
        Fragment transposed =
            loadMatrices(tile, origin, rowMajorMatrices<int64_t>, false);
        for (int64_t lane = 0; lane < 32; ++lane)
          for (int64_t r = 0; r < 4; ++r)
            for (int64_t half = 0; half < 2; ++half) {
              Coordinate at = placeInA(lane, r, half);
              ASSERT_EQ(a[lane][r][half],
                        (Coordinate{row + at.row, column + at.column}));
              // Registers 2 g and 2 g + 1 are B for columns 8 g onwards.
              at = placeInB(lane, r % 2, half);
              ASSERT_EQ(
                  plain[lane][r][half],
                  (Coordinate{row + at.row, column + at.column + 8 * (r / 2)}));
              ASSERT_EQ(
                  transposed[lane][r][half],
                  (Coordinate{row + at.column + 8 * (r / 2), column + at.row}));
            }
      }
  }
}

/// Registers of a layout, as `read` and `write` address them: the first one of
/// the thread, and a constant step from there.
template <class Layout>
void checkLayout(const Layout &layout, const SharedTile &tile) {
  PlaceBits bits{0, 0};
  for (int64_t thread = 0; thread < layout.threads(); ++thread) {
    Coordinate at = layout.coordinate(tile.rows, tile.columns, thread, 0);
    bits.row |= at.row;
    bits.columnByte |= at.column * tile.elementBytes;
  }
  for (int64_t thread = 0; thread < layout.threads(); ++thread) {
    Coordinate first = layout.coordinate(tile.rows, tile.columns, thread, 0);
    int64_t registers = layout.registers(tile.rows, tile.columns);
    for (int64_t i = 0; i < registers; ++i) {
      Coordinate step = layout.coordinate(tile.rows, tile.columns, 0, i);
      Coordinate at = layout.coordinate(tile.rows, tile.columns, thread, i);
      ASSERT_EQ(at.row, first.row + step.row);
      ASSERT_EQ(at.column, first.column + step.column);
      // Where adding may carry, the address is computed in full.
      if (auto split = splitStep(tile, bits, step))
        ASSERT_EQ(steppedOffset(tile, *split, {first.row, first.column}),
                  definedOffset(tile, at));
      else
        ASSERT_FALSE(
            std::has_single_bit(static_cast<uint64_t>(layout.threads())));
    }
  }
}

TEST(ReadAndWrite, StepsReachEveryRegister) {
  for (int64_t swizzle : {0, 32, 64, 128})
    for (int64_t bytes : {2, 4, 8}) {
      for (int64_t warps : {1, 2, 4})
        checkLayout(FragmentLayout{warps}, {128, 64, bytes, swizzle});
      checkLayout(StripedLayout{4, 32, 2}, {16, 128, bytes, swizzle});
      checkLayout(StripedLayout{16, 8, 4}, {48, 64, bytes, swizzle});
      checkLayout(StripedLayout{1, 128, 1}, {3, 256, bytes, swizzle});
      checkLayout(StripedLayout{4, 24, 2}, {8, 96 * 2, bytes, swizzle});
    }
}

TEST(ExactProduct, OperandsOfAQuad) {
  for (const SharedTile &tile : tiles) {
    if (tile.elementBytes == 2)
      continue;
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t row = 0; row < tile.rows / 8 * 8; ++row)
        for (int64_t group = 0; group < tile.columns / 8; ++group) {
          // Stored reduced x columns: this thread's two of a group.
          Coordinate at{row, 8 * group + 2 * (lane % 4)};
          auto step = splitStep(tile, PlaceBits{0, 6 * tile.elementBytes},
                                {row, 8 * group});
          ASSERT_TRUE(step);
          ASSERT_EQ(step->phase, 0);
          ASSERT_EQ(steppedOffset(tile, *step, {0, 2 * (lane % 4)}),
                    definedOffset(tile, at));
        }
  }
}

/// Rounds along the reduced dimension: of a, and of b stored columns x reduced.
TEST(ExactProduct, RoundsAlongRows) {
  for (const SharedTile &tile : tiles)
    for (int64_t perRound : {8, 16, 32}) {
      int64_t chunk = 16 / tile.elementBytes;
      if (tile.elementBytes == 2 || tile.columns % perRound)
        continue;
      PlaceBits bits{~15 | 7, ~(perRound * tile.elementBytes - 1)};
      for (int64_t first = 0; first < tile.columns; first += perRound)
        for (int64_t row = 0; row < std::min<int64_t>(tile.rows, 8); ++row)
          for (int64_t below = 0; row + below < tile.rows; below += 8)
            for (int64_t k = 0; k < perRound; k += chunk) {
              auto step = splitStep(tile, bits, {below, k});
              ASSERT_TRUE(step);
              ASSERT_EQ(steppedOffset(tile, *step, {row, first}),
                        definedOffset(tile, {row + below, first + k}));
            }
      // Two columns of b a thread.
      for (int64_t first = 0; first < tile.columns; first += perRound)
        for (int64_t row = 0; row < tile.rows; ++row)
          for (int64_t k = 0; k < perRound; k += chunk) {
            int64_t pair = row % 8 / 2 * 2;
            auto step =
                splitStep(tile, PlaceBits{6, bits.columnByte}, {row - pair, k});
            ASSERT_TRUE(step);
            ASSERT_EQ(steppedOffset(tile, *step, {pair, first}),
                      definedOffset(tile, {row, first + k}));
          }
    }
}

TEST(Fragment, PackedWeightsAreTheLeftOperand) {
  FragmentLayout layout{4};
  for (int64_t columns : {16, 64, 128})
    for (int64_t thread = 0; thread < layout.threads(); ++thread)
      for (int64_t block = 0; block < 2; ++block)
        for (int64_t step = 0; step < columns / 16; ++step)
          for (int64_t r = 0; r < 4; ++r)
            for (int64_t half = 0; half < 2; ++half) {
              int64_t i = block * columns / 2 + 8 * step + 2 * r + half;
              Coordinate at = placeInA(thread % 32, r, half);
              at.row += 16 * (4 * block + thread / 32);
              at.column += 16 * step;
              ASSERT_EQ(layout.coordinate(128, columns, thread, i), at);
            }
}

} // namespace
