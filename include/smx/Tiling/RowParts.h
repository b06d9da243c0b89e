//===- RowParts.h - blocks that share a row ---------------------*- C++ -*-===//
//
// What the pass that makes partial states of a long row and the one that gives
// parts of it to blocks of threads have to agree on. In all of it `extent` is
// how many elements a row has, `most` how many blocks of threads a cluster has
// at most, and `slots` how many blocks run at once.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TILING_ROWPARTS_H
#define SMX_TILING_ROWPARTS_H

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::smx {

/// What one f32 sum adds up at most of a row, in bytes.
inline constexpr int64_t longestPartBytes = 1 << 20;

/// Rows lie along the fastest dimension of what is streamed.
bool isStreamFastest(StreamingReductionOpInterface op);

/// Memory runs along the dimensions of the tensor: nothing in front of it
/// transposes.
bool isInOrderOfMemory(Value tensor);

/// Blocks that share at most each of the rows, which have values of their own:
/// 1 if there are rows for all of them. Where the number of rows is open, rows
/// that are longer than one sum have parts anyway, and a call says how many: as
/// if there were the fewest. Others are not shared.
int64_t mostBlocksOfRow(StreamingReductionOpInterface op,
                        ArrayRef<OpFoldResult> rowSizes,
                        std::optional<int64_t> extent, int64_t slots);

/// Blocks share so few rows, in parts whose states another algebra merges.
bool isSharedByBlocks(StreamingReductionOpInterface op,
                      ArrayRef<OpFoldResult> rowSizes,
                      std::optional<int64_t> extent, int64_t slots);

/// What is streamed are tensors in memory.
bool isInMemory(StreamingReductionOpInterface op);

/// The row that is widened for the reduction, by an op that does nothing else,
/// or null.
Value widenedRow(StreamingReductionOpInterface op);

/// Blocks of a cluster, `most` at most, hold a whole row of the reduction in
/// registers, and as f32: where rows of 16-bit elements in memory are widened.
bool isWidenedByCluster(StreamingReductionOpInterface op, int64_t extent,
                        int64_t most);

/// Blocks of a cluster, `most` at most, hold a whole row of the reduction in
/// registers: where rows of 16-bit elements in memory are read once, and there
/// are as many of them as of the blocks of threads that run at once.
bool isReadByCluster(StreamingReductionOpInterface op,
                     ArrayRef<OpFoldResult> rowSizes, int64_t extent,
                     int64_t most, int64_t slots);

} // namespace mlir::smx

#endif // SMX_TILING_ROWPARTS_H
