//===- TensorMap.h - how bulk copies see a tensor ---------------*- C++ -*-===//
//
// The descriptor that the tensor memory accelerator (sm_90 and newer) works
// with: a tensor in global memory, cut into boxes.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_CUDA_TENSORMAP_H
#define SMX_CUDA_TENSORMAP_H

#include "smx/CUDA/Device.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstddef>

namespace smx::cuda {

/// Element types of tensor maps. Bytes that the map knows no type for, such as
/// fp8, are U8.
enum class MapElement {
  U8,
  U16,
  U32,
  I32,
  U64,
  I64,
  F16,
  F32,
  F64,
  BF16,
  TF32
};

/// Bytes of one element.
int64_t byteWidth(MapElement element);
bool isFloat(MapElement element);

/// How 16-byte chunks of the box's rows are permuted in shared memory; the name
/// is the span in bytes. A row of the box must fit in it.
enum class Swizzle { None, B32, B64, B128 };

/// What L2 fetches at once, in bytes.
enum class L2Promotion { None, B64, B128, B256 };

/// What a copy gives for elements outside of the tensor. `Nan` is for floats.
enum class OutOfBounds { Zero, Nan };

/// What a map describes. Dimensions are outermost first, as in TensorView.
struct TensorMapSpec {
  /// Device address of the first element.
  uint64_t address = 0;
  MapElement element = MapElement::F16;
  /// Extents, in elements.
  llvm::SmallVector<int64_t, 5> sizes;
  /// Distance of neighbours along each dimension, in BYTES; the last one must
  /// be that of neighbouring elements. Where a size is 1 anything will do.
  llvm::SmallVector<int64_t, 5> strides;
  /// Extents of what one copy moves, in elements.
  llvm::SmallVector<int64_t, 5> box;
  Swizzle swizzle = Swizzle::B128;
  L2Promotion promotion = L2Promotion::B128;
  OutOfBounds outOfBounds = OutOfBounds::Zero;
};

/// Checks a specification by the rules of the hardware. The error says which
/// rule, its limit and what was found.
llvm::Error checkTensorMap(const TensorMapSpec &spec);

/// An encoded map; pass it to a kernel by value.
class TensorMap {
public:
  /// Fails if the specification breaks a rule or the device has no tensor maps.
  static llvm::Expected<TensorMap> encode(const Device &device,
                                          const TensorMapSpec &spec);

  llvm::ArrayRef<std::byte> bytes() const { return opaque; }
  /// Ordinal of the device.
  int device() const { return ordinal; }

private:
  TensorMap() = default;
  alignas(64) std::array<std::byte, 128> opaque = {};
  int ordinal = 0;
};

} // namespace smx::cuda

#endif // SMX_CUDA_TENSORMAP_H
