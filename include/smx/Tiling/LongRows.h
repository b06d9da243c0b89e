//===- LongRows.h - rows that thread blocks hold in registers ---*- C++ -*-===//
//
// What the pass that makes a long row one tile and the pass that spreads the
// tile over threads have to agree on.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TILING_LONGROWS_H
#define SMX_TILING_LONGROWS_H

#include "smx/IR/CutKeys.h"
#include "smx/IR/SelectedRows.h"

#include <cstdint>

namespace mlir::smx {

/// Bits of the widest access of a thread to global memory.
inline constexpr int64_t accessBits = 128;

/// Most threads of a block: a limit of the hardware.
inline constexpr int64_t blockRowThreads = 1024;

/// Bytes of a row that a thread has in registers: 8 accesses, which take 32 of
/// the 64 registers that a multiprocessor has for each of 1024 threads.
inline constexpr int64_t blockRowThreadBytes = 128;

/// Bytes of the longest row that one block has in registers.
inline constexpr int64_t blockRowBytes = blockRowThreads * blockRowThreadBytes;

/// Threads of a multiprocessor, which have 32 registers each.
inline constexpr int64_t multiprocessorThreads = 2048;

/// Most blocks of a multiprocessor.
inline constexpr int64_t multiprocessorBlocks = 32;

/// Bytes of a row that a thread has in registers where accesses of the row may
/// be cut, at its end or because it starts within one, and it is widened or
/// only read: both halves of such an access, and what says where, take
/// registers, too.
inline constexpr int64_t cutRowThreadBytes = 64;

/// Bytes of such a row in the registers of a block with 512 threads, which
/// leaves room for another one.
inline constexpr int64_t cutBlockBytes =
    blockRowThreads / 2 * cutRowThreadBytes;

/// Bytes of a tile of what is read once, in cut accesses: two blocks with 512
/// threads share a multiprocessor, as above.
inline constexpr int64_t cutTileBytes = cutBlockBytes;

/// Bytes of a row of narrow elements that a thread has in registers where it
/// has them widened, too, which takes twice as many registers again.
inline constexpr int64_t widenedThreadBytes = 48;

/// Bytes of a row of 16-bit elements that a thread has in registers where
/// exponentials of it are f32: 32 elements, and as many of those.
inline constexpr int64_t exponentialThreadBytes = blockRowThreadBytes / 2;

/// Bytes of the longest row of registers alone whose block leaves room for
/// another one, to compute while the first waits.
inline constexpr int64_t halfRowBytes = blockRowBytes / 2;

/// Blocks that a cluster may have: 8 are portable, an H100 has up to 16.
inline constexpr int64_t mostClusterBlocks = 16;

/// Bytes of a row that a block of up to 256 threads has in registers, where
/// four of them are on a multiprocessor.
inline constexpr int64_t quarterRowBytes = blockRowBytes / 4;

/// So many blocks of so many threads leave at most a 16th of a multiprocessor's
/// threads over.
inline constexpr bool fillsMultiprocessor(int64_t threads, int64_t blocks) {
  return threads * blocks * 16 >= multiprocessorThreads * 15;
}

/// At most a 32nd of the registers for a row is beyond its end. Rows that leave
/// more of a cluster's, up to all of a block's, are slower by 4 to 25 %.
inline constexpr bool isNearlyFull(int64_t bytes, int64_t room) {
  return bytes <= room && (room - bytes) * 32 <= room;
}

/// Blocks of up to 256 threads, and threads of each, that hold a row.
struct SmallBlocks {
  int64_t blocks = 1, threads;

  /// Threads are whole warps, and blocks a power of two.
  constexpr explicit SmallBlocks(int64_t bytes) {
    constexpr int64_t warp = 32;
    while (bytes > blocks * quarterRowBytes)
      blocks *= 2;
    int64_t warpBytes = blocks * warp * blockRowThreadBytes;
    threads = (bytes + warpBytes - 1) / warpBytes * warp;
  }

  constexpr int64_t room() const {
    return blocks * threads * blockRowThreadBytes;
  }
};

/// Where rows are aligned, the rest of a longer one stays in shared memory: of
/// two blocks on a multiprocessor as much as in registers, of a single one
/// somewhat more.
inline constexpr int64_t sharedRowBytes = 176 * 1024;

/// Elements of the longest row whose `count` largest ones lanes of a warp find
/// one after the other. Keys of two words take three times as many instructions
/// to compare.
inline constexpr int64_t longestLaneRow(int64_t bits, int64_t count) {
  if (bits == 16)
    return 1024;
  return haveCutKeys(bits, count) ? 256 : 128;
}

/// Whether lanes of a warp find the `count` largest of a row in their
/// registers. Of a long row a whole block finds them, unless its tile has a row
/// for each warp (`hasRowsForWarps`).
inline constexpr bool isRankedInLanes(int64_t bits, int64_t count,
                                      int64_t length, bool hasRowsForWarps) {
  return length <= longestLaneRow(bits, count) ||
         (hasRowsForWarps && isSelectedRow(bits, count, length));
}

/// Bytes of shared memory for scratch and alignment beside such a row.
inline constexpr int64_t besidesRowBytes = 16 * 1024;

/// Bytes of the longest row that a cluster of so many blocks holds.
inline constexpr int64_t heldRowBytes(int64_t blocks, bool isAligned) {
  if (blocks == 1)
    return blockRowBytes;
  return blocks * (isAligned ? blockRowBytes + sharedRowBytes : halfRowBytes);
}

/// Bytes of the longest row of 16-bit elements that starts and ends anywhere,
/// and is only read, which blocks of a cluster hold. Longer ones are streamed.
inline constexpr int64_t slidRowBytes = 8 * quarterRowBytes;

/// Bytes of registers that `bytes` of a row take: arithmetic in double
/// precision takes as many again.
inline constexpr int64_t registerBytesOfRow(int64_t bytes, bool isDouble) {
  return isDouble ? 2 * bytes : bytes;
}

} // namespace mlir::smx

#endif // SMX_TILING_LONGROWS_H
