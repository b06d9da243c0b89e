//===- ScalarTensors.h - tensors that are made of scalars -------*- C++ -*-===//
#ifndef SMX_RAISE_SCALARTENSORS_H
#define SMX_RAISE_SCALARTENSORS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::smx {

/// Makes tensors of scalars that are no constants, which would be stored one by
/// one, ops of linalg: these have loops, and are computed where a tile of them
/// is read.
///
///   tensor.splat %v, tensor.from_elements %v         ==>  linalg.fill
///   tensor.from_elements %a, %b                      ==>  linalg.generic
///   tensor.generate                                  ==>  linalg.generic
///   tensor.insert %v into %t[%i]     ==>  linalg.fill, tensor.insert_slice
///
/// In loops elements that are inserted, or put together, are stored: each round
/// has few of them.
void computeScalarTensors(RewriterBase &rewriter, Operation *root);

} // namespace mlir::smx

#endif // SMX_RAISE_SCALARTENSORS_H
