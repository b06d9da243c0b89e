//===- Entry.h - the function of a module that is asked for -----*- C++ -*-===//
#ifndef SMX_PIPELINE_ENTRY_H
#define SMX_PIPELINE_ENTRY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace mlir::smx {

/// The public function with a body that is called `name`, or the only one if
/// `name` is empty. Errors name those that are there.
llvm::Expected<func::FuncOp> findEntry(ModuleOp module, StringRef name);

/// Erases the functions, and modules inside, that `entry` does not need: what
/// is wrong with others, and how long they take, is not its concern.
void keepWhatIsCalled(func::FuncOp entry);

/// Fails if a function of the module calls one that has no body in it, or one
/// that a public function reaches comes to call itself; the error has the place
/// of the call.
llvm::Error checkCallees(ModuleOp module);

} // namespace mlir::smx

#endif // SMX_PIPELINE_ENTRY_H
