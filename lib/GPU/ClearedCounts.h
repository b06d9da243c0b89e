//===- ClearedCounts.h - counts that begin at 0 -----------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_CLEAREDCOUNTS_H
#define SMX_LIB_GPU_CLEAREDCOUNTS_H

#include "smx/GPU/SmxGpu.h"

namespace mlir::smx::gpu {

/// A launch in front of `launch`, which is of `kernel`, that makes all counts
/// 0: `counts` is memory for so many i32.
void clearCounts(LaunchOp launch, KernelOp kernel, Value counts);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_CLEAREDCOUNTS_H
