//===- Entry.cpp - the function of a module that is asked for -------------===//

#include "smx/Pipeline/Entry.h"

#include "smx/IR/SourcePlace.h"

#include "mlir/Analysis/CallGraph.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
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
  if (candidates.empty()) {
    // A file with several modules is one around them.
    for (auto inner : module.getOps<ModuleOp>())
      return llvm::createStringError(placed(
          inner.getLoc(), "this module is inside of another one, which has no "
                          "public func.func with a body; a file of its own "
                          "would work"));
    return llvm::createStringError(
        "the module has no public func.func with a body");
  }
  if (!name.empty())
    return llvm::createStringError("no public function is called '" + name +
                                   "'; there is " + llvm::join(names, ", "));
  if (candidates.size() > 1)
    return llvm::createStringError("the module has " +
                                   Twine(candidates.size()) +
                                   " public functions; name one of " +
                                   llvm::join(names, ", ") + " as the entry");
  return candidates.front();
}

void mlir::smx::keepWhatIsCalled(func::FuncOp entry) {
  auto module = entry->getParentOfType<ModuleOp>();
  SymbolTable symbols(module);
  SetVector<Operation *> needed;
  needed.insert(entry);
  auto isOptional = [](Operation &op) {
    return isa<func::FuncOp, ModuleOp>(op);
  };
  for (Operation &op : module.getOps())
    if (!isOptional(op))
      needed.insert(&op);
  for (size_t i = 0; i < needed.size(); ++i) {
    auto uses = SymbolTable::getSymbolUses(needed[i]);
    if (!uses) // an op that may use any of them
      return;
    for (const SymbolTable::SymbolUse &use : *uses)
      if (Operation *used =
              symbols.lookup(use.getSymbolRef().getRootReference()))
        needed.insert(used);
  }
  for (Operation &other : llvm::make_early_inc_range(module.getOps()))
    if (isOptional(other) && !needed.contains(&other))
      other.erase();
}

/// A call through which a function that a public one reaches may come to call
/// itself; null if there is none.
static func::CallOp findRecursion(ModuleOp module) {
  CallGraph graph(module);
  SymbolTableCollection tables;
  func::CallOp found;
  for (auto cycle = llvm::scc_begin(&std::as_const(graph)); !cycle.isAtEnd();
       ++cycle) {
    if (!cycle.hasCycle())
      continue;
    for (const CallGraphNode *node : *cycle) {
      if (node->isExternal())
        continue;
      node->getCallableRegion()->walk([&](func::CallOp call) {
        const CallGraphNode *callee = graph.resolveCallable(call, tables);
        if (!llvm::is_contained(*cycle, callee))
          return WalkResult::advance();
        found = call;
        return WalkResult::interrupt();
      });
      if (found)
        return found;
    }
  }
  return found;
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
  if (!missing) {
    func::CallOp recursive = findRecursion(module);
    if (!recursive)
      return llvm::Error::success();
    return llvm::createStringError(
        placed(recursive.getLoc(),
               "'" + recursive.getCallee() +
                   "' comes to call itself here, and every call is compiled "
                   "into its caller; a loop (scf.for, scf.while) would work"));
  }
  return llvm::createStringError(
      placed(missing.getLoc(),
             "'" + missing.getCallee() +
                 "' is called, and has no body in the module; code that is run "
                 "is made of what that holds: define it there"));
}
