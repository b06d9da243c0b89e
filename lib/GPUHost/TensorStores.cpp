//===- TensorStores.cpp - stores by the tensor copy engine ----------------===//
//
// Memory is written as late as it may be: when the next store of the group goes
// through the same shared tile, or when the group ends. What reads it before
// finds what was there before. The shared tile has no other users, so what lies
// in it is not modelled.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

static llvm::Error runTensorStore(const Step &step, Group &group) {
  auto op = cast<gpu::TensorStoreOp>(step.op);
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  ArrayRef<int64_t> extents = op.getTile().getType().getShape();
  WindowOperands operands{
      get<MemoryPtr>(step, group, 1),       {}, {}, op.getDims(), extents,
      static_cast<int64_t>(op.getAligned())};
  for (unsigned i = 0; i < op.getOffsets().size(); ++i)
    operands.offsets.push_back(getInteger(step, group, 2 + i));
  // The engine knows the extents of the memref.
  for (int64_t d : op.getDims())
    operands.valid.push_back(operands.memory->sizes[d] - operands.offsets[d]);
  auto window = findWindow(op, "writes", operands);
  if (!window)
    return window.takeError();
  if (llvm::Error error = checkEngineAddresses(op, *window, "the engine"))
    return error;
  std::function<llvm::Error()> &pending =
      group.tensorStores[get<SharedHandle>(step, group, step.in.size() - 1)
                             .tile];
  if (pending)
    if (llvm::Error error = pending())
      return error;
  pending = [op, &group, window = *window, tile = *tile,
             columns = extents[1]]() mutable {
    return writeWindow(op, window, group, columns, tile->elements);
  };
  group.machine.noteProgress();
  return llvm::Error::success();
}

llvm::Error mlir::smx::gpuhost::finishTensorStores(Group &group) {
  for (auto &[tile, store] : group.tensorStores)
    if (llvm::Error error = store())
      return error;
  group.tensorStores.clear();
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addTensorStores(HandlerTable &table) {
  table["smx_gpu.tensor_store"] = runTensorStore;
}
