//===- ChannelUsers.cpp - who puts and who gets ---------------------------===//
//
// A stage is full when all groups of the putting role have done their part, and
// empty when all of the getting role have released it, so the groups of both
// have to be known before they run.
//
//===----------------------------------------------------------------------===//

#include "Channels.h"
#include "smx/GPU/Captures.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

/// The role that executes `op`, by its number in the kernel, or -1.
static int64_t findRole(Operation *op, ArrayRef<gpu::RoleOp> roles) {
  auto role = op->getParentOfType<gpu::RoleOp>();
  return role ? llvm::find(roles, role) - roles.begin() : -1;
}

llvm::Expected<DenseMap<Operation *, ChannelUsers>>
mlir::smx::gpuhost::findChannelUsers(gpu::KernelOp kernel) {
  DenseMap<Operation *, ChannelUsers> users;
  SmallVector<gpu::RoleOp> roles;
  kernel.getBody().walk([&](gpu::RoleOp role) { roles.push_back(role); });
  Operation *untraced = nullptr;
  auto add = [&](Operation *op, Value channel,
                 SmallVector<GroupKey> ChannelUsers::*list) {
    Operation *made = gpu::channelOf(channel);
    if (!made) {
      untraced = op;
      return;
    }
    const int64_t role = findRole(op, roles);
    const int64_t groups =
        role < 0 ? 1 : roles[role].getWarps() / roles[role].getGroup();
    SmallVector<GroupKey> &keys = users[made].*list;
    for (int64_t g = 0; g < groups; ++g)
      if (!llvm::is_contained(keys, GroupKey{role, g}))
        keys.push_back({role, g});
  };
  kernel.getBody().walk([&](Operation *op) {
    if (auto put = dyn_cast<gpu::PutOp>(op)) {
      add(op, put.getChannel(), &ChannelUsers::producers);
      if (put.getMulticast())
        users[gpu::channelOf(put.getChannel())].isMulticast = true;
    } else if (auto draw = dyn_cast<gpu::DrawOp>(op)) {
      add(op, draw.getChannel(), &ChannelUsers::producers);
    } else if (auto get = dyn_cast<gpu::GetOp>(op)) {
      add(op, get.getChannel(), &ChannelUsers::consumers);
    }
  });
  if (untraced)
    return errorAt(untraced, "has a channel that is neither made in the kernel "
                             "nor captured by the role; host execution can "
                             "not tell who shares it");
  return users;
}
