//===- TensorMapUse.h - a tensor map that a kernel takes --------*- C++ -*-===//
#ifndef SMX_NVVM_TENSORMAPUSE_H
#define SMX_NVVM_TENSORMAPUSE_H

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::smx {

/// A tensor map that the host makes of an argument and passes to a kernel, 128
/// bytes by value.
struct TensorMapUse {
  /// Which argument of the kernel, and its element type.
  unsigned argument = 0;
  std::string element;
  /// The dimensions of the memref in the order of the map, innermost last, and
  /// the extents of a box along them, in elements.
  std::vector<int64_t> dims, box;
  /// Bytes of the span of the swizzle.
  int64_t swizzle = 0;
  friend bool operator==(const TensorMapUse &, const TensorMapUse &) = default;
};

} // namespace mlir::smx

#endif // SMX_NVVM_TENSORMAPUSE_H
