//===- SharedAddress.h - places of tiles in shared memory -------*- C++ -*-===//
//
// Which bytes of a swizzled tile a thread touches: in a copy from global
// memory, and as the operands of a matrix product. Every formula is a template
// over its integer: with `int64_t` it is a number and is tested exhaustively,
// with `ThreadInteger` the very same formula emits IR. Free of MLIR.
//
// Sources: PTX ISA, "Warp-level matrix load instruction: ldmatrix" and "Matrix
// fragments for mma.m16n8k16".
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_SHAREDADDRESS_H
#define SMX_LIB_NVVM_SHAREDADDRESS_H

#include "smx/GPU/Layout.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace smx::gpu {

/// Row and column of a thread's first element in a tile.
template <class Integer>
struct ThreadPlace {
  Integer row, column;
};

/// How a tile lies in shared memory.
struct SharedTile {
  int64_t rows, columns, elementBytes, swizzleBytes;

  /// Rows after which the pattern of the swizzle repeats.
  static constexpr int64_t phases = 8;
};

/// `sharedOffset` in the operations that an address computation has. The
/// swizzle is one exclusive-or, since it only permutes chunks in a span.
template <class Integer>
Integer swizzledOffset(const SharedTile &tile,
                       const ThreadPlace<Integer> &place) {
  int64_t span = tile.swizzleBytes;
  if (span == 0)
    return (place.row * tile.columns + place.column) * tile.elementBytes;
  Integer byte = place.column * tile.elementBytes;
  Integer phase = place.row / (128 / span) % (span / 16);
  return byte / span * (tile.rows * span) + place.row * span +
         (byte % span ^ phase * 16);
}

/// Bits that are set in the row, and in the column in bytes, of the first
/// element of some thread. Adding a constant that has none of them is an
/// exclusive-or, which goes through the swizzle.
struct PlaceBits {
  int64_t row, columnByte;
};

/// How the address of an element follows from that of the thread's first one:
///   offset(row + r, column + c) == (offset(row + phase, column) ^ flip) + add
/// for the constants r and c. `phase` is below `SharedTile::phases` and `flip`
/// below the span of the swizzle, so that a thread has few distinct bases.
struct ConstantStep {
  int64_t phase, flip, add;
};

/// The step by `step.row` rows and `step.column` columns, or nothing if adding
/// the columns may carry.
inline std::optional<ConstantStep> splitStep(const SharedTile &tile,
                                             PlaceBits bits, Coordinate step) {
  int64_t span = tile.swizzleBytes, byte = step.column * tile.elementBytes;
  if (span == 0)
    return ConstantStep{0, 0,
                        step.row * tile.columns * tile.elementBytes + byte};
  if (byte & bits.columnByte)
    return std::nullopt;
  int64_t phase = step.row % SharedTile::phases, flip = byte % span / 16 * 16;
  if ((phase & bits.row) == 0) {
    flip ^= phase / (128 / span) % (span / 16) * 16;
    phase = 0;
  }
  return ConstantStep{phase, flip,
                      (step.row - phase) * span +
                          byte / span * (tile.rows * span) + byte % 16};
}

//===----------------------------------------------------------------------===//
// ldmatrix: lane `l` gives the address of row `l % 8` of the 8 x 8 matrix
// `l / 8`, and receives two neighbouring elements of every matrix.
//===----------------------------------------------------------------------===//

/// Four matrices as a square of 16 x 16 elements, in the order upper left,
/// lower left, upper right, lower right: the A operand (rows x reduced) as it
/// is, and a B operand stored reduced x columns, transposed on the way, for two
/// neighbouring groups of 8 columns.
template <class Integer>
ThreadPlace<Integer> columnMajorMatrices(const Integer &lane) {
  return {lane % 16, lane / 16 * 8};
}

/// The same square in the order upper left, upper right, lower left, lower
/// right: a B operand stored columns x reduced, for two neighbouring groups of
/// 8 columns.
template <class Integer>
ThreadPlace<Integer> rowMajorMatrices(const Integer &lane) {
  return {lane / 16 * 8 + lane % 8, lane / 8 % 2 * 8};
}

/// Bits of both: 16 rows, and of two chunks the second.
inline constexpr PlaceBits matrixBits{15, 16};

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Largest power of two that divides `value` and is at most `limit`.
inline int64_t powerOfTwoFactor(int64_t value, int64_t limit) {
  int64_t factor = 1;
  while (factor * 2 <= limit && value % (factor * 2) == 0)
    factor *= 2;
  return factor;
}

/// How the threads of a block share a copy of a tile: a grid of threads,
/// columns fastest, that steps down the rows and then to the right. `threads`
/// is a multiple of 32. Threads of a row are a power of two, so that a step to
/// the right never carries; but a single row of which all threads can have the
/// same share is copied so, each place by the thread that reads it
/// (`copiesByThreads`).
struct CopyGrid {
  int64_t rows, columns, threads;
  /// Elements that a thread moves at a time.
  int64_t vector;
  int64_t columnThreads;

  CopyGrid(int64_t rows, int64_t columns, int64_t threads, int64_t vector)
      : rows(rows), columns(columns), threads(threads), vector(vector),
        columnThreads(rows == 1 && columns % (vector * threads) == 0
                          ? threads
                          : powerOfTwoFactor(
                                columns / vector,
                                rows == 1 ? threads & -threads
                                          : std::min<int64_t>(threads, 32))) {}

  int64_t rowThreads() const { return threads / columnThreads; }
  int64_t rowSteps() const { return (rows + rowThreads() - 1) / rowThreads(); }
  int64_t columnSteps() const { return columns / (vector * columnThreads); }
  /// Whether at row step `i` some thread is past the last row.
  bool isRagged(int64_t i) const { return (i + 1) * rowThreads() > rows; }
  Coordinate step(int64_t i, int64_t j) const {
    return {i * rowThreads(), j * columnThreads * vector};
  }
  PlaceBits bits(int64_t elementBytes) const {
    return {static_cast<int64_t>(std::bit_ceil<uint64_t>(rowThreads())) - 1,
            (static_cast<int64_t>(std::bit_ceil<uint64_t>(columnThreads)) - 1) *
                vector * elementBytes};
  }

  template <class Integer>
  ThreadPlace<Integer> place(const Integer &thread) const {
    return {thread / columnThreads, thread % columnThreads * vector};
  }
};

} // namespace smx::gpu

#endif // SMX_LIB_NVVM_SHAREDADDRESS_H
