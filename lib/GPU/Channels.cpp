//===- Channels.cpp - who puts, gets and releases -------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// The first op of each kind on a channel, over all roles.
struct ChannelUses {
  Operation *put = nullptr, *get = nullptr, *release = nullptr;
};
} // namespace

/// The role that executes `op`, or the kernel around the roles.
static Operation *placeOf(Operation *op) {
  if (auto role = op->getParentOfType<RoleOp>())
    return role;
  return op->getParentOfType<KernelOp>();
}

static std::string nameOf(Operation *place) {
  if (auto role = dyn_cast<RoleOp>(place))
    return ("role '" + role.getName() + "'").str();
  return "the kernel around the roles";
}

/// C6: `op` is where the others of its side are, if `side` has one already.
static LogicalResult takeSide(Operation *op, Operation *side,
                              StringRef action) {
  if (!side || placeOf(op) == placeOf(side))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("expected a channel to be ")
                                  << action << " in one place, got "
                                  << nameOf(placeOf(op)) << " and "
                                  << nameOf(placeOf(side));
  diagnostic.attachNote(side->getLoc()) << "the other one is here";
  return diagnostic;
}

/// C5 and C6
static LogicalResult collectUses(Value channel, ChannelUses &uses) {
  for (OpOperand &use : channel.getUses()) {
    Operation *user = use.getOwner();
    if (auto role = dyn_cast<RoleOp>(user)) {
      Value inside = role.getBody().getArgument(use.getOperandNumber());
      if (failed(collectUses(inside, uses)))
        return failure();
      continue;
    }
    const bool puts = isa<PutOp, DrawOp>(user);
    Operation **first = puts                   ? &uses.put
                        : isa<GetOp>(user)     ? &uses.get
                        : isa<ReleaseOp>(user) ? &uses.release
                                               : nullptr;
    if (!first)
      return user->emitOpError("expected channels to be used by put, draw, "
                               "get, release and roles only; pass the channel "
                               "itself, not a choice of channels");
    Operation *consumer = uses.get ? uses.get : uses.release;
    if (failed(takeSide(user, puts ? uses.put : consumer,
                        puts ? "put to" : "got from and released")))
      return failure();
    if (!*first)
      *first = user;
  }
  return success();
}

/// K5
static LogicalResult verifyEnds(MakeChannelOp channel) {
  ChannelUses uses;
  if (failed(collectUses(channel.getChannel(), uses)))
    return failure();
  auto report = [&](Operation *op, StringRef text) -> LogicalResult {
    InFlightDiagnostic diagnostic = op->emitOpError() << text;
    diagnostic.attachNote(channel.getLoc()) << "the channel is made here";
    return diagnostic;
  };
  if (uses.get && !uses.put)
    return report(uses.get, "waits for ever: no role puts to the channel");
  if (uses.release && !uses.get)
    return report(uses.release,
                  "has nothing to release: no role gets from the channel");
  if (uses.put && !uses.get)
    return report(uses.put, "puts tiles that no role gets from the channel");
  return success();
}

LogicalResult mlir::smx::gpu::verifyChannels(KernelOp kernel) {
  for (MakeChannelOp channel : kernel.getBody().getOps<MakeChannelOp>())
    if (failed(verifyEnds(channel)))
      return failure();
  return success();
}

LogicalResult GetOp::verify() { // C2
  SharedType stage = getChannel().getType().getStageType();
  if (getTile().getType() == stage)
    return success();
  return emitOpError("expected the tile of a stage, ")
         << stage << ", got " << getTile().getType();
}
