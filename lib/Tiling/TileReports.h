//===- TileReports.h - remarks about tiles ----------------------*- C++ -*-===//
#ifndef SMX_LIB_TILING_TILEREPORTS_H
#define SMX_LIB_TILING_TILEREPORTS_H

#include "TileSizeModel.h"

namespace mlir::smx {

/// Emits what `smx-tile` decided about a reduction whose domain has `sizes` as
/// remarks of that category: `TileSizes`; `SharedState` for finishes that stand
/// at another place of the source; and, for a mask that can be analysed,
/// `MarkedBlocks` and `MaskedTiles`.
void reportTiles(StreamingReductionOpInterface reduction,
                 ArrayRef<FinishOp> finishes, ArrayRef<OpFoldResult> sizes,
                 const TileSizes &tileSizes);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_TILEREPORTS_H
