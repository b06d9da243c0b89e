//===- StepTimer.h - time per step of a compilation -------------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_STEPTIMER_H
#define SMX_LIB_RUNTIME_STEPTIMER_H

#include "smx/Runtime/Kernel.h"

#include <chrono>

namespace smx {

/// Splits the time since its construction into steps.
class StepTimer {
public:
  explicit StepTimer(std::vector<CompileStep> &steps) : steps(steps) {}

  /// Everything since the last step was this one.
  void finish(llvm::StringRef name) {
    auto now = std::chrono::steady_clock::now();
    steps.push_back(
        {name.str(),
         std::chrono::duration<double, std::milli>(now - start).count()});
    start = now;
  }
  /// What happened since the last step is nobody's.
  void restart() { start = std::chrono::steady_clock::now(); }

private:
  std::vector<CompileStep> &steps;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

} // namespace smx

#endif // SMX_LIB_RUNTIME_STEPTIMER_H
