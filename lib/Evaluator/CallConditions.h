//===- CallConditions.h - what open extents have to satisfy -----*- C++ -*-===//
#ifndef SMX_LIB_EVALUATOR_CALLCONDITIONS_H
#define SMX_LIB_EVALUATOR_CALLCONDITIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::smx {

/// Puts an assertion behind every op of the body of `function` for what the op
/// expects of open extents: those of its operands that belong together are the
/// same, what is cast to a static extent has it, reshapes keep the number of
/// elements, and slices end where their tensors do. Ops in regions are left
/// out: they need not run.
void insertCallConditions(func::FuncOp function);

} // namespace mlir::smx

#endif // SMX_LIB_EVALUATOR_CALLCONDITIONS_H
