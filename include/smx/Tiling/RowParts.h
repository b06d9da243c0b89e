//===- RowParts.h - blocks that share a row ---------------------*- C++ -*-===//
//
// What the pass that makes partial states of a long row and the one that gives
// parts of it to blocks of threads have to agree on.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TILING_ROWPARTS_H
#define SMX_TILING_ROWPARTS_H

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::smx {

/// What one f32 sum adds up at most of a row, in bytes.
inline constexpr int64_t longestPartBytes = 1 << 20;

/// Blocks that share each of the rows, which have values of their own, where
/// `slots` blocks run at once: 1 if there are rows for all of them, or nobody
/// knows how many.
inline int64_t blocksOfRow(ArrayRef<OpFoldResult> rowSizes, int64_t slots) {
  int64_t rows = 1;
  for (OpFoldResult size : rowSizes)
    rows *= getConstantIntValue(size).value_or(slots);
  return rows > 0 ? std::max<int64_t>(slots / rows, 1) : 1;
}

/// Blocks share so few rows, in parts whose states another algebra merges.
bool isSharedByBlocks(StreamingReductionOpInterface op,
                      ArrayRef<OpFoldResult> rowSizes, int64_t slots);

/// What is streamed are tensors in memory.
bool isInMemory(StreamingReductionOpInterface op);

/// Blocks of a cluster, `most` at most, hold a whole row of the reduction in
/// registers: where rows of 16-bit elements in memory are read once, for
/// results that nothing else is read for, and there are as many of them as of
/// the blocks of threads that run at once.
bool isReadByCluster(StreamingReductionOpInterface op,
                     ArrayRef<OpFoldResult> rowSizes, int64_t extent,
                     int64_t most, int64_t slots);

} // namespace mlir::smx

#endif // SMX_TILING_ROWPARTS_H
