//===- Scalar.h - the values of scalar arguments ----------------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_SCALAR_H
#define SMX_LIB_RUNTIME_SCALAR_H

#include "smx/Runtime/TensorView.h"

#include <cstring>

namespace smx {

/// The only element of a view of rank 0 in host memory: an integer's value, a
/// float's bits.
inline int64_t readScalar(const TensorView &view) {
  using reference::DType;
  auto as = [&]<typename T>(T value) {
    std::memcpy(&value, view.data, sizeof(value));
    return static_cast<int64_t>(value);
  };
  switch (view.dtype) {
  case DType::F64:
  case DType::I64:
    return as(int64_t());
  case DType::F32:
    return as(uint32_t());
  case DType::F16:
  case DType::BF16:
    return as(uint16_t());
  case DType::I32:
    return as(int32_t());
  case DType::I8:
    return as(int8_t());
  case DType::F8E4M3FN:
  case DType::U8:
  case DType::I1:
    return as(uint8_t());
  }
  return 0;
}

} // namespace smx

#endif // SMX_LIB_RUNTIME_SCALAR_H
