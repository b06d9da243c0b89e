//===- Verify.h - checks that verifiers of several ops share ----*- C++ -*-===//
//
// Rule numbers here and in the sources are those of the td descriptions.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPU_VERIFY_H
#define SMX_LIB_GPU_VERIFY_H

#include "smx/GPU/SmxGpu.h"

namespace mlir::smx::gpu {

/// A tile that lies in a memref, as `load`, `store`, `copy` and `put` say it.
struct GlobalAccess {
  MemRefType memory;
  int64_t offsets, valid;
  ArrayRef<int64_t> dims;
  int64_t aligned;
};

/// P1 to P4 and P17, for a tile of `rank` dimensions.
LogicalResult verifyAccess(Operation *op, const GlobalAccess &access,
                           int64_t rank, Type elementType);

/// Neighbours along the tile's columns, dimension `columnDim` of the memref
/// (-1: none), are neighbours in memory.
bool hasDenseRows(MemRefType memory, int64_t columnDim);

/// P35
LogicalResult verifyPlaceOfCount(Operation *op, Value counts, ValueRange place);

/// C5 and C6 of all channels of the kernel, and K5.
LogicalResult verifyChannels(KernelOp kernel);

/// K14, of a role, and of a kernel without roles.
LogicalResult verifyGroupsMeet(RoleOp role);
LogicalResult verifyWarpsMeet(KernelOp kernel);

/// L4
LogicalResult verifyTileThreads(KernelOp kernel);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_VERIFY_H
