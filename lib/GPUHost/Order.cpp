//===- Order.cpp - blocks that wait for others ----------------------------===//

#include "GlobalMemory.h"
#include "ThreadBlock.h"

#include <cstring>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

/// The place of the count, which an op gives with its first operands.
static llvm::Expected<char *> findCount(const Step &step, Group &group,
                                        StringRef does) {
  const MemoryPtr &memory = get<MemoryPtr>(step, group, 0);
  static constexpr int64_t dims[] = {-1, -1}, shape[] = {1, 1};
  WindowOperands operands{memory, {}, {}, dims, shape};
  for (size_t i = 1; i <= memory->sizes.size(); ++i)
    operands.offsets.push_back(getInteger(step, group, i));
  auto window = findWindow(step.op, does, operands);
  if (!window)
    return window.takeError();
  return window->address(0, 0);
}

static int32_t countAt(const char *place) {
  int32_t count;
  std::memcpy(&count, place, sizeof(count));
  return count;
}

static llvm::Error runAnnounce(const Step &step, Group &group) {
  auto place = findCount(step, group, "announces at");
  if (!place)
    return place.takeError();
  group.machine.jitter(group);
  Announcements &all = group.block->cluster.announcements;
  std::lock_guard<std::mutex> held(all.mutex);
  const int32_t count = countAt(*place) + group.warps;
  std::memcpy(*place, &count, sizeof(count));
  all.announcers[*place].insert(group.cluster);
  all.changed.notify_all();
  group.machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runAwait(const Step &step, Group &group) {
  auto place = findCount(step, group, "waits at");
  if (!place)
    return place.takeError();
  const auto expected = static_cast<int64_t>(gpu::AwaitOp(step.op).getCount());
  Announcements &all = group.block->cluster.announcements;
  std::unique_lock<std::mutex> held(all.mutex);
  while (countAt(*place) < expected && !all.haveEndedBefore(group.cluster)) {
    all.changed.wait_for(held, std::chrono::milliseconds(100));
    // Not of this block: a hang is noticed in the one that it waits for.
    group.machine.noteProgress();
  }
  if (const int32_t count = countAt(*place); count < expected)
    return errorAt(step.op, "waits for a count of " + Twine(expected) +
                                ", but it is " + Twine(count) +
                                " and all blocks with smaller numbers have "
                                "ended");
  for (uint32_t cluster : all.announcers[*place])
    group.awaited.insert(cluster);
  return llvm::Error::success();
}

static llvm::Error runDraw(const Step &step, Group &group) {
  auto op = cast<gpu::DrawOp>(step.op);
  auto place = findCount(step, group, "draws from");
  if (!place)
    return place.takeError();
  Machine &machine = group.machine;
  machine.jitter(group);
  Machine::Lock held = machine.lock();
  Channel &channel = *get<Channel *>(step, group, step.in.size() - 1);
  const int64_t put = channel.findProducer(group)->put++;
  Waiting forRoom{op, [&] { return channel.hasRoom(put); },
                  [&] { return "an empty stage of " + describe(channel); }};
  if (llvm::Error error = machine.wait(held, group, forRoom))
    return error;
  int32_t drawn;
  {
    // Blocks of other clusters draw, too.
    std::lock_guard<std::mutex> all(group.block->cluster.announcements.mutex);
    drawn = countAt(*place);
    const int32_t next = drawn + 1;
    std::memcpy(*place, &next, sizeof(next));
  }
  Stage &stage = channel.stageOf(put);
  group.clock.join(stage.empty);
  if (llvm::Error error = beginPut(group, op, stage.tile))
    return error;
  stage.tile.elements.front() = intSlot(drawn);
  stage.tile.filledBy = put + 1;
  ++channel.put;
  stage.full = Clock();
  group.publish(stage.full);
  setResult(step, group, intSlot(drawn));
  machine.noteProgress();
  machine.notify();
  return llvm::Error::success();
}

static llvm::Error runNumberIn(const Step &step, Group &group) {
  SharedHandle shared = get<SharedHandle>(step, group, 0);
  if (llvm::Error error = beginRead(group, step.op, shared, /*warps=*/nullptr))
    return error;
  setResult(step, group, shared.tile->elements.front());
  group.machine.noteProgress();
  return llvm::Error::success();
}

/// There is no clock here that could be told.
static llvm::Error runPause(const Step &, Group &group) {
  group.machine.jitter(group);
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addOrderOps(HandlerTable &table) {
  table["smx_gpu.announce"] = runAnnounce;
  table["smx_gpu.await"] = runAwait;
  table["smx_gpu.draw"] = runDraw;
  table["smx_gpu.number_in"] = runNumberIn;
  table["smx_gpu.pause"] = runPause;
}
