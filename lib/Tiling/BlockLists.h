//===- BlockLists.h - tiles that marked blocks leave ------------*- C++ -*-===//
#ifndef SMX_LIB_TILING_BLOCKLISTS_H
#define SMX_LIB_TILING_BLOCKLISTS_H

#include "ProducerFusion.h"

namespace mlir::smx {

/// The tiles of a stream that a tile of rows visits, as tensors of i32 that are
/// computed in front of the loops.
struct TileList {
  /// `[place.., t]`: how many tiles before tile `t` are visited, for `t` from 0
  /// to the number of tiles.
  Value ranks;
  /// `[place.., n]`: the number of the `n`-th tile that is visited.
  Value numbers;
  /// Which lists: leading dimensions and tile of rows.
  SmallVector<Value> place;
  /// Extent of a tile along the stream.
  int64_t tile = 0;

  /// How many tiles that begin before `offset`, a multiple of a tile or the end
  /// of the stream, are visited.
  Value rankOf(OpBuilder &builder, Location loc, OpFoldResult offset) const;
  /// Where the `n`-th tile that is visited begins.
  Value offsetOf(OpBuilder &builder, Location loc, Value n) const;
};

/// True if a tile of `rowTile` x `streamTile` lies in one block of `blocks`.
bool areTilesInBlocks(BlocksAttr blocks, int64_t rowTile, int64_t streamTile);

/// The tiles that `mask` (of `#smx.blocks`) lets the tile `rows` see.
/// `map` says which dimensions of the domain those of the masked scores are,
/// `rowTiles` how far tiles of rows are apart. None if the tile has rows of
/// several heads that see different blocks.
///
/// `builder` stands in the loop over tiles of rows: lists are computed in front
/// of it.
std::optional<TileList> listTiles(OpBuilder &builder, Location loc, MaskOp mask,
                                  AffineMap map, const DomainTile &rows,
                                  ArrayRef<int64_t> rowTiles,
                                  int64_t streamTile);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_BLOCKLISTS_H
