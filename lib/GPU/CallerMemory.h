//===- CallerMemory.h - results that are written in place -------*- C++ -*-===//
#ifndef SMX_LIB_GPU_CALLERMEMORY_H
#define SMX_LIB_GPU_CALLERMEMORY_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace mlir::smx::gpu {

/// Memory of the caller that a tensor is copied to as it is, perhaps in another
/// shape.
struct CallerMemory {
  bufferization::MaterializeInDestinationOp copy;
  /// The reshapes between the tensor and the copy, in this order.
  SmallVector<Operation *> reshapes;
};

/// Finds it among the users of `tensor`; none if there is none, or if the
/// tensor's shape is no view of that memory.
std::optional<CallerMemory> findCallerMemory(Value tensor);

/// The memory in the shape of the tensor, whose sizes are `sizes`.
Value viewAsTensor(OpBuilder &builder, Location loc, CallerMemory memory,
                   ArrayRef<OpFoldResult> sizes);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_CALLERMEMORY_H
