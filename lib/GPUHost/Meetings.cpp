//===- Meetings.cpp - barriers, turns, clusters ---------------------------===//

#include "ThreadBlock.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

static llvm::Error runBarrier(const Step &step, Group &group) {
  return group.machine.meet(group, step.op,
                            group.block->barriers.find(group.key.role)->second);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

static llvm::Error runTurns(const Step &step, Group &group) {
  setResult(step, group, &group.block->turns.find(step.op)->second);
  return llvm::Error::success();
}

static std::string describeTurn(const Turns &turns) {
  std::string text =
      "its turn: it is that of group " + std::to_string(turns.current);
  if (!turns.holder)
    return text + ", and nobody has had one";
  return text + (turns.isTaken ? ", taken by " : ", passed on by ") +
         nameWithState(*turns.holder);
}

static llvm::Error runTakeTurn(const Step &step, Group &group) {
  Machine &machine = group.machine;
  Turns &turns = *get<Turns *>(step, group, 0);
  const int64_t count = turns.op.getTurns().getType().getCount();
  if (group.key.number >= count)
    return errorAt(step.op, "is for " + Twine(count) + " groups, but " +
                                group.name + " takes a turn");
  machine.jitter(group);
  Machine::Lock held = machine.lock();
  if (turns.isTaken && turns.holder == &group)
    return errorAt(step.op, "takes a turn that " + group.name +
                                " has taken and not passed on");
  Waiting forTurn{
      step.op,
      [&] { return turns.current == group.key.number && !turns.isTaken; },
      [&] { return describeTurn(turns); }};
  if (llvm::Error error = machine.wait(held, group, forTurn))
    return error;
  turns.isTaken = true;
  turns.holder = &group;
  group.clock.join(turns.clock);
  ++group.meetings;
  machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runPassTurn(const Step &step, Group &group) {
  Machine &machine = group.machine;
  Turns &turns = *get<Turns *>(step, group, 0);
  machine.jitter(group);
  Machine::Lock held = machine.lock();
  if (!turns.isTaken || turns.holder != &group)
    return errorAt(step.op, "passes a turn that " + group.name +
                                " has not taken; it is that of group " +
                                Twine(turns.current));
  turns.isTaken = false;
  turns.current =
      (turns.current + 1) % turns.op.getTurns().getType().getCount();
  group.publish(turns.clock);
  machine.noteProgress();
  machine.notify();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

Rendezvous &mlir::smx::gpuhost::findMeeting(const Step &step, Group &group) {
  Cluster &cluster = group.block->cluster;
  Machine::Lock held = cluster.machine.lock();
  Rendezvous &meeting =
      cluster.meetings[{step.op, group.key.role, group.key.number}];
  if (meeting.expected.empty())
    for (const ThreadBlock &block : cluster.blocks)
      for (const Group &other : block.groups)
        if (other.key == group.key)
          meeting.expected.push_back(&other);
  return meeting;
}

static llvm::Error runClusterBarrier(const Step &step, Group &group) {
  return group.machine.meet(group, step.op, findMeeting(step, group));
}

llvm::Expected<TilePtr> mlir::smx::gpuhost::combineInCluster(
    const Step &step, Group &group, TilePtr tile,
    llvm::function_ref<TilePtr(ArrayRef<TilePtr>)> combine) {
  Rendezvous &meeting = findMeeting(step, group);
  auto arrive = [&] {
    meeting.contributions.resize(meeting.expected.size());
    meeting.contributions[group.block->rank] = std::move(tile);
    return llvm::Error::success();
  };
  auto complete = [&] {
    meeting.result = combine(meeting.contributions);
    return llvm::Error::success();
  };
  if (llvm::Error error =
          group.machine.meet(group, step.op, meeting, arrive, complete))
    return std::move(error);
  Machine::Lock held = group.machine.lock();
  return meeting.result;
}

static llvm::Error runClusterReduce(const Step &step, Group &group) {
  auto op = cast<gpu::ClusterReduceOp>(step.op);
  auto values = getTile(step, group, 0);
  if (!values)
    return values.takeError();
  auto combined =
      combineInCluster(step, group, *values, [&](ArrayRef<TilePtr> tiles) {
        return combineTiles(op.getKind(), op.getValues().getType(), tiles);
      });
  if (!combined)
    return combined.takeError();
  setResult(step, group, *combined);
  return llvm::Error::success();
}

static llvm::Error runClusterRank(const Step &step, Group &group) {
  setResult(step, group, intSlot(group.block->rank));
  return llvm::Error::success();
}

static llvm::Error runGroupId(const Step &step, Group &group) {
  setResult(step, group, intSlot(group.key.number));
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addMeetingOps(HandlerTable &table) {
  table["smx_gpu.barrier"] = runBarrier;
  table["smx_gpu.turns"] = runTurns;
  table["smx_gpu.take_turn"] = runTakeTurn;
  table["smx_gpu.pass_turn"] = runPassTurn;
  table["smx_gpu.cluster_barrier"] = runClusterBarrier;
  table["smx_gpu.cluster_reduce"] = runClusterReduce;
  table["smx_gpu.cluster_rank"] = runClusterRank;
  table["smx_gpu.group_id"] = runGroupId;
}
