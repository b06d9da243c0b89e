//===- StreamingStores.h - when an output goes past the caches --*- C++ -*-===//
#ifndef SMX_LIB_CPU_STREAMINGSTORES_H
#define SMX_LIB_CPU_STREAMINGSTORES_H

#include "LanePlan.h"

namespace mlir::smx {

/// The run-time condition under which `op` may use streaming stores: its output
/// is part of a function argument that nothing reads and that has at least
/// `bytes` bytes, and every vector lies on its own alignment. Null: never.
Value streamingCondition(OpBuilder &b, linalg::GenericOp op,
                         const LanePlan &plan, int64_t bytes);

} // namespace mlir::smx

#endif // SMX_LIB_CPU_STREAMINGSTORES_H
