//===- CarriedValue.h - what loops hand to their next run -------*- C++ -*-===//
#ifndef SMX_LIB_GPU_CARRIEDVALUE_H
#define SMX_LIB_GPU_CARRIEDVALUE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::smx::gpu {

/// The same branch with one result more, whose sides do not yield that yet. It
/// has an else side.
scf::IfOp withResult(RewriterBase &rewriter, scf::IfOp branch, Type type);

/// What a branch does if its condition is true comes in its place.
void takeThen(RewriterBase &rewriter, scf::IfOp branch);

/// The next run of `first`, for other rows, begins with what the last value of
/// `last` is at the end of this one: the loops and branches around both carry
/// that. `last` is `first` or a loop behind it in its block.
void carryOn(RewriterBase &rewriter, scf::ForOp first, scf::ForOp last);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_CARRIEDVALUE_H
