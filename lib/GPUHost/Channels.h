//===- Channels.h - channels and turns as bounded queues --------*- C++ -*-===//
#ifndef SMX_LIB_GPUHOST_CHANNELS_H
#define SMX_LIB_GPUHOST_CHANNELS_H

#include "SharedMemory.h"

namespace mlir::smx::gpuhost {

/// What a put copies: all producers must mean the same.
struct Copy {
  const char *data = nullptr;
  int64_t first = 0, rowStride = 0, columnStride = 0, rows = 0, columns = 0;
  friend bool operator==(const Copy &, const Copy &) = default;
};

/// A group that takes tiles out of a channel: every such group gets all of
/// them, or one of `step` if they are dealt.
struct Consumer {
  const Group *group = nullptr;
  /// The number of its first tile, and how far apart they are.
  int64_t first = 0, step = 1;
  int64_t got = 0, released = 0;

  /// The numbers of the tiles that are to be got and released next.
  int64_t nextToGet() const { return first + got * step; }
  int64_t nextToRelease() const { return first + released * step; }
};

/// A group that fills a channel: all such groups put each tile together.
struct Producer {
  const Group *group = nullptr;
  int64_t put = 0;
};

/// One stage of a channel, and what its two barriers hand over.
struct Stage {
  SharedTile tile;
  Clock full, empty;
  /// The put that the stage belongs to, from 1, what it copies, and how many
  /// producers have done their part.
  int64_t claimedBy = 0, arrivals = 0;
  Copy source;

  explicit Stage(SharedTile tile) : tile(std::move(tile)) {}
};

/// A ring of shared tiles. Put number `n` waits until tile `n - depth` is
/// released by all consumers.
struct Channel {
  gpu::MakeChannelOp op;
  int64_t depth = 1;
  /// The blocks of a cluster put, and release, each tile together.
  bool isMulticast = false;
  std::vector<Stage> stages;
  /// Puts that have their stage.
  int64_t put = 0;
  std::vector<Producer> producers;
  std::vector<Consumer> consumers;

  Channel(gpu::MakeChannelOp op);

  Stage &stageOf(int64_t number) { return stages[number % depth]; }
  Producer *findProducer(const Group &group);
  Consumer *findConsumer(const Group &group);
  /// True if put `number` finds its stage empty.
  bool hasRoom(int64_t number) const;
};

/// "the channel made at k.mlir:7:8".
std::string describe(const Channel &channel);
/// The counters of a channel, on a line.
std::string describeCounters(const Channel &channel);
/// What is left in the channel at the end of a kernel: an error if anything.
llvm::Error checkDrained(const Channel &channel);

/// Whose turn it is.
struct Turns {
  gpu::TurnsOp op;
  int64_t current = 0;
  bool isTaken = false;
  /// The last group that took or passed it.
  const Group *holder = nullptr;
  Clock clock;

  explicit Turns(gpu::TurnsOp op) : op(op) {}
};

/// Which groups put into and get from a channel, by the text of the kernel, and
/// whether they put for the whole cluster.
struct ChannelUsers {
  SmallVector<GroupKey> producers, consumers;
  bool isMulticast = false;
};

/// The users of every channel of `kernel`, by its `make_channel`.
llvm::Expected<DenseMap<Operation *, ChannelUsers>>
findChannelUsers(gpu::KernelOp kernel);

} // namespace mlir::smx::gpuhost

#endif // SMX_LIB_GPUHOST_CHANNELS_H
