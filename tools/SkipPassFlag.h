//===- SkipPassFlag.h - --skip-pass: what a pass is worth -------*- C++ -*-===//
#ifndef SMX_TOOLS_SKIPPASSFLAG_H
#define SMX_TOOLS_SKIPPASSFLAG_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::smx {

/// Passes that are left out, by name: to see what one is worth.
class SkipPassFlag {
public:
  explicit SkipPassFlag(llvm::cl::OptionCategory &category)
      : names("skip-pass", llvm::cl::cat(category), llvm::cl::CommaSeparated,
              llvm::cl::value_desc("names"),
              llvm::cl::desc("passes to leave out, to compare with and "
                             "without; one that another pass counts on may "
                             "be missed")) {}

  /// Passes that run in `context` from now on are asked; this object has to
  /// outlive it.
  void apply(MLIRContext &context) {
    if (names.empty())
      return;
    context.registerActionHandler(
        [this](llvm::function_ref<void()> run, const tracing::Action &action) {
          auto *execution = llvm::dyn_cast<PassExecutionAction>(&action);
          if (!execution ||
              !llvm::is_contained(names, execution->getPass().getArgument()))
            return run();
          skipped.insert(execution->getPass().getArgument());
        });
  }

  /// A name that no pass had; empty if there is none.
  llvm::StringRef findUnused() const {
    for (const std::string &name : names)
      if (!skipped.contains(name))
        return name;
    return {};
  }

private:
  llvm::cl::list<std::string> names;
  llvm::StringSet<> skipped;
};

} // namespace mlir::smx

#endif // SMX_TOOLS_SKIPPASSFLAG_H
