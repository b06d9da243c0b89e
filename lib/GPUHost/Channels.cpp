//===- Channels.cpp - the state of a channel ------------------------------===//

#include "Channels.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

Channel::Channel(gpu::MakeChannelOp op)
    : op(op), depth(op.getChannel().getType().getDepth()) {
  gpu::ChannelType type = op.getChannel().getType();
  for (int64_t i = 0; i < depth; ++i)
    stages.emplace_back(SharedTile(op, type.getShape(), type.getElementType()));
}

Producer *Channel::findProducer(const Group &group) {
  auto found = llvm::find_if(producers, [&](const Producer &producer) {
    return producer.group == &group;
  });
  return found == producers.end() ? nullptr : &*found;
}

Consumer *Channel::findConsumer(const Group &group) {
  auto found = llvm::find_if(consumers, [&](const Consumer &consumer) {
    return consumer.group == &group;
  });
  return found == consumers.end() ? nullptr : &*found;
}

bool Channel::hasRoom(int64_t number) const {
  if (consumers.empty())
    return number < depth;
  return llvm::all_of(consumers, [&](const Consumer &consumer) {
    return number - consumer.nextToRelease() < depth;
  });
}

std::string mlir::smx::gpuhost::describe(const Channel &channel) {
  return "the channel made at " + placeOf(channel.op);
}

std::string mlir::smx::gpuhost::describeCounters(const Channel &channel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << describe(channel) << " (depth " << channel.depth << "): " << channel.put
     << " put";
  for (const Consumer &consumer : channel.consumers)
    os << "; " << consumer.group->name << ": " << consumer.got << " got, "
       << consumer.released << " released";
  return text;
}

llvm::Error mlir::smx::gpuhost::checkDrained(const Channel &channel) {
  for (const Consumer &consumer : channel.consumers)
    if (consumer.nextToGet() < channel.put || consumer.released != consumer.got)
      return errorAt(channel.op, "is not empty at the end of the kernel: " +
                                     describeCounters(channel));
  return llvm::Error::success();
}
