//===- Passes.h - the passes of smx/NVVM ------------------------*- C++ -*-===//
#ifndef SMX_NVVM_PASSES_H
#define SMX_NVVM_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::smx {
#define GEN_PASS_DECL
#include "smx/NVVM/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smx/NVVM/Passes.h.inc"
} // namespace mlir::smx

#endif // SMX_NVVM_PASSES_H
