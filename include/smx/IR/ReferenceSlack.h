//===- ReferenceSlack.h - how far a reference may lag behind ----*- C++ -*-===//
//
// (m, l, acc) is the same state for any reference m, not only for the running
// maximum. One that follows the maximum only when it is more than some powers
// of two behind hardly ever moves, and where it does not, nothing is rescaled.
//
// Invariant: after a tile the reference is at most `slack` powers of two below
// the running maximum, and never above it. So a weight is at most 2^slack, for
// any input: the maximum of a tile is known before its weights are computed.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_IR_REFERENCESLACK_H
#define SMX_IR_REFERENCESLACK_H

#include "llvm/ADT/StringRef.h"

namespace mlir::smx {

/// An f64 on `smx.update`, in powers of two; without it the reference is the
/// running maximum. A hint: it changes roundings, not the result.
inline constexpr llvm::StringLiteral referenceSlackAttribute =
    "smx.reference_slack";

} // namespace mlir::smx

#endif // SMX_IR_REFERENCESLACK_H
