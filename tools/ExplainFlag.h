//===- ExplainFlag.h - --explain, of two tools ------------------*- C++ -*-===//
#ifndef SMX_TOOLS_EXPLAINFLAG_H
#define SMX_TOOLS_EXPLAINFLAG_H

#include "RoadFlags.h"

#include "smx/Runtime/Support.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::smx {

class ExplainFlag {
public:
  explicit ExplainFlag(llvm::cl::OptionCategory &category)
      : form("explain", llvm::cl::cat(category), llvm::cl::ValueOptional,
             llvm::cl::desc("say what the module becomes on the target and "
                            "why, or what is missing, and compile nothing:"),
             llvm::cl::values(
                 clEnumValN(Form::Text, "text", "to read (default)"),
                 clEnumValN(Form::Json, "json", "one JSON object"),
                 clEnumValN(Form::Text, "", "")),
             llvm::cl::init(Form::None)) {}

  bool isGiven() const { return form != Form::None; }

  /// Writes the answer; the exit code says whether the module compiles.
  int run(llvm::StringRef tool, llvm::StringRef text,
          const ::smx::CompileOptions &options, ::smx::AlignmentIs alignment,
          llvm::raw_ostream &os) const {
    auto support = ::smx::supports(text, options, alignment);
    if (!support) {
      llvm::errs() << tool << ": " << llvm::toString(support.takeError())
                   << "\n";
      return exitBadUse;
    }
    if (form == Form::Json)
      os << llvm::formatv("{0:2}\n", ::smx::toJSON(*support));
    else
      ::smx::print(*support, os);
    return support->compiles ? exitSuccess : exitFailure;
  }

private:
  enum class Form { None, Text, Json };
  llvm::cl::opt<Form> form;
};

} // namespace mlir::smx

#endif // SMX_TOOLS_EXPLAINFLAG_H
