//===- TensorView.cpp - memory that a kernel reads or writes --------------===//

#include "smx/Runtime/TensorView.h"

using namespace smx;

TensorView::TensorView(void *data, reference::DType dtype,
                       llvm::ArrayRef<int64_t> sizes)
    : data(data), dtype(dtype), sizes(sizes), strides(sizes.size(), 1) {
  for (int64_t d = rank() - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * sizes[d + 1];
}

TensorView::TensorView(void *data, reference::DType dtype,
                       llvm::ArrayRef<int64_t> sizes,
                       llvm::ArrayRef<int64_t> strides)
    : data(data), dtype(dtype), sizes(sizes), strides(strides) {}

int64_t TensorView::elementCount() const {
  // However long the others are.
  if (llvm::is_contained(sizes, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

bool TensorView::isContiguous() const {
  if (llvm::is_contained(sizes, 0))
    return true;
  int64_t expected = 1;
  for (int64_t d = rank() - 1; d >= 0; --d) {
    if (sizes[d] != 1 && strides[d] != expected)
      return false;
    expected *= sizes[d];
  }
  return true;
}
