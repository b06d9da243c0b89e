//===- Passes.h - the passes of smx/Raise -----------------------*- C++ -*-===//
#ifndef SMX_RAISE_PASSES_H
#define SMX_RAISE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::smx {
#define GEN_PASS_DECL
#include "smx/Raise/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smx/Raise/Passes.h.inc"
} // namespace mlir::smx

#endif // SMX_RAISE_PASSES_H
