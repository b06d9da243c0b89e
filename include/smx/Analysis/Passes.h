//===- Passes.h - the passes of smx/Analysis --------------------*- C++ -*-===//
#ifndef SMX_ANALYSIS_PASSES_H
#define SMX_ANALYSIS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::smx {
#define GEN_PASS_DECL
#include "smx/Analysis/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smx/Analysis/Passes.h.inc"
} // namespace mlir::smx

#endif // SMX_ANALYSIS_PASSES_H
