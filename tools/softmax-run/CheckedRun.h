//===- CheckedRun.h - runs kernels, and checks them -------------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAXRUN_CHECKEDRUN_H
#define SMX_TOOLS_SOFTMAXRUN_CHECKEDRUN_H

#include "DeviceRun.h"
#include "Report.h"

namespace smx::run {

struct CheckSettings {
  CheckAgainst against = CheckAgainst::Raised;
  reference::Mode mode = reference::Mode::Precise;
  /// Files to compare the outputs with, too.
  std::vector<std::string> expected;
  /// What memory runs on a device get.
  DeviceMemory memory = DeviceMemory::Guarded;
};

/// A module's inputs and what comes out of them if all is right; any kernel
/// that was compiled from the module can be run on them.
class CheckedRun {
public:
  /// Makes the inputs of `kernel` and evaluates the references. `device` is set
  /// for a run on one.
  static llvm::Expected<std::unique_ptr<CheckedRun>>
  prepare(llvm::StringRef text, const Kernel &kernel,
          const CompileOptions &options, const ArgumentFlags &arguments,
          const CheckSettings &settings, std::optional<cuda::Device> device);

  /// Runs a kernel; what it gave is in `outputs`.
  llvm::Error run(const Kernel &kernel, TimedRuns &runs,
                  std::vector<HostTensor> &outputs);
  /// Compares every output with the reference and with its file.
  llvm::Expected<std::vector<std::vector<OutputCheck>>>
  check(llvm::ArrayRef<HostTensor> outputs);

  /// The inputs, after which nothing can be run any more.
  std::vector<Argument> takeInputs() { return std::move(arguments); }
  std::optional<double> countProductFlops() {
    return module->countProductFlops(inputs);
  }

private:
  llvm::Error evaluate(const Kernel &kernel);
  llvm::Expected<std::vector<HostTensor>> makeOutputs(const Kernel &kernel);
  llvm::Error runOnHost(const Kernel &kernel,
                        llvm::ArrayRef<HostTensor> outputs, TimedRuns &runs);

  CheckSettings settings;
  std::optional<cuda::Device> device;
  std::vector<Argument> arguments;
  std::vector<TensorView> inputViews;
  std::vector<reference::Tensor> inputs;
  std::unique_ptr<CheckedModule> module;
  std::vector<reference::Tensor> exact;
  /// In the module's own types; empty if no output needs it.
  std::vector<reference::Tensor> typed;
};

} // namespace smx::run

#endif // SMX_TOOLS_SOFTMAXRUN_CHECKEDRUN_H
