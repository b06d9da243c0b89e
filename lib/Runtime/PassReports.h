//===- PassReports.h - what passes say and leave ----------------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_PASSREPORTS_H
#define SMX_LIB_RUNTIME_PASSREPORTS_H

#include "smx/Runtime/Support.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

namespace smx {

/// Gathers, while this lives, the remarks and errors of the passes that run in
/// a context, op by op of stage `naive`, and reads what they left.
class PassReports {
public:
  /// Takes the context's remarks from now on. Fails if somebody else does.
  static llvm::Expected<std::unique_ptr<PassReports>>
  attach(mlir::MLIRContext *context);
  ~PassReports();

  /// Gives every op of the dialect, at stage `naive`, a location that remarks
  /// and kernels can be traced back to.
  void markOps(mlir::ModuleOp module);
  /// Reads the kernels at stage `gpu`.
  void readKernels(mlir::ModuleOp module);
  /// Reads what multiplies matrices at stage `nvvm`.
  void readProducts(mlir::ModuleOp module);

  /// All of it: `ops`, `errors` and `notRecognised` of an answer.
  void moveTo(Support &support);

private:
  struct Gathered;
  explicit PassReports(mlir::MLIRContext *context);

  /// Shared with the context, which outlives this.
  std::shared_ptr<Gathered> gathered;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

} // namespace smx

#endif // SMX_LIB_RUNTIME_PASSREPORTS_H
