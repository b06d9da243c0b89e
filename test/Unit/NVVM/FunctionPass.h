//===- FunctionPass.h - passes on LLVM IR under test ------------*- C++ -*-===//
#ifndef SMX_TEST_NVVM_FUNCTIONPASS_H
#define SMX_TEST_NVVM_FUNCTIONPASS_H

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace smx::test {

/// The body of @f of the module `text` after the pass, an instruction a line;
/// or what is wrong with the text or the result. `instructions` may be null.
template <typename Pass>
std::string runOnFunction(const std::string &text, Pass pass,
                          size_t *instructions = nullptr) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, error, context);
  if (!module)
    return error.getMessage().str();
  llvm::Function &function = *module->getFunction("f");
  llvm::FunctionAnalysisManager analyses;
  pass.run(function, analyses);
  std::string result;
  llvm::raw_string_ostream os(result);
  if (llvm::verifyFunction(function, &os))
    return result;
  if (instructions)
    *instructions = function.getInstructionCount();
  for (llvm::Instruction &op : llvm::instructions(function))
    os << op << "\n";
  return result;
}

} // namespace smx::test

#endif // SMX_TEST_NVVM_FUNCTIONPASS_H
