//===- SharedTileOps.cpp - tiles in shared memory -------------------------===//

#include "GlobalMemory.h"
#include "ThreadBlock.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

/// Tiles are there before the kernel starts; the op only names one.
static llvm::Error runSharedAlloc(const Step &step, Group &group) {
  setResult(step, group,
            SharedHandle{&group.block->tiles.find(step.op)->second});
  return llvm::Error::success();
}

static llvm::Error runRead(const Step &step, Group &group) {
  SharedHandle shared = get<SharedHandle>(step, group, 0);
  if (llvm::Error error = beginRead(group, step.op, shared, step.warps.get()))
    return error;
  auto tile = makeTile(0);
  tile->elements = shared.tile->elements;
  setResult(step, group, TilePtr(std::move(tile)));
  group.machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runWrite(const Step &step, Group &group) {
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  SharedHandle shared = get<SharedHandle>(step, group, 1);
  {
    Machine::Lock held = group.machine.lock();
    if (llvm::Error error = checkHandle(step.op, shared))
      return error;
    if (llvm::Error error =
            checkWrite(group, step.op, *shared.tile, step.warps.get()))
      return error;
    noteWrite(group, step.op, *shared.tile, step.warps.get());
  }
  shared.tile->elements = (*tile)->elements;
  group.machine.noteProgress();
  return llvm::Error::success();
}

/// By all warps of a role together: each group does a part, and all meet when
/// it is done. No barrier comes before.
static llvm::Error runCopy(const Step &step, Group &group) {
  auto op = cast<gpu::CopyOp>(step.op);
  SharedHandle shared = get<SharedHandle>(step, group, step.in.size() - 1);
  gpu::SharedType type = op.getShared().getType();
  auto window = findWindow(
      op, "reads", getWindowOperands(op, step, group, 0, type.getShape()));
  if (!window)
    return window.takeError();
  auto check = [&]() -> llvm::Error {
    if (llvm::Error error = checkHandle(op, shared))
      return error;
    return checkWrite(group, op, *shared.tile, step.warps.get());
  };
  auto copyAll = [&] {
    noteWrite(group, op, *shared.tile, nullptr);
    return readWindow(op, *window, group, isa<FloatType>(type.getElementType()),
                      type.getShape()[1], shared.tile->elements);
  };
  return group.machine.meet(group, op,
                            group.block->barriers.find(group.key.role)->second,
                            check, copyAll);
}

/// Layouts are all one here, but the barriers of a conversion can be relied on.
static llvm::Error runConvert(const Step &step, Group &group) {
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  {
    Machine::Lock held = group.machine.lock();
    Clock unused;
    group.publish(unused);
    ++group.meetings;
  }
  setResult(step, group, *tile);
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addSharedTileOps(HandlerTable &table) {
  table["smx_gpu.alloc"] = runSharedAlloc;
  table["smx_gpu.read"] = runRead;
  table["smx_gpu.write"] = runWrite;
  table["smx_gpu.copy"] = runCopy;
  table["smx_gpu.convert"] = runConvert;
}
