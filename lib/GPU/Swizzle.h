//===- Swizzle.h - the swizzle of a tile that products read -----*- C++ -*-===//
#ifndef SMX_LIB_GPU_SWIZZLE_H
#define SMX_LIB_GPU_SWIZZLE_H

#include <cstdint>
#include <initializer_list>

namespace mlir::smx::gpu {

/// The widest span of a swizzle, in bytes, that rows of `rowBytes` are made of;
/// 0 if none is.
inline int64_t widestSwizzle(int64_t rowBytes) {
  for (int64_t span : {128, 64, 32})
    if (rowBytes % span == 0)
      return span;
  return 0;
}

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_SWIZZLE_H
