//===- ChannelDepth.cpp - stages of a kernel's channels -------------------===//

#include "ChannelDepth.h"

#include "SharedOperands.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx::gpu {

/// The channels that a loop puts to; others hold all that they are given. One
/// that is dealt has a stage for each group, and no use for more.
static llvm::SmallSetVector<MakeChannelOp, 4> findRings(KernelOp kernel) {
  llvm::SmallSetVector<MakeChannelOp, 4> rings;
  kernel.walk([&](PutOp put) {
    if (!put->getParentOfType<LoopLikeOpInterface>() ||
        put.getChannel().getType().getDealt())
      return;
    Value channel = put.getChannel();
    while (auto argument = dyn_cast<BlockArgument>(channel)) {
      auto role = cast<RoleOp>(argument.getOwner()->getParentOp());
      channel = role.getCaptures()[argument.getArgNumber()];
    }
    rings.insert(channel.getDefiningOp<MakeChannelOp>());
  });
  return rings;
}

/// At most `wanted`, beside `operandBytes` that are not allocated yet.
static int64_t fittingDepth(KernelOp kernel, ArrayRef<MakeChannelOp> rings,
                            int64_t wanted, int64_t operandBytes) {
  // Of a stage of each, and of all their stages as deep as they are.
  int64_t stageBytes = 0, ringBytes = 0;
  for (MakeChannelOp ring : rings) {
    ChannelType type = MakeChannelOp(ring).getChannel().getType();
    int64_t bytes = llvm::alignTo(type.getStageType().getBytes(), 1024);
    stageBytes += bytes;
    ringBytes += bytes * type.getDepth();
  }
  if (stageBytes == 0)
    return 1;
  // Beside the tiles: barriers, and room to exchange values between warps.
  int64_t reserve =
      std::max<int64_t>(operandBytes + sharedOperandReserve, 4096);
  int64_t left = int64_t(kernel.getSharedLimit()) - reserve -
                 (kernel.getSharedBytes() - ringBytes);
  return std::clamp<int64_t>(left / stageBytes, 1, wanted);
}

static void setDepth(Value channel, int64_t depth) {
  auto old = cast<ChannelType>(channel.getType());
  channel.setType(ChannelType::get(channel.getContext(), old.getShape(),
                                   old.getElementType(), old.getSwizzle(),
                                   depth, old.getDealt()));
}

bool doubleStages(KernelOp kernel, MakeChannelOp channel) {
  int64_t depth = 2 * channel.getChannel().getType().getDepth();
  if (fittingDepth(kernel, channel, depth, /*operandBytes=*/0) < depth)
    return false;
  setDepth(channel.getChannel(), depth);
  for (OpOperand &use : channel.getChannel().getUses())
    if (auto role = dyn_cast<RoleOp>(use.getOwner()))
      setDepth(role.getBody().getArgument(use.getOperandNumber()), depth);
  return true;
}

int64_t deepenChannels(KernelOp kernel, int64_t wanted, StringRef pass,
                       int64_t operandBytes) {
  auto rings = findRings(kernel);
  int64_t depth =
      fittingDepth(kernel, rings.getArrayRef(), wanted, operandBytes);
  if (depth < wanted && !rings.empty())
    remark::missed(kernel.getLoc(),
                   remark::RemarkOpts::name("ChannelDepth").category(pass))
        << remark::metric("wanted", wanted) << remark::metric("fitting", depth);
  // All that names the type of a channel follows.
  for (MakeChannelOp ring : rings)
    setDepth(ring.getChannel(), depth);
  return depth;
}

} // namespace mlir::smx::gpu
