//===- Passes.h - the passes of smx/Tiling ----------------------*- C++ -*-===//
#ifndef SMX_TILING_PASSES_H
#define SMX_TILING_PASSES_H

#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::smx {
#define GEN_PASS_DECL
#include "smx/Tiling/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

#endif // SMX_TILING_PASSES_H
