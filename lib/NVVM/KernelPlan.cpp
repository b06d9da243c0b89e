//===- KernelPlan.cpp - shared memory and barriers of a kernel ------------===//

#include "ClusterExchange.h"
#include "KernelLowering.h"
#include "SharedBarriers.h"

#include "smx/GPU/SharedMemory.h"
#include "smx/NVVM/Chip.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

static constexpr int64_t scratchAlignment = 16;
/// Up to so many bytes, scratch of a reduction is its own, which saves a
/// barrier.
static constexpr int64_t ownScratch = 1024;
/// Elements of a thread, from which on the order of arithmetic decides how many
/// registers it takes.
static constexpr int64_t manyRegisters = 16;
/// Of a thread.
static constexpr int64_t mostRegisters = 255;
/// Of a block; 0 is the one that all threads meet at.
static constexpr int64_t namedBarriers = 16;

FailureOr<KernelPlan> KernelPlan::make(ModuleOp module) {
  KernelPlan plan;
  WalkResult result = module.walk([&](gpu::KernelOp kernel) {
    return failed(plan.add(kernel)) ? WalkResult::interrupt()
                                    : WalkResult::skip();
  });
  if (result.wasInterrupted())
    return failure();
  return plan;
}

const Team &KernelPlan::team(Operation *op) const {
  auto found = teams.find(op);
  assert(found != teams.end() && "the op was not there when the plan was made");
  return found->second;
}

/// Between two executions of the op its team meets in another one: it is in no
/// loop, or one of `others`, which have barriers, is beside it.
static bool meetsBeforeItself(Operation *op, ArrayRef<Operation *> others) {
  // In an exchange of the cluster the threads of a block do not all meet.
  if (!op->getParentOfType<LoopLikeOpInterface>())
    return true;
  return llvm::any_of(others, [&](Operation *other) {
    return other != op && !meetsInCluster(other) &&
           other->getBlock() == op->getBlock();
  });
}

/// Sorts channels that threads fill by their first puts, of which `puts` has
/// all in order. ptxas reaches mbarriers from the one that is used first, and
/// where one lies before that, racecheck of compute-sanitizer takes copies that
/// have arrived there to be in flight.
static void sortByFirstPut(MutableArrayRef<gpu::MakeChannelOp> channels,
                           ArrayRef<Operation *> puts) {
  llvm::DenseMap<Operation *, const Operation *const *> firstPuts;
  for (gpu::MakeChannelOp channel : channels) {
    SmallVector<Operation *> users;
    collectUsers(channel.getChannel(), users);
    firstPuts[channel] = llvm::find_if(
        puts, [&](Operation *put) { return llvm::is_contained(users, put); });
  }
  llvm::stable_sort(channels, [&](gpu::MakeChannelOp a, gpu::MakeChannelOp b) {
    return firstPuts[a] < firstPuts[b];
  });
}

/// All threads of the block meet in the op, which is in no role.
static bool meetsInBlock(Operation &op) {
  return isa<gpu::BarrierOp>(op) ||
         (isa<gpu::ReduceOp, gpu::CollectOp>(op) && !meetsInCluster(&op) &&
          KernelPlan::scratchBytes(&op) != 0);
}

void KernelPlan::addClusterStart(gpu::KernelOp kernel) {
  SmallVector<Operation *> reductions;
  bool isPlain = kernel.getCluster() > 1;
  kernel.walk([&](Operation *op) {
    if (meetsInCluster(op))
      reductions.push_back(op);
    isPlain &= !isa<gpu::ClusterBarrierOp, gpu::MakeChannelOp>(op);
  });
  Block &body = kernel.getBody().front();
  if (!isPlain || reductions.empty())
    return;
  Block *block = reductions.front()->getBlock();
  bool repeats = block != &body;
  if (llvm::any_of(reductions, [&](Operation *op) {
        return op->getBlock() != block || (repeats && !exchangedBytes(op));
      }))
    return;
  if (repeats) {
    auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
    if (!loop || loop->getBlock() != &body ||
        !isConstantIntValue(loop.getLowerBound(), 0) ||
        !isConstantIntValue(loop.getStep(), 1) ||
        llvm::none_of(*block, meetsInBlock))
      return;
    for (Operation *op : reductions)
      repeated[op] = *exchangedBytes(op);
  }
  scratchIsFree.insert_range(reductions);
  starts.try_emplace(kernel);
  if (!repeats)
    starts.try_emplace(reductions.front());
}

LogicalResult KernelPlan::add(gpu::KernelOp kernel) {
  int64_t warps = kernel.getWarps();
  int64_t nextBarrier = 1, bytes = 0;
  auto takeBarriers = [&](Operation *op, int64_t count) -> FailureOr<int64_t> {
    int64_t first = nextBarrier;
    nextBarrier += count;
    if (nextBarrier > namedBarriers)
      return op->emitOpError() << "needs named barrier " << nextBarrier - 1
                               << " of the block; there are " << namedBarriers
                               << ", numbered from 0";
    return first;
  };
  auto takeTile = [&](Operation *op, int64_t size, int64_t count) {
    dataOffsets[op] = bytes;
    bytes += llvm::alignTo(size, gpu::sharedTileAlignment) * count;
  };

  // Tiles, and who executes what.
  Team all{0, warps, warps};
  all.cluster = kernel.getCluster();
  all.launchRegisters = llvm::alignDown(
      std::min<int64_t>(mostRegisters,
                        ::smx::gpu::registerFile /
                            (warps * warpThreads * kernel.getMinBlocks())),
      8);
  llvm::DenseMap<Operation *, Team> roles;
  llvm::DenseMap<Operation *, int64_t> firstWarps;
  SmallVector<gpu::MakeChannelOp> channels;
  SmallVector<Operation *> usesScratch, puts;
  bool isOneRow = true, isLong = false;
  WalkResult result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto role = op->getParentOfType<gpu::RoleOp>();
    Team team = role ? roles.lookup(role) : all;
    if (auto inner = dyn_cast<gpu::RoleOp>(op)) {
      int64_t &first = firstWarps[inner->getParentOp()];
      team = all;
      team.firstWarp = first;
      team.warps = inner.getWarps();
      team.group = inner.getGroup();
      first += team.warps;
      FailureOr<int64_t> barrier =
          takeBarriers(op, team.groups() == 1 ? 1 : 1 + team.groups());
      if (failed(barrier))
        return WalkResult::interrupt();
      team.barrier = *barrier;
      team.groupBarrier = team.groups() == 1 ? *barrier : *barrier + 1;
      roles[op] = team;
    }
    teams[op] = team;
    auto reduce = dyn_cast<gpu::ReduceOp>(op);
    isOneRow &= !isa<gpu::MmaOp, gpu::MmaAsyncOp>(op) &&
                (!reduce || gpu::getRegisterCount(cast<RankedTensorType>(
                                reduce.getResult().getType())) == 1);
    isLong |= isa<gpu::ReduceOp, gpu::PartialReduceOp>(op) &&
              gpu::getRegisterCount(cast<RankedTensorType>(
                  op->getOperand(0).getType())) > manyRegisters;
    if (auto alloc = dyn_cast<gpu::AllocOp>(op)) {
      takeTile(op, alloc.getShared().getType().getBytes(), 1);
    } else if (auto channel = dyn_cast<gpu::MakeChannelOp>(op)) {
      gpu::ChannelType type = channel.getChannel().getType();
      takeTile(op, type.getStageType().getBytes(), type.getDepth());
      channels.push_back(channel);
    } else if (auto turns = dyn_cast<gpu::TurnsOp>(op)) {
      FailureOr<int64_t> barrier =
          takeBarriers(op, turns.getTurns().getType().getCount());
      if (failed(barrier))
        return WalkResult::interrupt();
      turnBarriers[op] = *barrier;
    } else if (auto put = dyn_cast<gpu::PutOp>(op)) {
      if (put.getCopy() != gpu::CopyKind::Tensor)
        puts.push_back(op);
    } else if (scratchBytes(op)) {
      usesScratch.push_back(op);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();

  sortByFirstPut(channels, puts);
  for (gpu::MakeChannelOp channel : channels) {
    barrierOffsets[channel] = bytes;
    bytes += stageBarrierBytes * channel.getChannel().getType().getDepth();
  }

  if (isOneRow && isLong)
    rowKernels.insert(kernel);
  addClusterStart(kernel);
  addCopyGroups(kernel);
  addExchanges(kernel, bytes);
  bytes = llvm::alignTo(bytes, scratchAlignment);
  llvm::MapVector<Operation *, SmallVector<Operation *>> sharers;
  for (Operation *op : usesScratch) {
    scratchStrides[op] = llvm::alignTo(scratchBytes(op), scratchAlignment);
    int64_t size = scratchStrides[op] * teams[op].groups();
    // Nothing was there before what is looked for once.
    bool isOnce =
        isa<gpu::LargestOp>(op) && !op->getParentOfType<LoopLikeOpInterface>();
    if (bytesOfRound(op))
      size *= 2;
    bool isOwn =
        isa<gpu::CollectOp>(op) || isOnce ||
        (isa<gpu::ReduceOp>(op) ? size <= ownScratch : isScratchFree(op));
    if (!isOwn) {
      sharers[op->getParentOfType<gpu::RoleOp>()].push_back(op);
      continue;
    }
    scratchOffsets[op] = bytes;
    bytes += size;
    bool isOfBlock = isa<gpu::ReduceOp>(op) ||
                     (isa<gpu::CollectOp>(op) && !meetsInCluster(op));
    if (isOnce || (isOfBlock && meetsBeforeItself(op, usesScratch)))
      scratchIsFree.insert(op);
  }
  // Of a team, the others follow each other in one area.
  for (auto &[role, ops] : sharers) {
    int64_t stride = 0;
    for (Operation *op : ops)
      stride = std::max(stride, scratchStrides[op]);
    for (Operation *op : ops) {
      scratchOffsets[op] = bytes;
      scratchStrides[op] = stride;
    }
    bytes += stride * teams[ops.front()].groups();
  }

  // The kernel may have been made for another chip.
  const int64_t limit =
      std::min<int64_t>(kernel.getSharedLimit(), chipOf(kernel).sharedLimit());
  if (failed(gpu::fitsSharedMemory(kernel, limit,
                                   bytes - kernel.getSharedBytes())))
    return failure();
  kernelBytes[kernel] = bytes;
  return addTensorCopies(kernel);
}

} // namespace mlir::smx
