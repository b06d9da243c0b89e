//===- TensorView.h - memory that a kernel reads or writes ------*- C++ -*-===//
//
// A view owns nothing: an address, an element type, sizes and strides.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_RUNTIME_TENSORVIEW_H
#define SMX_RUNTIME_TENSORVIEW_H

#include "smx/Reference/DType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace smx {

/// A tensor in memory. Scalars are views of rank 0.
struct TensorView {
  /// The first element; may be null where there is no element.
  void *data = nullptr;
  reference::DType dtype = reference::DType::F32;
  /// Extents, outermost first, in elements.
  llvm::SmallVector<int64_t, 4> sizes;
  /// Distance of neighbours along each dimension, in elements.
  llvm::SmallVector<int64_t, 4> strides;

  TensorView() = default;
  /// A row-major tensor without gaps.
  TensorView(void *data, reference::DType dtype, llvm::ArrayRef<int64_t> sizes);
  TensorView(void *data, reference::DType dtype, llvm::ArrayRef<int64_t> sizes,
             llvm::ArrayRef<int64_t> strides);
  /// A row-major tensor of `float` or `double`.
  TensorView(float *data, llvm::ArrayRef<int64_t> sizes)
      : TensorView(data, reference::DType::F32, sizes) {}
  TensorView(double *data, llvm::ArrayRef<int64_t> sizes)
      : TensorView(data, reference::DType::F64, sizes) {}

  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
  int64_t elementCount() const;
  /// True if the elements lie in row-major order without gaps.
  bool isContiguous() const;
};

} // namespace smx

#endif // SMX_RUNTIME_TENSORVIEW_H
