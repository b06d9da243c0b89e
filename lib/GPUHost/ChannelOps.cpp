//===- ChannelOps.cpp - put, get, release ---------------------------------===//

#include "GlobalMemory.h"
#include "ThreadBlock.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

static llvm::Error runMakeChannel(const Step &step, Group &group) {
  setResult(step, group, &group.block->channels.find(step.op)->second);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// put
//===----------------------------------------------------------------------===//

/// The channels that are filled together: the group's own, or that of every
/// block of the cluster if its puts are multicasts.
static SmallVector<Channel *> findTogether(Group &group, Channel &own) {
  if (!own.isMulticast)
    return {&own};
  SmallVector<Channel *> channels;
  for (ThreadBlock &block : group.block->cluster.blocks)
    channels.push_back(&block.channels.find(own.op)->second);
  return channels;
}

/// An error for a channel that is used together if one of the blocks has ended:
/// it might have given its shared memory back.
static llvm::Error checkBlocksLive(Operation *op, Group &group,
                                   const Channel &channel) {
  if (!channel.isMulticast)
    return llvm::Error::success();
  for (const ThreadBlock &block : group.block->cluster.blocks)
    if (block.groups.front().hasEnded)
      return errorAt(op, "reaches into the block of rank " + Twine(block.rank) +
                             ", which has ended");
  return llvm::Error::success();
}

static std::string describeFull(ArrayRef<Channel *> together, int64_t number) {
  std::string text = "an empty stage of " + describe(*together.front());
  for (const Channel *channel : together) {
    if (channel->hasRoom(number))
      continue;
    SmallVector<std::string> holders;
    for (const Consumer &consumer : channel->consumers)
      if (number - consumer.nextToRelease() >= channel->depth)
        holders.push_back(nameWithState(*consumer.group));
    text += ", whose " + std::to_string(channel->depth) +
            " are not released by " +
            (holders.empty() ? "anybody: no group gets from it"
                             : llvm::join(holders, ", "));
  }
  return text;
}

/// What the engine that makes the copy asks of addresses.
static llvm::Error checkCopy(gpu::PutOp op, const Window &window) {
  if (op.getCopy() == gpu::CopyKind::Plain)
    return llvm::Error::success();
  return checkEngineAddresses(op, window,
                              "copy(" + stringifyCopyKind(op.getCopy()) + ")");
}

/// One group's part of put `number`; the first one copies all of it, and after
/// the last producer of the block the stage is full. Under the lock.
static llvm::Error fill(gpu::PutOp op, Group &group, Channel &channel,
                        ArrayRef<Channel *> together, int64_t number,
                        const Window &window) {
  Stage &stage = channel.stageOf(number);
  const Copy copy{window.memory->allocation->data,
                  window.first,
                  window.rowStride,
                  window.columnStride,
                  window.rows,
                  window.columns};
  for (Channel *of : together) {
    Stage &same = of->stageOf(number);
    group.clock.join(same.empty);
    if (same.claimedBy == number + 1 && same.source != copy)
      return errorAt(op, "copies other memory in " + group.name +
                             " than in the groups that it is executed with");
  }
  if (stage.claimedBy != number + 1) {
    if (number != channel.put)
      return errorAt(op, "is put " + Twine(number) + " of " + group.name +
                             " into " + describe(channel) + ", which has had " +
                             Twine(channel.put));
    stage.claimedBy = number + 1;
    stage.arrivals = 0;
    stage.full = Clock();
    stage.source = copy;
    ++channel.put;
    if (llvm::Error error = beginPut(group, op, stage.tile))
      return error;
    gpu::ChannelType type = op.getChannel().getType();
    if (llvm::Error error =
            readWindow(op, window, group, isa<FloatType>(type.getElementType()),
                       type.getShape()[1], stage.tile.elements))
      return error;
  }
  group.publish(stage.full);
  if (++stage.arrivals == static_cast<int64_t>(channel.producers.size()))
    stage.tile.filledBy = number + 1;
  return llvm::Error::success();
}

static llvm::Error runPut(const Step &step, Group &group) {
  auto op = cast<gpu::PutOp>(step.op);
  Machine &machine = group.machine;
  gpu::ChannelType type = op.getChannel().getType();
  WindowOperands operands =
      getWindowOperands(op, step, group, 0, type.getShape());
  // The engine knows the extents of the memref.
  if (op.getCopy() == gpu::CopyKind::Tensor)
    for (int64_t d : op.getDims())
      operands.valid.push_back(operands.memory->sizes[d] - operands.offsets[d]);
  auto window = findWindow(op, "reads", operands);
  if (!window)
    return window.takeError();
  if (llvm::Error error = checkCopy(op, *window))
    return error;

  machine.jitter(group);
  Machine::Lock held = machine.lock();
  Channel &channel = *get<Channel *>(step, group, step.in.size() - 1);
  const int64_t number = channel.findProducer(group)->put++;
  SmallVector<Channel *> together = findTogether(group, channel);
  Waiting forRoom{op,
                  [&] {
                    return llvm::all_of(together, [&](const Channel *of) {
                      return of->hasRoom(number);
                    });
                  },
                  [&] { return describeFull(together, number); }};
  if (llvm::Error error = machine.wait(held, group, forRoom))
    return error;
  if (llvm::Error error = checkBlocksLive(op, group, channel))
    return error;
  if (llvm::Error error = fill(op, group, channel, together, number, *window))
    return error;
  machine.noteProgress();
  machine.notify();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// get and release
//===----------------------------------------------------------------------===//

static std::string describeEmpty(const Channel &channel, int64_t number) {
  SmallVector<std::string> producers;
  for (const Producer &producer : channel.producers)
    producers.push_back(std::to_string(producer.put) + " by " +
                        nameWithState(*producer.group));
  return "tile " + std::to_string(number) + " of " + describe(channel) +
         ", into which " +
         (producers.empty() ? "nobody puts"
                            : "were put " + llvm::join(producers, ", "));
}

static llvm::Error runGet(const Step &step, Group &group) {
  Machine &machine = group.machine;
  Channel &channel = *get<Channel *>(step, group, 0);
  machine.jitter(group);
  Machine::Lock held = machine.lock();
  Consumer *consumer = channel.findConsumer(group);
  const int64_t number = consumer->nextToGet();
  if (number - consumer->nextToRelease() >= channel.depth)
    return errorAt(step.op, "holds " + Twine(channel.depth) + " tiles of " +
                                describe(channel) +
                                " already, which are all that it has");
  Stage &stage = channel.stageOf(number);
  SmallVector<Channel *> together = findTogether(group, channel);
  Waiting forTile{step.op,
                  [&] {
                    return llvm::all_of(together, [&](Channel *of) {
                      return of->stageOf(number).tile.filledBy == number + 1;
                    });
                  },
                  [&] { return describeEmpty(channel, number); }};
  if (llvm::Error error = machine.wait(held, group, forTile))
    return error;
  ++consumer->got;
  for (Channel *of : together)
    group.clock.join(of->stageOf(number).full);
  setResult(step, group, SharedHandle{&stage.tile, &channel, number, &group});
  machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runRelease(const Step &step, Group &group) {
  Machine &machine = group.machine;
  Channel &channel = *get<Channel *>(step, group, 0);
  machine.jitter(group);
  Machine::Lock held = machine.lock();
  Consumer *consumer = channel.findConsumer(group);
  if (!consumer || consumer->released == consumer->got)
    return errorAt(step.op, "releases a tile of " + describe(channel) +
                                " that " + group.name + " did not get");
  if (llvm::Error error = checkBlocksLive(step.op, group, channel))
    return error;
  Stage &stage = channel.stageOf(consumer->nextToRelease());
  const Product *product = findRunningProduct(stage.tile);
  if (product && product->issuer == &group)
    return errorAt(step.op, "releases the tile that the product at " +
                                placeOf(product->op) +
                                " reads, which has not been waited for");
  ++consumer->released;
  group.publish(stage.empty);
  machine.noteProgress();
  machine.notify();
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addChannelOps(HandlerTable &table) {
  table["smx_gpu.make_channel"] = runMakeChannel;
  table["smx_gpu.put"] = runPut;
  table["smx_gpu.get"] = runGet;
  table["smx_gpu.release"] = runRelease;
}
