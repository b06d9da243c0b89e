//===- DiagnosticText.h - diagnostics as the text of an error ---*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_DIAGNOSTICTEXT_H
#define SMX_LIB_RUNTIME_DIAGNOSTICTEXT_H

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace mlir::smx {

/// "file:line:column: message", and each note in a line of its own.
std::string textOf(Diagnostic &diagnostic);

/// Collects the errors (with their notes) that a context emits while this
/// lives, one a line: "file:line:column: message". Swallows warnings and
/// remarks.
class DiagnosticText {
public:
  explicit DiagnosticText(MLIRContext *context);
  bool empty() const { return text.empty(); }
  const std::string &str() const { return text; }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::smx

#endif // SMX_LIB_RUNTIME_DIAGNOSTICTEXT_H
