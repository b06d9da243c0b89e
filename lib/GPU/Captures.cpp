//===- Captures.cpp - what roles have from outside ------------------------===//

#include "smx/GPU/Captures.h"

using namespace mlir;
using namespace mlir::smx::gpu;

Value mlir::smx::gpu::outsideOfRoles(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto role = dyn_cast<RoleOp>(argument.getOwner()->getParentOp());
    if (!role)
      break;
    value = role.getCaptures()[argument.getArgNumber()];
  }
  return value;
}

MakeChannelOp mlir::smx::gpu::channelOf(Value channel) {
  return outsideOfRoles(channel).getDefiningOp<MakeChannelOp>();
}

std::optional<unsigned> mlir::smx::gpu::argumentOfKernel(Value value) {
  auto argument = dyn_cast<BlockArgument>(outsideOfRoles(value));
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
    return std::nullopt;
  return argument.getArgNumber();
}
