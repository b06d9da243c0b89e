//===- Emulator.h - kernels for a GPU, run on the host ----------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_EMULATOR_H
#define SMX_LIB_RUNTIME_EMULATOR_H

#include "Launcher.h"

#include "smx/Evaluator/LaunchPlan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace smx {

/// Runs the kernels that `plan` launches as lib/GPUHost does, in host memory,
/// and returns when they are done; streams are of no importance. `module` is at
/// stage `gpu`, in `context`.
llvm::Expected<std::unique_ptr<Launcher>>
createEmulator(std::shared_ptr<mlir::MLIRContext> context,
               mlir::OwningOpRef<mlir::ModuleOp> module,
               const mlir::smx::LaunchPlan &plan);

} // namespace smx

#endif // SMX_LIB_RUNTIME_EMULATOR_H
