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
/// Registers that a thread may have.
static constexpr int64_t mostRegisters = 255;
/// Named barriers of a block; 0 is the one that all threads meet at.
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

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Teams and named barriers
//===----------------------------------------------------------------------===//

namespace {
/// Gives out the named barriers of a block.
class NamedBarriers {
public:
  /// The first of `count` more. Fails, with a diagnostic at `op`, if the block
  /// has not so many.
  FailureOr<int64_t> take(Operation *op, int64_t count) {
    int64_t first = next;
    next += count;
    if (next > namedBarriers)
      return op->emitOpError() << "needs named barrier " << next - 1
                               << " of the block; there are " << namedBarriers
                               << ", numbered from 0";
    return first;
  }

private:
  int64_t next = 1;
};
} // namespace

/// The team of what is in no role.
static Team teamOfKernel(gpu::KernelOp kernel) {
  int64_t warps = kernel.getWarps();
  Team team{0, warps, warps};
  team.cluster = kernel.getCluster();
  team.launchRegisters = llvm::alignDown(
      std::min<int64_t>(mostRegisters,
                        ::smx::gpu::registerFile /
                            (warps * warpThreads * kernel.getMinBlocks())),
      8);
  return team;
}

/// The team of a role in a kernel of team `all`.
static FailureOr<Team> teamOfRole(gpu::RoleOp role, const Team &all,
                                  int64_t firstWarp, NamedBarriers &barriers) {
  Team team = all;
  team.firstWarp = firstWarp;
  team.warps = role.getWarps();
  team.group = role.getGroup();
  bool isOneGroup = team.groups() == 1;
  FailureOr<int64_t> barrier =
      barriers.take(role, isOneGroup ? 1 : 1 + team.groups());
  if (failed(barrier))
    return failure();
  team.barrier = *barrier;
  team.groupBarrier = isOneGroup ? *barrier : *barrier + 1;
  return team;
}

/// Adds who executes what to `teams`, and to `turnBarriers` where turns are
/// waited for: both take named barriers, in the order of the ops.
static LogicalResult
findTeams(gpu::KernelOp kernel, llvm::DenseMap<Operation *, Team> &teams,
          llvm::DenseMap<Operation *, int64_t> &turnBarriers) {
  const Team all = teamOfKernel(kernel);
  NamedBarriers barriers;
  llvm::DenseMap<Operation *, int64_t> firstWarps;
  WalkResult result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto role = dyn_cast<gpu::RoleOp>(op)) {
      int64_t &first = firstWarps[role->getParentOp()];
      FailureOr<Team> team = teamOfRole(role, all, first, barriers);
      if (failed(team))
        return WalkResult::interrupt();
      first += team->warps;
      teams[op] = *team;
      return WalkResult::advance();
    }
    auto role = op->getParentOfType<gpu::RoleOp>();
    Team team = role ? teams.lookup(role) : all;
    teams[op] = team;
    if (auto turns = dyn_cast<gpu::TurnsOp>(op)) {
      FailureOr<int64_t> barrier =
          barriers.take(op, turns.getTurns().getType().getCount());
      if (failed(barrier))
        return WalkResult::interrupt();
      turnBarriers[op] = *barrier;
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What `KernelPlan::reducesLongRow` says.
static bool hasLongRowOnly(gpu::KernelOp kernel) {
  auto registersOf = [](Value tile) {
    return gpu::getRegisterCount(cast<RankedTensorType>(tile.getType()));
  };
  // Columns of memory, of which a thread has a few: of many elements others are
  // made again, and where no tile is written and none is carried by a loop,
  // arithmetic ends in few registers.
  bool isOneRow = true, isLong = false, isWritten = false;
  kernel.walk([&](gpu::StoreOp store) {
    isWritten |= registersOf(store.getTile()) >= manyRegisters;
  });
  kernel.walk([&](Operation *op) {
    auto reduce = dyn_cast<gpu::ReduceOp>(op);
    bool areColumns =
        reduce && reduce.getDim() == 0 &&
        ((!isWritten && reduce->getParentOp() == kernel) ||
         registersOf(reduce.getTile()) > ::smx::gpu::manyOfColumns);
    isOneRow &= !isa<gpu::MmaOp, gpu::MmaAsyncOp>(op) &&
                (!reduce || areColumns || registersOf(reduce.getResult()) == 1);
    isLong |= isa<gpu::ReduceOp, gpu::PartialReduceOp>(op) &&
              registersOf(op->getOperand(0)) > manyRegisters;
  });
  return isOneRow && isLong;
}

//===----------------------------------------------------------------------===//
// Places in shared memory
//===----------------------------------------------------------------------===//

using Offsets = llvm::DenseMap<Operation *, int64_t>;

/// Adds what a channel has to the ops that use it.
static void ofUsers(gpu::MakeChannelOp channel, Offsets &offsets) {
  SmallVector<Operation *> users;
  collectUsers(channel.getChannel(), users);
  const int64_t offset = offsets.at(channel);
  for (Operation *user : users)
    offsets[user] = offset;
}

/// Adds the tiles, and the stages of channels, behind the first `bytes`.
static void placeTiles(gpu::KernelOp kernel, Offsets &dataOffsets,
                       int64_t &bytes) {
  auto place = [&](Operation *op, int64_t size, int64_t count) {
    dataOffsets[op] = bytes;
    bytes += llvm::alignTo(size, gpu::sharedTileAlignment) * count;
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto alloc = dyn_cast<gpu::AllocOp>(op)) {
      place(op, alloc.getShared().getType().getBytes(), 1);
    } else if (auto channel = dyn_cast<gpu::MakeChannelOp>(op)) {
      gpu::ChannelType type = channel.getChannel().getType();
      place(op, type.getStageType().getBytes(), type.getDepth());
      ofUsers(channel, dataOffsets);
    }
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

/// Adds the mbarriers of channels behind the first `bytes`.
static void placeStageBarriers(gpu::KernelOp kernel, Offsets &barrierOffsets,
                               int64_t &bytes) {
  SmallVector<gpu::MakeChannelOp> channels;
  SmallVector<Operation *> puts;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto channel = dyn_cast<gpu::MakeChannelOp>(op))
      channels.push_back(channel);
    else if (auto put = dyn_cast<gpu::PutOp>(op);
             put && put.getCopy() != gpu::CopyKind::Tensor)
      puts.push_back(op);
  });
  sortByFirstPut(channels, puts);
  for (gpu::MakeChannelOp channel : channels) {
    barrierOffsets[channel] = bytes;
    ofUsers(channel, barrierOffsets);
    bytes += stageBarrierBytes * channel.getChannel().getType().getDepth();
  }
}

static SmallVector<Operation *> opsWithScratch(gpu::KernelOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (KernelPlan::scratchBytes(op))
      ops.push_back(op);
  });
  return ops;
}

/// Nothing was in the scratch before what is looked for once.
static bool isLookedForOnce(Operation *op) {
  return isa<gpu::LargestOp>(op) && !op->getParentOfType<LoopLikeOpInterface>();
}

/// The op shares its scratch, of so many bytes, with no other one.
static bool hasOwnScratch(const KernelPlan &plan, Operation *op, int64_t size) {
  // Nobody meets before adjacent rows are written there.
  if (isa<gpu::CollectOp, gpu::LoadOp, gpu::StoreOp>(op) || isLookedForOnce(op))
    return true;
  return isa<gpu::ReduceOp>(op) ? size <= ownScratch : plan.isScratchFree(op);
}

/// The op's own scratch is free whenever the op is reached.
static bool isOwnScratchFree(Operation *op, ArrayRef<Operation *> withScratch) {
  if (isLookedForOnce(op))
    return true;
  bool isOfBlock = isa<gpu::ReduceOp>(op) ||
                   (isa<gpu::CollectOp>(op) && !meetsInCluster(op));
  return isOfBlock && meetsBeforeItself(op, withScratch);
}

namespace {
/// What the plan keeps of scratch.
struct ScratchPlaces {
  Offsets &offsets, &strides;
  llvm::DenseSet<Operation *> &isFree;
};
} // namespace

/// Adds ops of a team, which follow each other, in one area behind the first
/// `bytes`.
static void placeInOneArea(ArrayRef<Operation *> ops, int64_t groups,
                           ScratchPlaces places, int64_t &bytes) {
  int64_t stride = 0;
  for (Operation *op : ops)
    stride = std::max(stride, places.strides[op]);
  for (Operation *op : ops) {
    places.offsets[op] = bytes;
    places.strides[op] = stride;
  }
  bytes += stride * groups;
}

/// Adds all scratch behind the first `bytes`: that of single ops, then the area
/// of each team.
static void placeScratch(const KernelPlan &plan, gpu::KernelOp kernel,
                         ScratchPlaces places, int64_t &bytes) {
  bytes = llvm::alignTo(bytes, scratchAlignment);
  SmallVector<Operation *> ops = opsWithScratch(kernel);
  llvm::MapVector<Operation *, SmallVector<Operation *>> sharers;
  for (Operation *op : ops) {
    int64_t stride =
        llvm::alignTo(KernelPlan::scratchBytes(op), scratchAlignment);
    places.strides[op] = stride;
    int64_t size = stride * plan.team(op).groups();
    if (plan.bytesOfRound(op))
      size *= 2;
    if (!hasOwnScratch(plan, op, size)) {
      sharers[op->getParentOfType<gpu::RoleOp>()].push_back(op);
      continue;
    }
    places.offsets[op] = bytes;
    bytes += size;
    if (isOwnScratchFree(op, ops))
      places.isFree.insert(op);
  }
  for (auto &[role, ofTeam] : sharers)
    placeInOneArea(ofTeam, plan.team(ofTeam.front()).groups(), places, bytes);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

LogicalResult KernelPlan::add(gpu::KernelOp kernel) {
  if (failed(findTeams(kernel, teams, turnBarriers)))
    return failure();
  if (hasLongRowOnly(kernel))
    rowKernels.insert(kernel);
  int64_t bytes = 0;
  placeTiles(kernel, dataOffsets, bytes);
  placeStageBarriers(kernel, barrierOffsets, bytes);
  addClusterStart(kernel);
  addCopyGroups(kernel);
  addAdjacentLoads(kernel);
  addReleaseOrder(kernel);
  addExchanges(kernel, bytes);
  placeScratch(*this, kernel, {scratchOffsets, scratchStrides, scratchIsFree},
               bytes);

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
