//===- ReferenceSlack.h - references behind the maximum ---------*- C++ -*-===//
//
// (m, l, acc) is the same state for any reference m, not only for the running
// maximum. One that follows the maximum only when it is more than some powers
// of two behind hardly ever moves, and where it does not, nothing is rescaled.
// A maximum that rose once often rises again: a reference that has to move
// for a second time goes on beyond it, and stays where it is for some tiles.
//
// Invariant: after a tile the reference is at most `slack` powers of two below
// the running maximum, and at most `lead` + 28 above it. So a weight is at most
// 2^slack, for any input, and that of the maximum at least 2^-(lead + 28): the
// maximum of a tile is known before its weights are computed. The 28 are what
// `SoftmaxArithmetic::follow` may add to the lead: 12, and half of 32, to
// multiples of which it rounds.
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

/// An f64 on `smx.update` beside the slack, in powers of two, a multiple of 32;
/// without it the reference is never above the maximum. Weights need room for
/// it below 1: those of f16, which end at 2^-24, have no lead. On `smx.finish`
/// it says that the reference may be so far from the log-sum-exp.
inline constexpr llvm::StringLiteral referenceLeadAttribute =
    "smx.reference_lead";

} // namespace mlir::smx

#endif // SMX_IR_REFERENCESLACK_H
