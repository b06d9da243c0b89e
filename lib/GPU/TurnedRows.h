//===- TurnedRows.h - each block has some of the shorter tiles --*- C++ -*-===//
#ifndef SMX_LIB_GPU_TURNEDROWS_H
#define SMX_LIB_GPU_TURNEDROWS_H

#include "mlir/IR/Builders.h"

namespace mlir::smx::gpu {

/// B blocks walk over rows of n tiles, tile p to block p mod B. The last tile
/// of a row may end early, and take less time: where B and n have a divisor in
/// common few blocks would have all of these. So the tiles of a row are turned,
/// by s for each wave in front of it: from one wave to the next a block goes on
/// by B + s tiles of a row, and comes to all of them if gcd(B + s, n) = 1.
struct TurnedRows {
  int64_t tiles, blocks, turn;

  static TurnedRows of(int64_t tiles, int64_t blocks);

  /// The tile of row `row` that stands at `number`.
  Value emit(OpBuilder &builder, Location loc, Value number, Value row) const;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_TURNEDROWS_H
