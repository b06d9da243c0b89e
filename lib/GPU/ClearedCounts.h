//===- ClearedCounts.h - counts that begin at 0 -----------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_CLEAREDCOUNTS_H
#define SMX_LIB_GPU_CLEAREDCOUNTS_H

#include "smx/GPU/SmxGpu.h"

namespace mlir::smx::gpu {

/// Makes all counts 0 before `launch`, which is of `kernel`: by the first block
/// of the launch in front of it, or else by a launch of its own. `counts` was
/// allocated for so many i32, and nothing uses it yet.
void clearCounts(LaunchOp launch, KernelOp kernel, Value counts);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_CLEAREDCOUNTS_H
