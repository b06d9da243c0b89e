//===- StreamBounds.h - the part of a stream that is seen -------*- C++ -*-===//
#ifndef SMX_LIB_TILING_STREAMBOUNDS_H
#define SMX_LIB_TILING_STREAMBOUNDS_H

#include "ProducerFusion.h"

namespace mlir::smx {

/// Which tiles of the stream are visited, and which of them masked; all of
/// them, unmasked, without a mask. In elements of the stream, which begins
/// at 0.
struct StreamBounds {
  MaskOp mask;
  VisibleKeys keys;
  /// Something other than `mask` may hide places too.
  bool isHiddenElsewhere = false;
};

/// What the mask on the stream of `op`, if it has one that can be analysed,
/// lets the rows of the tile `rows` see; tiles are `rowTiles` apart.
StreamBounds boundsOfStream(OpBuilder &builder, Location loc,
                            StreamingReductionOpInterface op,
                            const DomainTile &rows, ArrayRef<int64_t> rowTiles);

/// Tiles of scores by what a mask leaves to do in them.
struct TileCounts {
  int64_t whole = 0, cut = 0, skipped = 0;
};

/// For the tiles of one head; none without a mask that can be analysed, where
/// data decide, or if an extent is open. `sizes` are those of the domain.
std::optional<TileCounts> countTiles(StreamingReductionOpInterface op,
                                     ArrayRef<OpFoldResult> sizes,
                                     int64_t rowTile, int64_t streamTile);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_STREAMBOUNDS_H
