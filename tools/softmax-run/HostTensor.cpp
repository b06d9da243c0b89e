//===- HostTensor.cpp - memory for inputs and outputs ---------------------===//

#include "HostTensor.h"

#include <cstring>

using namespace smx::run;
namespace reference = smx::reference;

HostTensor::HostTensor(reference::DType dtype, reference::Shape shape)
    : type(dtype), extents(std::move(shape)) {
  constexpr int64_t line = 64;
  bytes = reference::elementCount(extents).value_or(0) * byteWidth(dtype);
  const int64_t rounded = (bytes + line) / line * line;
  data.reset(static_cast<std::byte *>(std::aligned_alloc(line, rounded)));
  std::memset(data.get(), 0xff, rounded);
}

HostTensor HostTensor::from(const reference::NpyArray &array) {
  HostTensor tensor(array.dtype, array.shape);
  std::memcpy(tensor.data.get(), array.bytes.data(), array.bytes.size());
  return tensor;
}

HostTensor HostTensor::from(const reference::Tensor &tensor,
                            reference::DType dtype) {
  return from(reference::NpyArray::fromTensor(tensor, dtype));
}

smx::TensorView HostTensor::view() const {
  return TensorView(data.get(), type, extents);
}

reference::NpyArray HostTensor::toNpy() const {
  reference::NpyArray array;
  array.dtype = type;
  array.shape = extents;
  array.bytes.assign(data.get(), data.get() + bytes);
  return array;
}
