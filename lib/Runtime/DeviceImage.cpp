//===- DeviceImage.cpp - the kernels of a plan as code --------------------===//

#include "DeviceImage.h"

using namespace smx;
using mlir::smx::LaunchPlan;

llvm::Expected<DeviceImage> smx::makeDeviceImage(mlir::ModuleOp module,
                                                 const LaunchPlan &plan,
                                                 llvm::StringRef chip) {
  DeviceImage image;
  for (const LaunchPlan::Step &step : plan.getSteps()) {
    const auto *launch = std::get_if<LaunchPlan::Launch>(&step);
    if (!launch || image.launches.count(launch->kernel))
      continue;
    if (image.ptx.empty()) {
      auto ptx = mlir::smx::emitPTX(module, chip);
      if (!ptx)
        return ptx.takeError();
      image.ptx = std::move(*ptx);
    }
    auto needs = mlir::smx::getKernelLaunch(module, launch->kernel);
    if (!needs)
      return needs.takeError();
    image.launches[launch->kernel] = std::move(*needs);
  }
  return image;
}
