//===- MatrixDescriptor.h - shared operands of wgmma ------------*- C++ -*-===//
//
// How the asynchronous matrix unit finds an operand in swizzled shared memory.
// Of the 64 bits of a descriptor only the address changes between the steps of
// a product, so the words are kept apart: the low one is a number of the thread
// plus constants, the high one is constant. Free of MLIR.
//
// Source: PTX ISA, "Matrix descriptor format" and "Strides" of wgmma.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_MATRIXDESCRIPTOR_H
#define SMX_LIB_NVVM_MATRIXDESCRIPTOR_H

#include "SharedAddress.h"

namespace smx::gpu {

/// An operand of wgmma: a shared tile with a swizzle, 1024-byte aligned, whose
/// rows run along the reduced dimension (`isReducedContiguous`: a, and b
/// transposed) or along the columns of the product (b as it is).
struct MatrixDescriptor {
  SharedTile tile;
  bool isReducedContiguous;

  /// Addresses and distances count 16 bytes; an address has 14 bits of them. In
  /// a cluster the bits above are the block's rank, which must not get in.
  static constexpr int64_t unit = 16, addressMask = 0x3FFF;

  /// Rows that the instruction takes along the reduced dimension.
  static constexpr int64_t depth = 16;
  /// Columns that it can have, in steps of 8.
  static constexpr int64_t mostColumns = 256;

  /// Bytes from 8 rows to the next 8, which repeat the pattern of the swizzle.
  int64_t rowStride() const { return SharedTile::phases * tile.swizzleBytes; }
  /// Bytes from one panel to the next. Not used where the rows run along the
  /// reduced dimension: a step of it lies in one panel.
  int64_t panelStride() const {
    return isReducedContiguous ? unit : tile.rows * tile.swizzleBytes;
  }

  /// What is or-ed to the address in the low word, and the high word.
  int64_t lowBits() const { return panelStride() / unit << 16; }
  int64_t highBits() const {
    int64_t code = tile.swizzleBytes == 128  ? 1
                   : tile.swizzleBytes == 64 ? 2
                                             : 3;
    return rowStride() / unit | code << 30;
  }

  /// What is added to the low word for the part of the tile from element `at`
  /// on: of a row that is a multiple of 8, and of a column that starts 32 bytes
  /// of a panel, or the panel where the reduced dimension is not contiguous.
  int64_t step(Coordinate at) const {
    return sharedOffset(tile.rows, tile.columns, tile.elementBytes,
                        tile.swizzleBytes, at) /
           unit;
  }
};

} // namespace smx::gpu

#endif // SMX_LIB_NVVM_MATRIXDESCRIPTOR_H
