//===- CallConditions.h - what open extents have to satisfy -----*- C++ -*-===//
#ifndef SMX_LIB_EVALUATOR_CALLCONDITIONS_H
#define SMX_LIB_EVALUATOR_CALLCONDITIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::smx {

/// Puts an assertion behind every op of the body of `function` for what the op
/// expects of open extents: those of its operands that belong together are the
/// same, a result has the static extents of its type, reshapes keep the number
/// of elements, slices lie within their tensors, and no size or padding is
/// negative. Without these a kernel would read or write beside its arguments.
/// Ops in regions are left out: they need not run.
void insertCallConditions(func::FuncOp function);

} // namespace mlir::smx

#endif // SMX_LIB_EVALUATOR_CALLCONDITIONS_H
