//===- LongRows.h - rows that thread blocks hold in registers ---*- C++ -*-===//
//
// What the pass that makes a long row one tile and the pass that spreads the
// tile over threads have to agree on.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TILING_LONGROWS_H
#define SMX_TILING_LONGROWS_H

#include <cstdint>

namespace mlir::smx {

/// A block: 1024 threads with 8 accesses of 16 bytes each. 64 registers a
/// thread are all that a multiprocessor has for so many.
inline constexpr int64_t blockRowThreads = 1024, blockRowThreadBytes = 128;
inline constexpr int64_t blockRowBytes = blockRowThreads * blockRowThreadBytes;

/// A block of a cluster has half of that, so that there are others to compute
/// while it waits for the cluster; and blocks that a cluster may have.
inline constexpr int64_t clusterRowBytes = blockRowBytes / 2,
                         mostClusterBlocks = 16;

/// Bytes of registers that `bytes` of a row take: arithmetic in double
/// precision takes as many again.
inline constexpr int64_t registerBytesOfRow(int64_t bytes, bool isDouble) {
  return isDouble ? 2 * bytes : bytes;
}

} // namespace mlir::smx

#endif // SMX_TILING_LONGROWS_H
