//===- HostCode.h - LLVM IR to code in this process -------------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_HOSTCODE_H
#define SMX_LIB_RUNTIME_HOSTCODE_H

#include "smx/Runtime/Kernel.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace smx {

/// A compiled module. `call` takes the address of every argument; it lives as
/// long as `jit`.
struct HostCode {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*call)(void **arguments) = nullptr;
};

/// The host's processor and its features, as one string: what code depends on
/// beside its text.
llvm::StringRef hostDescription();

/// Optimises `module` for the host, generates code and links it. `entry` is a
/// function that returns nothing. Adds its steps to `steps`.
llvm::Expected<HostCode> generateHostCode(llvm::Module &module,
                                          llvm::StringRef entry,
                                          const CompileOptions &options,
                                          std::vector<CompileStep> &steps);

} // namespace smx

#endif // SMX_LIB_RUNTIME_HOSTCODE_H
