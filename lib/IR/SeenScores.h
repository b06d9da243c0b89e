//===- SeenScores.h - which scores of a tile masks let be seen --*- C++ -*-===//
//
// A score may be -inf without being hidden: its weight is 0, and a value beside
// it counts as it does anywhere. So what a mask hides is told by the mask.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_IR_SEENSCORES_H
#define SMX_LIB_IR_SEENSCORES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// For each mask of the tile `scores`, a tile of i1 of the same shape: true
/// where it lets the score be seen. None if the masks are not known, as of a
/// tile that comes from elsewhere: what they hide is -inf.
SmallVector<Value> buildSeen(OpBuilder &builder, Value scores);

/// Keeps scores that are seen above -inf, if the innermost mask is a region's:
/// then -inf is what masks hide, whatever they read, and the lowest number is
/// what a score of -inf is. False if the tile is left as it is.
bool keepSeenFinite(Value scores);

/// `generic`, whose last inputs are `count` tiles from `buildSeen`, with what
/// they are computed of in its own body.
linalg::GenericOp fuseSeen(OpBuilder &builder, linalg::GenericOp generic,
                           unsigned count);

} // namespace mlir::smx

#endif // SMX_LIB_IR_SEENSCORES_H
