//===- ProductExtents.h - how tiles of products are padded ------*- C++ -*-===//
//
// What the pass that chooses tiles of products and the pass that gives them
// registers and shared memory have to agree on.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TILING_PRODUCTEXTENTS_H
#define SMX_TILING_PRODUCTEXTENTS_H

#include <cstdint>

namespace mlir::smx {

/// Tiles of products are made of pieces of so many elements along each side.
inline constexpr int64_t productPiece = 16;

/// The extent that a tile of elements of `bits` has for `extent` elements:
/// whole pieces, and whole spans of a swizzle of 128 bytes, or else of 64,
/// where these take at most an eighth more: addresses are cheaper the wider it
/// is.
inline constexpr int64_t paddedProductExtent(int64_t extent, int64_t bits) {
  auto roundedUp = [extent](int64_t unit) {
    return (extent + unit - 1) / unit * unit;
  };
  int64_t pieces = roundedUp(productPiece);
  for (int64_t bytes : {128, 64}) {
    int64_t spans = roundedUp(8 * bytes / bits);
    if (spans >= pieces && 8 * (spans - pieces) <= spans)
      return spans;
  }
  return pieces;
}

} // namespace mlir::smx

#endif // SMX_TILING_PRODUCTEXTENTS_H
