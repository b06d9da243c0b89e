//===- Products.h - the ways to multiply tiles ------------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_PRODUCTS_H
#define SMX_LIB_NVVM_PRODUCTS_H

#include "KernelLowering.h"
#include "ThreadAddresses.h"

namespace mlir::smx {

/// A product acc + a b of tiles, with converted operands. The warps of a group
/// share the rows, so every warp reads all of `b`.
struct TileProduct {
  TileProduct(gpu::MmaOp op, gpu::MmaOp::Adaptor operands);

  Value a, b, acc;
  /// Null where `a` is in registers.
  gpu::SharedType sharedA;
  gpu::SharedType sharedB;
  bool isBTransposed;
  /// A term is 0 where a is -0.
  bool isGuarded;
  /// Guarded, and b is known to hold something that is not finite.
  bool goesByTerms;
  /// i1, the same in all threads: without it no a is -0. Null if one may always
  /// be.
  Value guardCondition;
  Type elementType;
  int64_t columns, reduced;
  /// Blocks of 16 rows that a warp has; the first row of block `i` is
  /// `blockStride * i` below that of its first.
  int64_t blocks, blockStride;

  /// First register of the accumulator's (or, with `reduced` columns, a's)
  /// group `g` of 8 columns in block `i`: two for the upper row, two for the
  /// lower one, 8 further down.
  static int64_t registerOf(int64_t columns, int64_t i, int64_t g) {
    return i * (columns / 2) + 4 * g;
  }
  /// The accumulator's four registers of block `i` and group `g`.
  MutableArrayRef<Value> slice(SmallVectorImpl<Value> &sums, int64_t i,
                               int64_t g) const {
    return MutableArrayRef<Value>(sums).slice(registerOf(columns, i, g), 4);
  }
  /// b's element that multiplies column `k` of a into column `n`.
  ::smx::gpu::Coordinate placeInB(int64_t k, int64_t n) const {
    return isBTransposed ? ::smx::gpu::Coordinate{n, k}
                         : ::smx::gpu::Coordinate{k, n};
  }
};

/// On the matrix unit, with a single-precision accumulator. Single-precision
/// operands are the sum of two TF32 numbers each, the product of the two small
/// ones left out: the relative error of a term is about 2^-21.
Value multiplyOnMatrixUnit(ThreadCode &code, const TileProduct &product);

/// i1, the same in the whole group: some element of a tile in shared memory is
/// not finite.
Value isAnyNotFinite(ThreadCode &code, gpu::SharedType tileType, Value tile);

/// acc + a b of a guarded product: `whereFinite` multiplies where b is finite,
/// which the whole group is asked for.
Value multiplyGuarded(ThreadCode &code, const TileProduct &product,
                      llvm::function_ref<Value()> whereFinite);

/// True for a product of a warpgroup that runs on its own.
bool isOfWarpgroup(gpu::MmaOp op, const KernelPlan &plan);

/// f64 on the matrix unit: fused multiply-adds too, but not in the order of the
/// reduced dimension. Not for guarded products.
Value multiplyDoubles(ThreadCode &code, const TileProduct &product);

/// Fused multiply-adds in the operands' own type, in the order of the reduced
/// dimension.
Value multiplyExactly(ThreadCode &code, const TileProduct &product);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_PRODUCTS_H
