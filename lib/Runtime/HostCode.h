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

/// Optimises `module` for the host and generates an object file. `entry` is a
/// function that returns nothing. Adds its steps to `steps`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
generateHostObject(llvm::Module &module, llvm::StringRef entry,
                   const CompileOptions &options,
                   std::vector<CompileStep> &steps);

/// Links an object file of `generateHostObject`, of this process or an earlier
/// one, whose options were the same. Adds its step to `steps`.
llvm::Expected<HostCode>
linkHostObject(std::unique_ptr<llvm::MemoryBuffer> object,
               std::vector<CompileStep> &steps);

} // namespace smx

#endif // SMX_LIB_RUNTIME_HOSTCODE_H
