//===- Ring.h - the stages of a channel in turn -----------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_RING_H
#define SMX_LIB_NVVM_RING_H

#include "KernelLowering.h"

namespace mlir::smx {

/// Where a tile is in a ring: its stage, and the parity of its use. i32. Tile
/// number n is in stage n % depth, and is use n / depth of it.
struct RingPosition {
  Value stage, parity;
};

/// A converted channel, as the executing thread sees it.
class Ring {
public:
  /// For `op`, which puts, gets or releases.
  Ring(ThreadCode &code, const KernelPlan &plan, Operation *op, Value channel,
       gpu::ChannelType type);

  /// Where the next tile is put, or got, which becomes the one after that.
  RingPosition nextToPut();
  RingPosition nextToGet();
  /// The stage that is released next. If no more than one tile is held at a
  /// time it is the one that was got last, and there is no counter.
  Value nextToRelease();

  /// The places of a stage in shared memory: its tile, and its barriers.
  Value tile(Value stage);
  Value full(Value stage);
  Value empty(Value stage);

private:
  Value part(ChannelPart part);
  /// The number of tiles that a counter has seen, which becomes one more.
  Value next(ChannelPart counter);
  /// The number of a reader's tile: of a channel that is dealt, a group counts
  /// its own.
  Value numberOfRead(Value count);
  RingPosition positionOf(Value number);
  Value stageOf(Value number);

  ThreadCode &code;
  Value channel;
  int64_t depth, stageBytes;
  /// Of the first stage in shared memory: its tile and its barriers.
  int64_t data, barriers;
  bool isDealt, holdsOneTile;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_RING_H
