//===- DiagnosticText.cpp - diagnostics as the text of an error -----------===//

#include "DiagnosticText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::smx;

static void printPlace(raw_ostream &os, Location location) {
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
}

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return;
        llvm::raw_string_ostream os(text);
        if (!text.empty())
          os << "\n";
        printPlace(os, diagnostic.getLocation());
        os << diagnostic.str();
        for (Diagnostic &note : diagnostic.getNotes()) {
          os << "\n  note: ";
          printPlace(os, note.getLocation());
          os << note.str();
        }
      }) {}
