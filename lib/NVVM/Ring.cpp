//===- Ring.cpp - the stages of a channel in turn -------------------------===//

#include "Ring.h"

#include "SharedBarriers.h"
#include "smx/GPU/SharedMemory.h"

using namespace mlir;
using namespace mlir::smx;

Ring::Ring(ThreadCode &code, const KernelPlan &plan, Operation *op,
           Value channel, gpu::ChannelType type)
    : code(code), channel(channel), depth(type.getDepth()),
      stageBytes(llvm::alignTo(type.getStageType().getBytes(),
                               gpu::sharedTileAlignment)),
      data(plan.data(op)), barriers(plan.barriers(op)),
      isDealt(type.getDealt()), holdsOneTile(plan.holdsOneTile(op)) {}

Value Ring::part(ChannelPart part) {
  return code.createOrFold<LLVM::ExtractValueOp>(channel,
                                                 ArrayRef<int64_t>{part});
}

Value Ring::next(ChannelPart counter) {
  Value pointer = part(counter);
  Value count = LLVM::LoadOp::create(code, code.getI32Type(), pointer);
  LLVM::StoreOp::create(code, code.add(count, code.i32(1)), pointer);
  return count;
}

Value Ring::numberOfRead(Value count) {
  if (!isDealt)
    return count;
  return code.add(code.mul(count, code.i32(code.team.groups())), code.group());
}

Value Ring::stageOf(Value number) {
  return depth == 1 ? code.i32(0) : code.remainder(number, depth);
}

RingPosition Ring::positionOf(Value number) {
  return {stageOf(number), code.remainder(code.quotient(number, depth), 2)};
}

RingPosition Ring::nextToPut() { return positionOf(next(channelPuts)); }

RingPosition Ring::nextToGet() {
  RingPosition position = positionOf(numberOfRead(next(channelGets)));
  if (holdsOneTile)
    LLVM::StoreOp::create(code, position.stage, part(channelReleases));
  return position;
}

Value Ring::nextToRelease() {
  if (holdsOneTile)
    return LLVM::LoadOp::create(code, code.getI32Type(), part(channelReleases));
  return stageOf(numberOfRead(next(channelReleases)));
}

Value Ring::tile(Value stage) {
  // No carry: stages are within shared memory.
  constexpr auto flags =
      LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw;
  Value bytes = LLVM::MulOp::create(code, stage, code.i32(stageBytes), flags);
  return code.advance(code.shared(data), bytes);
}

Value Ring::full(Value stage) {
  return code.advance(code.shared(barriers),
                      code.mul(stage, code.i32(stageBarrierBytes)));
}

Value Ring::empty(Value stage) {
  return code.advance(full(stage), emptyBarrier);
}
