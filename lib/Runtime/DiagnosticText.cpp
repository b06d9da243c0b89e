//===- DiagnosticText.cpp - diagnostics as the text of an error -----------===//

#include "DiagnosticText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::smx;

std::string mlir::smx::placeOf(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn();
  return text;
}

/// "place: message".
static std::string lineOf(Location location, const std::string &message) {
  std::string place = placeOf(location);
  return place.empty() ? message : place + ": " + message;
}

std::string mlir::smx::textOf(Diagnostic &diagnostic) {
  std::string text = lineOf(diagnostic.getLocation(), diagnostic.str());
  for (Diagnostic &note : diagnostic.getNotes())
    text += "\n  note: " + lineOf(note.getLocation(), note.str());
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
