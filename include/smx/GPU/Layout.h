//===- Layout.h - which thread holds which element of a tile ----*- C++ -*-===//
//
// A register tile is distributed over the threads of its role. A layout says
// how: for thread `t` and register `i` it names one element of the tile. This
// is index algebra on plain integers, free of MLIR, so that it can be tested
// exhaustively.
//
// Sources: PTX ISA, "Matrix fragments for mma.m16n8k16" and "wgmma .m64nNk16
// register fragments"; the two agree, which is why one layout serves both.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_GPU_LAYOUT_H
#define SMX_GPU_LAYOUT_H

#include <cstdint>

namespace smx::gpu {

/// Row and column of an element in its tile.
struct Coordinate {
  int64_t row, column;
  friend bool operator==(const Coordinate &, const Coordinate &) = default;
};

inline constexpr int64_t warpThreads = 32;

/// Bytes of a register, and of a bank of shared memory.
inline constexpr int64_t wordBytes = 4;

/// Bytes that a thread moves to or from memory at a time, at most; memory moves
/// them at multiples of as many.
inline constexpr int64_t accessBytes = 16;
/// Registers of 32 bits that all blocks of a multiprocessor share.
inline constexpr int64_t registerFile = 65536;

/// Elements of columns of memory that a thread has room for beside what is made
/// of them; of more, that is made again where it is needed.
inline constexpr int64_t manyOfColumns = 32;

/// The accumulator of a matrix product. Blocks of 16 rows go to the warps in
/// turn: row block `b` of warp `w` starts at row `16 * (warps * b + w)`. Within
/// a block, lane `l` holds rows `l / 4` and `l / 4 + 8`, and of every 8 columns
/// the two at `2 * (l % 4)`.
struct FragmentLayout {
  int64_t warps;

  int64_t threads() const { return warps * warpThreads; }
  /// Rows must be a multiple of `16 * warps`, columns of 8.
  bool accepts(int64_t rows, int64_t columns) const {
    return rows % (16 * warps) == 0 && columns % 8 == 0;
  }
  int64_t registers(int64_t rows, int64_t columns) const {
    return rows * columns / threads();
  }
  /// Register order: row block, group of 8 columns, row of the pair, column.
  Coordinate coordinate(int64_t rows, int64_t columns, int64_t thread,
                        int64_t i) const {
    (void)rows;
    int64_t lane = thread % warpThreads, warp = thread / warpThreads;
    int64_t block = i / (columns / 2), inBlock = i % (columns / 2);
    return {16 * (warps * block + warp) + lane / 4 + 8 * (inBlock / 2 % 2),
            8 * (inBlock / 4) + 2 * (lane % 4) + inBlock % 2};
  }
};

/// Threads laid out as a grid of `rowThreads` x `columnThreads`, column threads
/// fastest. A thread takes `vector` neighbouring columns at a time, and every
/// `rowThreads`-th row.
struct StripedLayout {
  int64_t rowThreads, columnThreads, vector;

  int64_t threads() const { return rowThreads * columnThreads; }
  bool accepts(int64_t rows, int64_t columns) const {
    return rows % rowThreads == 0 && columns % (columnThreads * vector) == 0;
  }
  int64_t registers(int64_t rows, int64_t columns) const {
    return rows * columns / threads();
  }
  /// Register order: row, stripe of columns, column in the vector.
  Coordinate coordinate(int64_t rows, int64_t columns, int64_t thread,
                        int64_t i) const {
    (void)rows;
    int64_t perRow = columns / columnThreads;
    int64_t inRow = i % perRow;
    return {
        thread / columnThreads + rowThreads * (i / perRow),
        vector * (thread % columnThreads + columnThreads * (inRow / vector)) +
            inRow % vector};
  }
};

/// Byte offset of element (row, column) in a shared-memory tile of `columns`
/// elements of `elementBytes`, swizzled over spans of `swizzleBytes` (0 for
/// plain row-major, else 32, 64 or 128). The tile is cut into panels of one
/// span of columns each; inside a panel, 16-byte chunk `c` of a row is stored
/// at chunk `c ^ (row * span / 128) % (span / 16)`, which is what the tensor
/// copy engine writes and the descriptors of wgmma expect.
inline int64_t sharedOffset(int64_t rows, int64_t columns, int64_t elementBytes,
                            int64_t swizzleBytes, Coordinate at) {
  if (swizzleBytes == 0)
    return (at.row * columns + at.column) * elementBytes;
  int64_t byte = at.column * elementBytes;
  int64_t panel = byte / swizzleBytes, inPanel = byte % swizzleBytes;
  int64_t chunks = swizzleBytes / 16;
  int64_t rowsPerPattern = 128 / swizzleBytes;
  int64_t chunk = (inPanel / 16) ^ (at.row / rowsPerPattern % chunks);
  return panel * rows * swizzleBytes + at.row * swizzleBytes + chunk * 16 +
         inPanel % 16;
}

} // namespace smx::gpu

#endif // SMX_GPU_LAYOUT_H
