//===- Passes.h - the passes of smx/CPU -------------------------*- C++ -*-===//
#ifndef SMX_CPU_PASSES_H
#define SMX_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::smx {
#define GEN_PASS_DECL
#include "smx/CPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

#endif // SMX_CPU_PASSES_H
