//===- MaskData.h - what masks read, for tiles of rows ----------*- C++ -*-===//
#ifndef SMX_LIB_TILING_MASKDATA_H
#define SMX_LIB_TILING_MASKDATA_H

#include "ProducerFusion.h"

namespace mlir::smx {

/// What lies between the smallest and the largest number that `mask` reads for
/// the rows of the tile `rows`, for each of its tensors. `map` says which
/// dimensions of the domain those of the masked scores are, `rowTiles` how far
/// tiles of rows are apart. None if the tile has rows of several heads.
///
/// `builder` stands in the loop over tiles of rows: extrema over the rows of
/// all tiles are computed in front of it.
std::optional<SmallVector<IndexRange>>
rangesOfMaskData(OpBuilder &builder, Location loc, MaskOp mask, AffineMap map,
                 const DomainTile &rows, ArrayRef<int64_t> rowTiles);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_MASKDATA_H
