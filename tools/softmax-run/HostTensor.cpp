//===- HostTensor.cpp - memory for inputs and outputs ---------------------===//

#include "HostTensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <unistd.h>

using namespace smx::run;
namespace reference = smx::reference;

/// Bytes of `shape` with `width` bytes an element, as a double: errors name
/// them even where no integer does.
static double bytesOf(const reference::Shape &shape, int64_t width) {
  double bytes = static_cast<double>(width);
  for (int64_t extent : shape)
    bytes *= static_cast<double>(extent);
  return bytes;
}

static double memoryOfMachine() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

static llvm::Error noMemoryFor(reference::DType dtype,
                               const reference::Shape &shape, double bytes,
                               llvm::StringRef withWhat = "") {
  return llvm::createStringError(llvm::formatv(
      "no memory for a tensor of {0} {1}: it needs {2:f0} bytes{3}, and this "
      "machine has {4:f0}; smaller extents would work",
      reference::toString(shape), llvm::StringRef(nameOf(dtype)), bytes,
      withWhat, memoryOfMachine()));
}

llvm::Error smx::run::checkFits(reference::DType dtype,
                                const reference::Shape &shape) {
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return llvm::createStringError("a tensor of " + reference::toString(shape) +
                                   " has a negative extent; extents from 0 on "
                                   "would work");
  const double bytes = bytesOf(shape, byteWidth(dtype) + sizeof(double));
  if (bytes > memoryOfMachine())
    return noMemoryFor(dtype, shape, bytes, " with its float64 copy");
  return llvm::Error::success();
}

llvm::Expected<HostTensor> HostTensor::make(reference::DType dtype,
                                            reference::Shape shape) {
  if (llvm::Error error = checkFits(dtype, shape))
    return std::move(error);
  constexpr int64_t line = 64;
  HostTensor tensor(dtype, std::move(shape));
  tensor.bytes = *reference::elementCount(tensor.extents) * byteWidth(dtype);
  const int64_t rounded = (tensor.bytes + line) / line * line;
  tensor.data.reset(
      static_cast<std::byte *>(std::aligned_alloc(line, rounded)));
  if (!tensor.data)
    return noMemoryFor(dtype, tensor.extents,
                       static_cast<double>(tensor.bytes));
  std::memset(tensor.data.get(), 0xff, rounded);
  return tensor;
}

llvm::Expected<HostTensor> HostTensor::from(const reference::NpyArray &array) {
  auto tensor = make(array.dtype, array.shape);
  if (tensor)
    std::memcpy(tensor->data.get(), array.bytes.data(), array.bytes.size());
  return tensor;
}

llvm::Expected<HostTensor> HostTensor::from(const reference::Tensor &tensor,
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
