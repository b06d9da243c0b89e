//===- TensorMaps.cpp - maps of the arguments of a launch -----------------===//

#include "TensorMaps.h"

#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace smx;

using llvm::createStringError;

/// Bytes of other types than floats are moved as they are.
static std::optional<cuda::MapElement> elementOf(llvm::StringRef name) {
  using Element = std::optional<cuda::MapElement>;
  return llvm::StringSwitch<Element>(name)
      .Case("bf16", cuda::MapElement::BF16)
      .Case("f16", cuda::MapElement::F16)
      .Case("f32", cuda::MapElement::F32)
      .Case("f64", cuda::MapElement::F64)
      .Cases({"i1", "i8", "ui8", "f8E4M3FN"}, cuda::MapElement::U8)
      .Cases({"i16", "ui16"}, cuda::MapElement::U16)
      .Cases({"i32", "ui32"}, cuda::MapElement::U32)
      .Cases({"i64", "index"}, cuda::MapElement::U64)
      .Default(std::nullopt);
}

static std::optional<cuda::Swizzle> swizzleOf(int64_t span) {
  switch (span) {
  case 32:
    return cuda::Swizzle::B32;
  case 64:
    return cuda::Swizzle::B64;
  case 128:
    return cuda::Swizzle::B128;
  default:
    return std::nullopt;
  }
}

llvm::Expected<cuda::TensorMap>
smx::encodeTensorMap(const cuda::Device &device,
                     const mlir::smx::TensorMapUse &use, uint64_t address,
                     llvm::ArrayRef<int64_t> layout) {
  const std::string place =
      "argument " + std::to_string(use.argument) + " of the kernel: ";
  std::optional<cuda::MapElement> element = elementOf(use.element);
  if (!element)
    return createStringError(place + "no tensor map has elements of type '" +
                             use.element +
                             "'; floats of f8E4M3FN to f64 and integers of 8 "
                             "to 64 bits work");
  std::optional<cuda::Swizzle> swizzle = swizzleOf(use.swizzle);
  if (!swizzle)
    return createStringError(place + "no tensor map swizzles spans of " +
                             std::to_string(use.swizzle) +
                             " bytes; 32, 64 and 128 work");
  cuda::TensorMapSpec spec;
  spec.element = *element;
  spec.swizzle = *swizzle;
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
  auto map = cuda::TensorMap::encode(device, spec);
  if (!map)
    return createStringError(place + llvm::toString(map.takeError()));
  return map;
}
