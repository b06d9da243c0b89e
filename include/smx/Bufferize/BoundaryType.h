//===- BoundaryType.h - memrefs at a function's boundary --------*- C++ -*-===//
#ifndef SMX_BUFFERIZE_BOUNDARYTYPE_H
#define SMX_BUFFERIZE_BOUNDARYTYPE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::smx {

/// The memref that a tensor of `type` is passed as: any offset and strides, but
/// a unit stride in the fastest dimension.
inline MemRefType getBoundaryType(TensorType type) {
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  if (!strides.empty())
    strides.back() = 1;
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout);
}

} // namespace mlir::smx

#endif // SMX_BUFFERIZE_BOUNDARYTYPE_H
