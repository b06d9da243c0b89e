//===- AdjacentRows.h - short rows that are moved as one piece --*- C++ -*-===//
//
// What the passes that give several short rows to a block and the pass that
// spreads them over its threads have to agree on. Rows that start anywhere have
// no accesses of 16 bytes of their own, but several that follow one another
// have: those go to shared memory, from where threads take single elements.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TILING_ADJACENTROWS_H
#define SMX_TILING_ADJACENTROWS_H

#include <cstdint>
#include <optional>

namespace mlir::smx {

/// Rows of a kernel: elements of one; tensors of such rows that are read, bits
/// of their elements and of those that are written (0: none are); and the
/// multiple of bytes at which all rows are known to start.
struct ShortRows {
  int64_t columns, read, readBits, writtenBits, alignment;
  /// The places of the largest elements are asked for.
  bool isRanked = false;
};

/// The rows of a block, and how its threads have them.
struct AdjacentRows {
  /// Threads of a block; and bytes of one, at most, in the wider type: as f32,
  /// 16-bit elements fill half of the registers that a multiprocessor has for
  /// each of 1024 threads.
  static constexpr int64_t threads = 128, bytesOfThread = 68;
  /// Elements of the longest rows, of 16 bits.
  static constexpr int64_t longest = 1088;

  /// Lanes that share a row, neighbouring elements that a lane has of it, and
  /// rows of a block.
  int64_t lanes, vector, rows;

  /// None for rows that are not faster by it (measured on an H200).
  static std::optional<AdjacentRows> of(const ShortRows &rows);
};

} // namespace mlir::smx

#endif // SMX_TILING_ADJACENTROWS_H
