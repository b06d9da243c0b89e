//===- ChannelDepth.cpp - stages of a kernel's channels -------------------===//

#include "ChannelDepth.h"

#include "SharedOperands.h"
#include "smx/GPU/Captures.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx::gpu {

namespace {
/// A channel that a loop puts to, and the tiles of a round: if they are dealt,
/// one for each group.
struct Ring {
  MakeChannelOp channel;
  int64_t tiles = 1;
  /// Loops beside the put take what other channels hold: a put in a round of
  /// all of them, as of what is left of a stream.
  bool isBesideLoops = false;

  ChannelType getType() const {
    return MakeChannelOp(channel).getChannel().getType();
  }
  /// Bytes that a tile takes in shared memory.
  int64_t getBytes() const {
    return llvm::alignTo(getType().getStageType().getBytes(), 1024);
  }
};

/// Channels, and how many stages of each there is room for.
struct Rings {
  SmallVector<Ring> rings;
  int64_t depth = 1;
};
} // namespace

static bool hasLoops(LoopLikeOpInterface loop) {
  return loop
      ->walk([&](LoopLikeOpInterface inner) {
        return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The channels that a loop puts to; others hold all that they are given. What
/// is dealt in a loop around others, such as the rows of a tile, is there
/// throughout them, and has no use for more than a stage for each group.
static SmallVector<Ring> findRings(KernelOp kernel) {
  llvm::MapVector<MakeChannelOp, Ring> rings;
  kernel.walk([&](PutOp put) {
    auto loop = put->getParentOfType<LoopLikeOpInterface>();
    bool isDealt = put.getChannel().getType().getDealt();
    bool isBesideLoops = loop && hasLoops(loop);
    if (!loop || (isDealt && isBesideLoops))
      return;
    auto isOfChannel = [&](PutOp other) {
      return other.getChannel() == put.getChannel();
    };
    int64_t tiles =
        isDealt ? llvm::count_if(put->getBlock()->getOps<PutOp>(), isOfChannel)
                : 1;
    MakeChannelOp channel = channelOf(put.getChannel());
    auto [known, isNew] =
        rings.insert({channel, Ring{channel, tiles, isBesideLoops}});
    known->second.isBesideLoops &= isBesideLoops;
  });
  return llvm::map_to_vector(rings, [](auto ring) { return ring.second; });
}

/// At most `wanted`, beside `operandBytes` that are not allocated yet.
static int64_t fittingDepth(KernelOp kernel, ArrayRef<Ring> rings,
                            int64_t wanted, int64_t operandBytes) {
  // Bytes of one stage of each channel, and of all stages as deep as they are.
  int64_t stageBytes = 0, ringBytes = 0;
  for (const Ring &ring : rings) {
    stageBytes += ring.getBytes() * ring.tiles;
    ringBytes += ring.getBytes() * ring.getType().getDepth();
  }
  if (stageBytes == 0)
    return 1;
  // Beside the tiles: barriers, and room to exchange values between warps.
  int64_t reserve =
      std::max<int64_t>(operandBytes + sharedOperandReserve, 2048);
  int64_t left = int64_t(kernel.getSharedLimit()) - reserve -
                 (kernel.getSharedBytes() - ringBytes);
  return std::clamp<int64_t>(left / stageBytes, 1, wanted);
}

/// With `wanted` stages each, if there is room; else without those that have as
/// much use for one.
static Rings fittingRings(KernelOp kernel, int64_t wanted,
                          int64_t operandBytes) {
  Rings all{findRings(kernel)};
  all.depth = fittingDepth(kernel, all.rings, wanted, operandBytes);
  if (all.depth == wanted)
    return all;
  Rings deep{llvm::filter_to_vector(
      all.rings, [](const Ring &ring) { return !ring.isBesideLoops; })};
  if (deep.rings.empty())
    return all;
  deep.depth = fittingDepth(kernel, deep.rings, wanted, operandBytes);
  return deep;
}

static void setDepth(Value channel, int64_t depth) {
  auto old = cast<ChannelType>(channel.getType());
  channel.setType(ChannelType::get(channel.getContext(), old.getShape(),
                                   old.getElementType(), old.getSwizzle(),
                                   depth, old.getDealt()));
}

bool doubleStages(KernelOp kernel, MakeChannelOp channel) {
  int64_t depth = 2 * channel.getChannel().getType().getDepth();
  if (fittingDepth(kernel, Ring{channel}, depth, /*operandBytes=*/0) < depth)
    return false;
  setDepth(channel.getChannel(), depth);
  for (OpOperand &use : channel.getChannel().getUses())
    if (auto role = dyn_cast<RoleOp>(use.getOwner()))
      setDepth(role.getBody().getArgument(use.getOperandNumber()), depth);
  return true;
}

int64_t depthOfChannels(KernelOp kernel, int64_t wanted, int64_t operandBytes) {
  return fittingRings(kernel, wanted, operandBytes).depth;
}

int64_t deepenChannels(KernelOp kernel, int64_t wanted, StringRef pass,
                       int64_t operandBytes) {
  Rings fitting = fittingRings(kernel, wanted, operandBytes);
  if (fitting.depth < wanted && !fitting.rings.empty())
    remark::missed(kernel.getLoc(),
                   remark::RemarkOpts::name("ChannelDepth").category(pass))
        << remark::metric("wanted", wanted)
        << remark::metric("fitting", fitting.depth);
  // All that names the type of a channel follows.
  for (Ring &ring : fitting.rings)
    setDepth(ring.channel.getChannel(), fitting.depth * ring.tiles);
  return fitting.depth;
}

} // namespace mlir::smx::gpu
