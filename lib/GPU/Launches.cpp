//===- Launches.cpp - kernels and where they start ------------------------===//

#include "smx/GPU/Launches.h"
#include "smx/GPU/Captures.h"

using namespace mlir;
using namespace mlir::smx::gpu;

llvm::MapVector<KernelOp, SmallVector<LaunchOp>>
mlir::smx::gpu::launchesIn(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::MapVector<KernelOp, SmallVector<LaunchOp>> launches;
  module.walk([&](LaunchOp launch) {
    if (auto kernel = symbols.lookup<KernelOp>(launch.getKernel()))
      launches[kernel].push_back(launch);
  });
  return launches;
}

Value mlir::smx::gpu::valueOfLaunch(LaunchOp launch, Value value) {
  std::optional<unsigned> argument = argumentOfKernel(value);
  return argument ? launch.getArguments()[*argument] : Value();
}
