//===- WarpgroupTiles.h - tiles of products for warpgroups ------*- C++ -*-===//
#ifndef SMX_LIB_TILING_WARPGROUPTILES_H
#define SMX_LIB_TILING_WARPGROUPTILES_H

#include "ProductTiles.h"
#include "ScoreTerms.h"

namespace mlir::smx {

/// Bytes of shared memory beside the tiles: barriers, and room to exchange
/// values between warps. Groups that roles make exchange none.
inline constexpr int64_t exchangeReserve = 4096, dealtReserve = 2048;

/// Rows that are cut into tiles: of a matrix (queries of a head), how many
/// matrices there are, if that is known, and how many tiles run at once (0: not
/// known).
struct WarpgroupRows {
  std::optional<int64_t> extent, matrices;
  int64_t multiprocessors = 0;
};

/// Tiles of a reduction whose products warpgroups make, 64 rows each, of
/// elements of 16 bits: 128 rows (two groups) or 192 (three).
struct WarpgroupTiles {
  /// `columns` are those of the accumulator, of at most 256; `sharedBytes` what
  /// `shared` may take.
  WarpgroupTiles(StreamingReductionOpInterface op, const ScoreTerms &terms,
                 int64_t columns, const WarpgroupRows &rows,
                 const ProductTiles &shared, int64_t sharedBytes);

  /// Rows and keys of a tile; no keys if none fit.
  int64_t rows = 0, stream = 0;
  /// What they take, with what scores read if tiles of that are copied; and
  /// what they may.
  ProductTiles shared;
  int64_t sharedBytes;
  /// As in TileSizes.
  bool seesFewKeys = false, fromDiagonal = false;
};

} // namespace mlir::smx

#endif // SMX_LIB_TILING_WARPGROUPTILES_H
