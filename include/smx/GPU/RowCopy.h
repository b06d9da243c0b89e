//===- RowCopy.h - rows that threads copy for themselves --------*- C++ -*-===//
#ifndef SMX_GPU_ROWCOPY_H
#define SMX_GPU_ROWCOPY_H

#include "smx/GPU/SmxGpu.h"

namespace mlir::smx::gpu {

/// Bytes of a row that a thread copies at a time.
inline constexpr int64_t rowCopyBytes = 16;

/// Whether each of `threads` threads copies, of every `threads` neighbouring
/// places of 16 bytes of a single row, that of its own number.
bool copiesByThreads(CopyOp copy, int64_t threads);

/// Whether `access` is a read or write of the tile in registers, and each of
/// `threads` threads accesses what it copies itself.
bool accessesOwnCopy(CopyOp copy, Operation *access, int64_t threads);

/// The ops, other than `copy`, that access its shared tile, through names for
/// it.
SmallVector<Operation *> getAccesses(CopyOp copy);

} // namespace mlir::smx::gpu

#endif // SMX_GPU_ROWCOPY_H
