//===- OtherTiles.h - how large a tile of other ops is ----------*- C++ -*-===//
#ifndef SMX_LIB_TILING_OTHERTILES_H
#define SMX_LIB_TILING_OTHERTILES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// Elements of a tile along each of its two dimensions.
inline constexpr int64_t otherTileExtent = 64;

/// The loops that get a tile: the fastest dimension of the result, and that of
/// an operand where it is another one, so that both sides are read and written
/// along lines of memory. Where one dimension is fastest in all operands, the
/// tile is longer along it. All other parallel loops run one element at a time.
/// Where memory may start between multiples of 16 bytes (`alignment`), short
/// rows are whole in a tile, which moves them as one piece.
SmallVector<OpFoldResult> tileSizesOf(linalg::GenericOp op, int64_t alignment);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_OTHERTILES_H
