//===- SharedMemory.h - whether a kernel fits shared memory -----*- C++ -*-===//
#ifndef SMX_GPU_SHAREDMEMORY_H
#define SMX_GPU_SHAREDMEMORY_H

#include "smx/GPU/SmxGpu.h"

namespace mlir::smx::gpu {

/// Where tiles in shared memory start: multiples of so many bytes, as the
/// tensor copy engine and the swizzle want.
inline constexpr int64_t sharedTileAlignment = 1024;

/// Fails, with the depth and the rows that would do, if the tiles and channels
/// of the kernel and `besides` bytes of its barriers and scratch are more than
/// `limit` bytes. K3 of the op.
LogicalResult fitsSharedMemory(KernelOp kernel, int64_t limit,
                               int64_t besides = 0);

} // namespace mlir::smx::gpu

#endif // SMX_GPU_SHAREDMEMORY_H
