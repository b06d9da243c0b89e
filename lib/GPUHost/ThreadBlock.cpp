//===- ThreadBlock.cpp - the groups of a block, as threads ----------------===//

#include "ThreadBlock.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <thread>

using namespace mlir;
using namespace mlir::smx::gpuhost;
namespace smxgpu = mlir::smx::gpu;

//===----------------------------------------------------------------------===//
// What a block has
//===----------------------------------------------------------------------===//

static std::string nameOf(const KernelProgram &kernel, GroupKey key,
                          int64_t siblings, int64_t rank) {
  std::string name = "the kernel";
  if (key.role >= 0) {
    smxgpu::RoleOp role = kernel.roles[key.role].op;
    name = "role @" + role.getName().str();
    if (siblings > 1)
      name += " group " + std::to_string(key.number);
  }
  if (smxgpu::KernelOp(kernel.op).getCluster() > 1)
    name += " of rank " + std::to_string(rank);
  return name;
}

static void addGroup(ThreadBlock &block, const KernelProgram &kernel,
                     GroupKey key, int64_t siblings, int64_t warps) {
  Group &group = block.groups.emplace_back(
      block.cluster.machine, nameOf(kernel, key, siblings, block.rank));
  group.block = &block;
  group.key = key;
  group.warps = warps;
  group.siblings = siblings;
  group.cluster = block.cluster.number;
  block.barriers[key.role].expected.push_back(&group);
}

static const Group &findGroup(const ThreadBlock &block, GroupKey key) {
  return *llvm::find_if(block.groups,
                        [&](const Group &group) { return group.key == key; });
}

static Channel makeChannel(smxgpu::MakeChannelOp op, const ThreadBlock &block,
                           const KernelProgram &kernel) {
  Channel channel(op);
  const ChannelUsers users = kernel.channelUsers.lookup(op);
  channel.isMulticast = users.isMulticast;
  for (GroupKey key : users.producers)
    channel.producers.push_back({&findGroup(block, key)});
  // All consumers are groups of one role.
  const int64_t step = op.getChannel().getType().getDealt()
                           ? static_cast<int64_t>(users.consumers.size())
                           : 1;
  for (GroupKey key : users.consumers)
    channel.consumers.push_back(
        {&findGroup(block, key), step > 1 ? key.number : 0, step});
  return channel;
}

ThreadBlock::ThreadBlock(Cluster &cluster, int64_t rank,
                         std::array<int64_t, 3> id, std::array<int64_t, 3> grid)
    : cluster(cluster), rank(rank), id(id), grid(grid) {
  const KernelProgram &kernel = cluster.kernel;
  smxgpu::KernelOp op = kernel.op;
  addGroup(*this, kernel, GroupKey(), 1, op.getWarps());
  for (auto [number, role] : llvm::enumerate(kernel.roles)) {
    smxgpu::RoleOp roleOp = role.op;
    const int64_t siblings = roleOp.getWarps() / roleOp.getGroup();
    for (int64_t g = 0; g < siblings; ++g)
      addGroup(*this, kernel, {static_cast<int64_t>(number), g}, siblings,
               roleOp.getGroup());
  }
  op.getBody().walk([&](Operation *inner) {
    if (auto alloc = dyn_cast<smxgpu::AllocOp>(inner)) {
      smxgpu::SharedType type = alloc.getShared().getType();
      tiles.emplace(inner,
                    SharedTile(inner, type.getShape(), type.getElementType()));
    } else if (auto channel = dyn_cast<smxgpu::MakeChannelOp>(inner)) {
      channels.emplace(inner, makeChannel(channel, *this, kernel));
    } else if (auto made = dyn_cast<smxgpu::TurnsOp>(inner)) {
      turns.emplace(inner, Turns(made));
    }
  });
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Runs a group that has been started, to its end.
static void runGroup(const Program &program, Group &group) {
  llvm::Error error = execute(program.code, group);
  if (!error)
    error = checkNoProductRuns(group);
  if (!error)
    error = finishTensorStores(group);
  if (error)
    group.machine.fail(std::move(error));
  Machine::Lock held = group.machine.lock();
  group.machine.end(group);
}

/// What the roles know of the kernel's own group: all that happened before its
/// last barrier. No barrier is implied where roles start, and none where they
/// end.
static Clock withoutLatest(const Group &group) {
  Clock clock = group.clock;
  clock.set({group.id, group.clock[group.id] - 1});
  return clock;
}

/// The groups of the roles of one `warp_specialize`, ready to run.
static SmallVector<std::pair<Group *, const Program *>>
startRoles(const Step &step, Group &parent) {
  SmallVector<std::pair<Group *, const Program *>> started;
  ThreadBlock &block = *parent.block;
  Machine::Lock held = parent.machine.lock();
  for (Group &group : block.groups) {
    if (group.key.role < 0)
      continue;
    const RoleProgram &role = block.cluster.kernel.roles[group.key.role];
    smxgpu::RoleOp op = role.op;
    if (op->getParentOp() != step.op)
      continue;
    parent.machine.start(group);
    group.parent = &parent;
    group.clock.join(withoutLatest(parent));
    group.frame.resize(role.program.numSlots);
    for (auto [slot, outer] : llvm::zip_equal(role.program.code.arguments,
                                              step.roleCaptures.lookup(op)))
      group.frame[slot] = parent.frame[outer];
    started.push_back({&group, &role.program});
  }
  // The kernel's own group is none of those that run now.
  parent.machine.standAside(parent, started.size());
  return started;
}

static llvm::Error runWarpSpecialize(const Step &step, Group &parent) {
  auto started = startRoles(step, parent);
  std::vector<std::thread> threads;
  for (auto [group, program] : started)
    threads.emplace_back(
        [group = group, program = program] { runGroup(*program, *group); });
  for (std::thread &thread : threads)
    thread.join();
  Machine::Lock held = parent.machine.lock();
  for (auto [group, program] : started)
    parent.clock.join(withoutLatest(*group));
  if (parent.machine.isStopped())
    return llvm::createStringError("stopped");
  return llvm::Error::success();
}

llvm::Error mlir::smx::gpuhost::runCluster(const KernelProgram &kernel,
                                           Grid grid, uint32_t number,
                                           std::array<int64_t, 3> firstBlock,
                                           ArrayRef<HostValue> arguments,
                                           Announcements &announcements,
                                           const Options &options) {
  smxgpu::KernelOp op = kernel.op;
  Cluster cluster(kernel, number, announcements, options);
  for (int64_t rank = 0; rank < static_cast<int64_t>(op.getCluster()); ++rank)
    cluster.blocks.emplace_back(cluster, rank,
                                std::array<int64_t, 3>{firstBlock[0] + rank,
                                                       firstBlock[1],
                                                       firstBlock[2]},
                                std::array<int64_t, 3>{grid.x, grid.y, grid.z});
  cluster.machine.describeChannels = [&] {
    std::string text;
    for (const ThreadBlock &block : cluster.blocks)
      for (const auto &[made, channel] : block.channels)
        text += "  " + describeCounters(channel) + "\n";
    return text;
  };
  for (ThreadBlock &block : cluster.blocks) {
    Group &group = block.groups.front();
    cluster.machine.start(group);
    group.frame.resize(kernel.body.numSlots);
    for (auto [slot, argument] :
         llvm::zip_equal(kernel.body.code.arguments, arguments))
      group.frame[slot] = argument;
  }
  std::vector<std::thread> threads;
  for (ThreadBlock &block : llvm::drop_begin(cluster.blocks))
    threads.emplace_back([&] { runGroup(kernel.body, block.groups.front()); });
  runGroup(kernel.body, cluster.blocks.front().groups.front());
  for (std::thread &thread : threads)
    thread.join();
  if (llvm::Error error = cluster.machine.takeFailure())
    return error;
  for (const ThreadBlock &block : cluster.blocks)
    for (const auto &[made, channel] : block.channels)
      if (llvm::Error error = checkDrained(channel))
        return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Where a block is
//===----------------------------------------------------------------------===//

static mlir::smx::Slot at(const std::array<int64_t, 3> &place,
                          mlir::gpu::Dimension dimension) {
  return mlir::smx::intSlot(place[static_cast<size_t>(dimension)]);
}

static llvm::Error runBlockId(const Step &step, Group &group) {
  auto op = cast<mlir::gpu::BlockIdOp>(step.op);
  setResult(step, group, at(group.block->id, op.getDimension()));
  return llvm::Error::success();
}

static llvm::Error runGridDim(const Step &step, Group &group) {
  auto op = cast<mlir::gpu::GridDimOp>(step.op);
  setResult(step, group, at(group.block->grid, op.getDimension()));
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addBlockOps(HandlerTable &table) {
  table["smx_gpu.warp_specialize"] = runWarpSpecialize;
  table["gpu.block_id"] = runBlockId;
  table["gpu.grid_dim"] = runGridDim;
}
