//===- ProducerFusion.h - tiles of what is streamed -------------*- C++ -*-===//
#ifndef SMX_LIB_TILING_PRODUCERFUSION_H
#define SMX_LIB_TILING_PRODUCERFUSION_H

#include "TileSizeModel.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::smx {

/// A box of a reduction's domain: an offset and a size for each dimension.
struct DomainTile {
  SmallVector<OpFoldResult> offsets, sizes;
};

/// The slice of a tensor that `map` addresses in `tile`. Dimensions that `map`
/// addresses by more than a plain dimension (shared key heads) must have size 1
/// in the tile.
DomainTile sliceFor(OpBuilder &builder, Location loc, AffineMap map,
                    const DomainTile &tile);

/// Computes tiles of tensors, together with the producers that only the
/// reduction needs.
class ProducerFusion {
public:
  /// `consumers` are the ops of one reduction (updates, merges, finishes). With
  /// `isOnePass` every tile is asked for once, so that products may be
  /// recomputed per tile as well. In blocks, what all rows of a tile are
  /// multiplied by is not computed with the tile, unless it is widened for few
  /// rows, nor what is reduced, but for products of a tile of rows and one of
  /// the stream.
  ProducerFusion(ArrayRef<Operation *> consumers, bool isOnePass,
                 const TileSizes &tile);

  /// The tile of `tensor` at `slice`; masks `seenWhole` are known to hide
  /// nothing there.
  Value tileOf(OpBuilder &builder, Location loc, Value tensor,
               const DomainTile &slice, ArrayRef<MaskOp> seenWhole) const;

private:
  /// Finds what to fuse, but for what is `kept`, to which it adds what a use
  /// wants computed before. False if such had been fused for another use:
  /// nothing is found then.
  bool collect(ArrayRef<Operation *> consumers, bool isOnePass,
               const TileSizes &tile, llvm::SmallPtrSetImpl<Operation *> &kept);
  bool isFused(Operation *op) const { return op && fused.contains(op); }
  llvm::SmallPtrSet<Operation *, 8> fused;
};

} // namespace mlir::smx

#endif // SMX_LIB_TILING_PRODUCERFUSION_H
