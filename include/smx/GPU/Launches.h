//===- Launches.h - kernels and where they start ----------------*- C++ -*-===//
#ifndef SMX_GPU_LAUNCHES_H
#define SMX_GPU_LAUNCHES_H

#include "smx/GPU/SmxGpu.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::smx::gpu {

/// The launches of every kernel of `module` that has one, in order.
llvm::MapVector<KernelOp, SmallVector<LaunchOp>> launchesIn(ModuleOp module);

/// What `launch` gives the kernel for `value`, an argument of it, in roles or
/// not; null for any other value.
Value valueOfLaunch(LaunchOp launch, Value value);

} // namespace mlir::smx::gpu

#endif // SMX_GPU_LAUNCHES_H
