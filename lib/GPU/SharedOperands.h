//===- SharedOperands.h - rows that registers have no room for --*- C++ -*-===//
#ifndef SMX_LIB_GPU_SHAREDOPERANDS_H
#define SMX_LIB_GPU_SHAREDOPERANDS_H

#include "smx/GPU/SmxGpu.h"

namespace mlir::smx::gpu {

/// A first operand of products that is better kept in shared memory.
struct SharedOperand {
  /// A load, or a gather: rows of several heads.
  Operation *read;
  SharedType type;
};

/// Bytes of shared memory beside the tiles: barriers, and room to exchange
/// values between warps.
inline constexpr int64_t sharedOperandReserve = 1024;

/// Tiles that are read before a loop and only multiplied in it, where a
/// thread has more than `registers` for them and for what the loop carries, or
/// where its threads multiply without a matrix unit.
SmallVector<SharedOperand> findSharedOperands(KernelOp kernel,
                                              int64_t registers);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_SHAREDOPERANDS_H
