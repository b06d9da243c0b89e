//===- FillFolding.h - fills that become initial values ---------*- C++ -*-===//
#ifndef SMX_LIB_CPU_FILLFOLDING_H
#define SMX_LIB_CPU_FILLFOLDING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::smx {

/// Per linalg op, per output: the scalar that the output's memref holds when
/// the op starts; null: unknown.
using FilledOutputs = DenseMap<Operation *, SmallVector<Value>>;

/// Erases every linalg.fill under `root` whose memref the next op to touch it
/// accumulates into as a whole, and tells which scalars those ops start from.
/// Memrefs of different allocations or arguments are taken not to overlap.
FilledOutputs foldFills(Operation *root, RewriterBase &b);

/// The allocation or block argument that `memref` is a view of.
Value rootBuffer(Value memref);

} // namespace mlir::smx

#endif // SMX_LIB_CPU_FILLFOLDING_H
