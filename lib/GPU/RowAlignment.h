//===- RowAlignment.h - where rows of host memory start ---------*- C++ -*-===//
#ifndef SMX_LIB_GPU_ROWALIGNMENT_H
#define SMX_LIB_GPU_ROWALIGNMENT_H

#include "mlir/IR/Value.h"

namespace mlir::smx::gpu {

/// The bytes that the start, and all strides but the fastest, of a tensor or
/// memref of a host function are multiples of, if those of the function's
/// arguments are multiples of `promised` (a power of two). At most `promised`;
/// 0 where nothing is known.
int64_t alignmentOfRows(Value memory, int64_t promised);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_ROWALIGNMENT_H
