//===- DeviceCode.h - compiled code for a CUDA device -----------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_DEVICECODE_H
#define SMX_LIB_RUNTIME_DEVICECODE_H

#include "smx/CUDA/Launch.h"
#include "smx/Evaluator/LaunchPlan.h"
#include "smx/NVVM/TensorMapUse.h"
#include "smx/Runtime/Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace smx {

/// A loaded module and the plan by which the host launches its kernels.
class DeviceCode {
public:
  /// Launches everything, in order, on `stream`; `views` are the inputs and
  /// then the outputs, in device memory. Returns before the work is done,
  /// unless it needs scratch memory.
  llvm::Error launch(llvm::ArrayRef<TensorView> views,
                     const cuda::Stream &stream) const;
  /// The stream that calls without one run on.
  const cuda::Stream &stream() const { return own; }

private:
  friend llvm::Expected<DeviceCode>
  generateDeviceCode(mlir::ModuleOp module, mlir::smx::LaunchPlan plan,
                     const cuda::Device &device, const CompileOptions &options,
                     std::vector<CompileStep> &steps);
  struct KernelCode {
    cuda::Function function;
    cuda::LaunchConfig config;
    /// Parameters behind the operands.
    std::vector<mlir::smx::TensorMapUse> tensorMaps;
  };
  DeviceCode(mlir::smx::LaunchPlan plan, cuda::Stream own, int64_t alignment)
      : plan(std::move(plan)), own(std::move(own)), alignment(alignment) {}

  /// Fails if a view is less aligned than the code was compiled for.
  llvm::Error checkAlignment(llvm::ArrayRef<TensorView> views) const;

  mlir::smx::LaunchPlan plan;
  llvm::StringMap<KernelCode> kernels;
  cuda::Stream own;
  int64_t alignment;
};

/// The device that `options` asks for. Opened once per process.
llvm::Expected<cuda::Device> findDevice(const CompileOptions &options);

/// Assembles and loads the kernels of `module`, which is at stage `nvvm`. Adds
/// its steps to `steps`.
llvm::Expected<DeviceCode> generateDeviceCode(mlir::ModuleOp module,
                                              mlir::smx::LaunchPlan plan,
                                              const cuda::Device &device,
                                              const CompileOptions &options,
                                              std::vector<CompileStep> &steps);

} // namespace smx

#endif // SMX_LIB_RUNTIME_DEVICECODE_H
