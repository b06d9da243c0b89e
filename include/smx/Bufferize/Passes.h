//===- Passes.h - the passes of smx/Bufferize -------------------*- C++ -*-===//
#ifndef SMX_BUFFERIZE_PASSES_H
#define SMX_BUFFERIZE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::smx {
#define GEN_PASS_DECL
#include "smx/Bufferize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smx/Bufferize/Passes.h.inc"
} // namespace mlir::smx

#endif // SMX_BUFFERIZE_PASSES_H
