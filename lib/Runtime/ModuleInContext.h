//===- ModuleInContext.h - a module on its way to code ----------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_MODULEINCONTEXT_H
#define SMX_LIB_RUNTIME_MODULEINCONTEXT_H

#include "DiagnosticText.h"

#include "smx/Runtime/Kernel.h"
#include "smx/Runtime/Road.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace smx {

/// A module in a context of its own, with what its passes have complained
/// about.
class ModuleInContext {
public:
  /// Parses `text`; `verify` says whether its ops are held to their rules.
  /// Adds its steps to `steps`.
  static llvm::Expected<std::unique_ptr<ModuleInContext>>
  parse(llvm::StringRef text, const CompileOptions &options,
        std::vector<CompileStep> &steps, bool verify = true);

  mlir::ModuleOp get() { return *module; }
  /// Leads the module, which is at stage `from`, to stage `to`; adds the stages
  /// on the way to `steps`, and shows them to `options.onText`.
  llvm::Error lead(mlir::smx::Stage from, mlir::smx::Stage to,
                   const CompileOptions &options,
                   std::vector<CompileStep> &steps);
  /// `error` with the diagnostics that led to it in front.
  llvm::Error explain(llvm::Error error) const;

  /// Hands over the module and its context.
  std::pair<std::shared_ptr<mlir::MLIRContext>,
            mlir::OwningOpRef<mlir::ModuleOp>>
  take() {
    return {context, std::move(module)};
  }

private:
  explicit ModuleInContext(const mlir::DialectRegistry &registry);

  std::shared_ptr<mlir::MLIRContext> context;
  mlir::smx::DiagnosticText diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace smx

#endif // SMX_LIB_RUNTIME_MODULEINCONTEXT_H
