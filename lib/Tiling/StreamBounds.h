//===- StreamBounds.h - the part of a stream that is seen -------*- C++ -*-===//
#ifndef SMX_LIB_TILING_STREAMBOUNDS_H
#define SMX_LIB_TILING_STREAMBOUNDS_H

#include "BlockLists.h"
#include "TileSizeModel.h"

namespace mlir::smx {

/// Which tiles of the stream are visited, and which of them masked; all of
/// them, unmasked, without a mask. In elements of the stream, which begins
/// at 0.
struct StreamBounds {
  /// What the masks `ranged` let be seen; all is, if there are none.
  VisibleKeys keys;
  /// Masks that hide nothing in `[keys.fullBegin, keys.fullEnd)`, and those
  /// that hide nothing in any tile that is visited.
  SmallVector<MaskOp> ranged, listed;
  /// The tiles that are visited at all, where blocks are marked.
  std::optional<TileList> tiles;
  /// The stream may end with less than a tile.
  bool hasTail = true;
  /// Something else may hide places too.
  bool isHiddenElsewhere = false;
  /// Tiles are visited from the last one that is seen to the first.
  bool isBackward = false;
  /// Few tiles are seen, so those that are cut matter.
  bool hasFewTiles = false;

  bool isAnalysed() const { return !ranged.empty() || !listed.empty(); }
  /// Masks that hide nothing in a tile that `ranged` cut or do not cut.
  SmallVector<MaskOp> seenWhole(bool isCut) const {
    SmallVector<MaskOp> masks(listed);
    if (!isCut)
      masks.append(ranged);
    return masks;
  }
};

/// What the masks on the stream of `op` that can be analysed let the rows of
/// the tile `rows` see.
StreamBounds boundsOfStream(OpBuilder &builder, Location loc,
                            StreamingReductionOpInterface op,
                            const DomainTile &rows, const TileSizes &tileSizes);

/// The mask on the stream of `op` that marks blocks; null if there is none.
MaskOp findBlocks(StreamingReductionOpInterface op);

/// Keys that a row sees at most by the masks on the stream of `op` alone, such
/// as a sliding window; none if they do not say.
std::optional<int64_t> widthOfMasks(StreamingReductionOpInterface op);

/// True if tensors give the first and the last key that a row sees, as for
/// documents that are packed.
bool areRangesGiven(StreamingReductionOpInterface op);

/// True if the only mask on the stream of `op` is a band with one edge, such as
/// a causal one.
bool isCutOnOneSide(StreamingReductionOpInterface op);

/// True if that is so, and what it hides elements of is a product.
bool hasOneEdge(StreamingReductionOpInterface op);

/// Tiles of scores by what a mask leaves to do in them.
struct TileCounts {
  int64_t whole = 0, cut = 0, skipped = 0;
};

/// For the tiles of one head, in units of those that are cut; none without a
/// mask that can be analysed, where data decide, or if an extent is open.
/// `sizes` are those of the domain.
std::optional<TileCounts> countTiles(StreamingReductionOpInterface op,
                                     ArrayRef<OpFoldResult> sizes,
                                     int64_t rowTile, int64_t streamTile,
                                     int64_t cutTile);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_STREAMBOUNDS_H
