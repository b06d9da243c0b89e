//===- KeptTilePass.cpp - what is kept of a row is stored first -----------===//
//
// Where the first loop over a row leaves its last tile in registers, the second
// loop, which stores the others, would compute beside it.
//
//===----------------------------------------------------------------------===//

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_KEPTTILEPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// The loop has whole steps, of which each stores what is below the next one
/// along some dimension, where `offsets` are at or behind the end of the last.
static bool isBehind(OperandRange offsets, StoreOp inLoop, scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || (*upper - *lower) % *step != 0 ||
      offsets.size() != inLoop.getOffsets().size())
    return false;
  for (auto [along, extent] :
       llvm::zip(inLoop.getDims(), inLoop.getTile().getType().getShape()))
    if (along >= 0 && extent <= *step &&
        inLoop.getOffsets()[along] == loop.getInductionVar())
      if (auto offset = getConstantIntValue(offsets[along]))
        return *offset >= *upper;
  return false;
}

/// Loads, stores, and what has no effects.
static bool isStoringLoop(scf::ForOp loop) {
  bool stores = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    stores |= isa<StoreOp>(op);
    if (!isa<LoadOp, StoreOp>(op) &&
        (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)))
      return false;
  }
  return stores && loop.getNumResults() == 0;
}

/// A tile of which a thread has several elements.
static bool isKept(Value value, scf::ForOp loop) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  return type && getLayout(type) && getRegisterCount(type) > 1 && op &&
         !op->hasTrait<OpTrait::ConstantLike>() &&
         op->getBlock() == loop->getBlock() && op->isBeforeInBlock(loop);
}

/// Whether `op` may come before the loop: it has no effects, or it loads or
/// stores behind all that the loop stores.
static bool mayComeBefore(Operation *op, scf::ForOp loop) {
  auto areBehind = [&](OperandRange offsets) {
    return llvm::all_of(loop.getBody()->getOps<StoreOp>(), [&](StoreOp inLoop) {
      return isBehind(offsets, inLoop, loop);
    });
  };
  if (auto load = dyn_cast<LoadOp>(op))
    return areBehind(load.getOffsets());
  if (auto store = dyn_cast<StoreOp>(op))
    return areBehind(store.getOffsets());
  return op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
         (isMemoryEffectFree(op) || isa<HoldOp>(op));
}

/// What follows the loop up to the last store that all of it may come before
/// the loop with; none if there is no such store of what is kept.
static SmallVector<Operation *> storesOfKept(scf::ForOp loop) {
  SmallVector<Operation *> ops;
  size_t count = 0;
  bool usesKept = false, found = false;
  for (Operation *op = loop->getNextNode(); mayComeBefore(op, loop);
       op = op->getNextNode()) {
    ops.push_back(op);
    usesKept |= llvm::any_of(op->getOperands(), [&](Value operand) {
      return isKept(operand, loop);
    });
    if (isa<StoreOp>(op)) {
      count = ops.size();
      found = usesKept;
    }
  }
  ops.truncate(found ? count : 0);
  return ops;
}

namespace {
struct KeptTilePass : mlir::smx::gpu::impl::KeptTilePassBase<KeptTilePass> {
  using KeptTilePassBase::KeptTilePassBase;

  void runOnOperation() override {
    for (auto loop : getOperation().getBody().front().getOps<scf::ForOp>()) {
      if (!isStoringLoop(loop))
        continue;
      SmallVector<Operation *> ops = storesOfKept(loop);
      if (ops.empty())
        continue;
      for (Operation *op : ops)
        op->moveBefore(loop);
      remark::passed(
          loop.getLoc(),
          remark::RemarkOpts::name("KeptTile").category("smx-gpu-kept-tile"))
          << "a tile that is kept in registers is stored before the others";
    }
  }
};
} // namespace
