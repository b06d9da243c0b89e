//===- DeviceRun.h - run a kernel in a device's memory ----------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAXRUN_DEVICERUN_H
#define SMX_TOOLS_SOFTMAXRUN_DEVICERUN_H

#include "HostTensor.h"

#include "smx/CUDA/Device.h"
#include "smx/Runtime/Kernel.h"

namespace smx::run {

/// How often a kernel runs, and what that took.
struct TimedRuns {
  int warmup = 0, repeat = 0;
  /// Rising; empty if nothing was timed.
  std::vector<double> milliseconds;
};

/// The device memory that a kernel gets for its tensors.
enum class DeviceMemory {
  /// Between canaries; outputs are poisoned before the first run. A run fails
  /// if a canary has changed.
  Guarded,
  /// An allocation of its bytes for each tensor, and nothing is written to
  /// outputs: for a checker that watches allocations, to which guards are
  /// memory that may be read and poison is a value.
  Exact
};

/// Runs `kernel`, which was compiled for `device`, on copies of the inputs and
/// copies the outputs back.
llvm::Error runOnDevice(const cuda::Device &device, const Kernel &kernel,
                        llvm::ArrayRef<TensorView> inputs,
                        llvm::ArrayRef<HostTensor> outputs, DeviceMemory memory,
                        TimedRuns &runs);

} // namespace smx::run

#endif // SMX_TOOLS_SOFTMAXRUN_DEVICERUN_H
