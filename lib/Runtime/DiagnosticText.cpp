//===- DiagnosticText.cpp - diagnostics as the text of an error -----------===//

#include "DiagnosticText.h"

#include "smx/IR/SourcePlace.h"

using namespace mlir;
using namespace mlir::smx;

std::string mlir::smx::textOf(Diagnostic &diagnostic) {
  std::string text = placed(diagnostic.getLocation(), diagnostic.str());
  for (Diagnostic &note : diagnostic.getNotes())
    text += "\n  note: " + placed(note.getLocation(), note.str());
  return text;
}

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return;
        if (!text.empty())
          text += "\n";
        text += textOf(diagnostic);
      }) {}
