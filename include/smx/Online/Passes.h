//===- Passes.h - the passes of smx/Online ----------------------*- C++ -*-===//
#ifndef SMX_ONLINE_PASSES_H
#define SMX_ONLINE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::smx {
#define GEN_PASS_DECL
#include "smx/Online/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smx/Online/Passes.h.inc"
} // namespace mlir::smx

#endif // SMX_ONLINE_PASSES_H
