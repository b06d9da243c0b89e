//===- GlobalViews.h - tensors that lie in global memory --------*- C++ -*-===//
#ifndef SMX_LIB_GPU_GLOBALVIEWS_H
#define SMX_LIB_GPU_GLOBALVIEWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::smx::gpu {

/// A tensor value that stands for a box of a memref: element `i` of the tensor
/// is `memref[offsets + i]`.
struct GlobalView {
  Value memref;
  SmallVector<OpFoldResult> offsets;
};

/// True if `value` can be shown to be a multiple of `factor`.
bool isMultipleOf(OpFoldResult value, int64_t factor);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_GLOBALVIEWS_H
