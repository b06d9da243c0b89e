//===- TensorMaps.cpp - maps of the arguments of a launch -----------------===//

#include "TensorMaps.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace smx;

/// Bytes of other types than floats are moved as they are.
static cuda::MapElement elementOf(llvm::StringRef name) {
  return llvm::StringSwitch<cuda::MapElement>(name)
      .Case("bf16", cuda::MapElement::BF16)
      .Case("f16", cuda::MapElement::F16)
      .Case("f32", cuda::MapElement::F32)
      .Case("f64", cuda::MapElement::F64)
      .Cases({"i16", "ui16"}, cuda::MapElement::U16)
      .Cases({"i32", "ui32"}, cuda::MapElement::U32)
      .Cases({"i64", "index"}, cuda::MapElement::U64)
      .Default(cuda::MapElement::U8);
}

llvm::Expected<cuda::TensorMap>
smx::encodeTensorMap(const cuda::Device &device,
                     const mlir::smx::TensorMapUse &use, uint64_t address,
                     llvm::ArrayRef<int64_t> layout) {
  cuda::TensorMapSpec spec;
  spec.element = elementOf(use.element);
  int64_t bytes = cuda::byteWidth(spec.element);
  spec.address = address + layout[0] * bytes;
  llvm::ArrayRef<int64_t> sizes =
                              layout.drop_front().take_front(use.dims.size()),
                          strides = layout.take_back(use.dims.size());
  bool isEmpty = llvm::is_contained(sizes, 0);
  for (int64_t d : use.dims) {
    // Nothing is copied from a tensor without elements, but a map of it needs
    // some.
    spec.sizes.push_back(isEmpty ? 1 : sizes[d]);
    spec.strides.push_back(strides[d] * bytes);
  }
  constexpr uint64_t anyAddress = 128;
  if (isEmpty)
    spec.address = anyAddress;
  spec.box.assign(use.box.begin(), use.box.end());
  spec.swizzle = use.swizzle == 128  ? cuda::Swizzle::B128
                 : use.swizzle == 64 ? cuda::Swizzle::B64
                                     : cuda::Swizzle::B32;
  auto map = cuda::TensorMap::encode(device, spec);
  if (!map)
    return llvm::createStringError(
        "argument " + llvm::Twine(use.argument) +
        " of the kernel: " + llvm::toString(map.takeError()));
  return map;
}
