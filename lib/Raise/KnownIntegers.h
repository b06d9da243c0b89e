//===- KnownIntegers.h - sizes that are computed in tensors -----*- C++ -*-===//
#ifndef SMX_RAISE_KNOWNINTEGERS_H
#define SMX_RAISE_KNOWNINTEGERS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::smx {

/// Replaces integers that are extracted from tensors by the constants that
/// these provably hold there, folds what is computed from them outside of
/// tensors, and drops assertions that hold.
void foldKnownIntegers(RewriterBase &rewriter, Operation *root);

} // namespace mlir::smx

#endif // SMX_RAISE_KNOWNINTEGERS_H
