//===- NextTile.h - fetching the tile that comes next -----------*- C++ -*-===//
#ifndef SMX_LIB_CPU_NEXTTILE_H
#define SMX_LIB_CPU_NEXTTILE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// Per op: the numbers of the inputs that no later op of its block reads.
using LastLooks = DenseMap<Operation *, SmallVector<unsigned>>;

/// Finds, under `root`, the ops that go through a tile of a function argument
/// element by element, after others of the same loop body have done so and as
/// the last one. The tile lies in a cache then, and the memory is idle. Tiles
/// of more than `bytes` bytes or of open size are left out.
LastLooks findLastLooks(Operation *root, int64_t bytes);

/// The view that `tile`, a view that moves with a loop around it, becomes in
/// the loop's next iteration, or `tile` itself in the last one. Null if it does
/// not move with a loop.
Value nextTile(OpBuilder &b, Location loc, Value tile);

} // namespace mlir::smx

#endif // SMX_LIB_CPU_NEXTTILE_H
