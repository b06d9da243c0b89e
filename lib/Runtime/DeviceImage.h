//===- DeviceImage.h - the kernels of a plan as code ------------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_DEVICEIMAGE_H
#define SMX_LIB_RUNTIME_DEVICEIMAGE_H

#include "smx/Evaluator/LaunchPlan.h"
#include "smx/NVVM/Pipeline.h"

#include <map>

namespace smx {

/// What the driver loads, and what it has to know to launch each kernel.
struct DeviceImage {
  using Launches = std::map<std::string, mlir::smx::KernelLaunch>;
  /// Empty if nothing is launched.
  std::string ptx;
  Launches launches;
};

/// Assembles the kernels that `plan` launches, for `chip`. `module` is at stage
/// `nvvm`.
llvm::Expected<DeviceImage> makeDeviceImage(mlir::ModuleOp module,
                                            const mlir::smx::LaunchPlan &plan,
                                            llvm::StringRef chip);

} // namespace smx

#endif // SMX_LIB_RUNTIME_DEVICEIMAGE_H
