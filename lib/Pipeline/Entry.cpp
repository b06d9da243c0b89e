//===- Entry.cpp - the function of a module that is asked for -------------===//

#include "smx/Pipeline/Entry.h"

#include "smx/IR/SourcePlace.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::smx;

llvm::Expected<func::FuncOp> mlir::smx::findEntry(ModuleOp module,
                                                  StringRef name) {
  SmallVector<func::FuncOp> candidates;
  SmallVector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration() || !function.isPublic())
      continue;
    if (function.getName() == name)
      return function;
    candidates.push_back(function);
    names.push_back(("'" + function.getName() + "'").str());
  }
  if (candidates.empty())
    return llvm::createStringError(
        "the module has no public func.func with a body");
  if (!name.empty())
    return llvm::createStringError("no public function is called '" + name +
                                   "'; there is " + llvm::join(names, ", "));
  if (candidates.size() > 1)
    return llvm::createStringError(
        "the module has " + Twine(candidates.size()) +
        " public functions; name one of " + llvm::join(names, ", "));
  return candidates.front();
}

void mlir::smx::keepWhatIsCalled(func::FuncOp entry) {
  auto module = entry->getParentOfType<ModuleOp>();
  bool hasErased = true;
  while (std::exchange(hasErased, false))
    for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (other != entry && SymbolTable::symbolKnownUseEmpty(other, module)) {
        other.erase();
        hasErased = true;
      }
}

llvm::Error mlir::smx::checkCallees(ModuleOp module) {
  SymbolTable symbols(module);
  func::CallOp missing;
  module.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && !callee.isDeclaration())
      return WalkResult::advance();
    missing = call;
    return WalkResult::interrupt();
  });
  if (!missing)
    return llvm::Error::success();
  return llvm::createStringError(
      placed(missing.getLoc(),
             "'" + missing.getCallee() +
                 "' is called, and has no body in the module; code that is run "
                 "is made of what that holds: define it there"));
}
