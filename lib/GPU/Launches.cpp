//===- Launches.cpp - kernels and where they start ------------------------===//

#include "smx/GPU/Launches.h"

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
  auto captured = dyn_cast<BlockArgument>(value);
  auto role = captured ? dyn_cast<RoleOp>(captured.getOwner()->getParentOp())
                       : RoleOp();
  auto argument =
      role
          ? dyn_cast<BlockArgument>(role.getCaptures()[captured.getArgNumber()])
          : BlockArgument();
  return argument && isa<KernelOp>(argument.getOwner()->getParentOp())
             ? launch.getArguments()[argument.getArgNumber()]
             : Value();
}
