//===- CudaLauncher.h - kernels on a CUDA device ----------------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_CUDALAUNCHER_H
#define SMX_LIB_RUNTIME_CUDALAUNCHER_H

#include "DeviceImage.h"
#include "Launcher.h"

#include "smx/CUDA/Launch.h"
#include "smx/Runtime/FindDevice.h"

namespace smx {

/// Loads `image`, which has the kernels that `plan` launches. Adds its steps to
/// `steps`.
llvm::Expected<std::unique_ptr<Launcher>>
createCudaLauncher(const DeviceImage &image, const mlir::smx::LaunchPlan &plan,
                   const cuda::Device &device, const CompileOptions &options,
                   std::vector<CompileStep> &steps);

} // namespace smx

#endif // SMX_LIB_RUNTIME_CUDALAUNCHER_H
