//===- SharedOperandsPass.cpp - rows that registers have no room for ------===//

#include "SharedOperands.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SHAREDOPERANDSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
struct SharedOperandsPass
    : mlir::smx::gpu::impl::SharedOperandsPassBase<SharedOperandsPass> {
  using SharedOperandsPassBase::SharedOperandsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(context, {{"registers", registers}});
  }

  void runOnOperation() override {
    for (const SharedOperand &operand :
         findSharedOperands(getOperation(), registers))
      share(operand);
  }

  /// The first op that needs the tile, or that may write what it is read from:
  /// late, so that the copies that a loop waits for first are under way.
  static Operation *whereNeeded(Operation *read) {
    Operation *op = read->getNextNode();
    auto mayWrite = [](Operation *inner) {
      return isa<StoreOp>(inner) ? WalkResult::interrupt()
                                 : WalkResult::advance();
    };
    auto uses = [&](Operation *user) { return op->isAncestor(user); };
    while (!llvm::any_of(read->getUsers(), uses) &&
           !op->walk(mayWrite).wasInterrupted())
      op = op->getNextNode();
    return op;
  }

  void share(const SharedOperand &operand) {
    auto [read, type] = operand;
    Location loc = read->getLoc();
    KernelOp kernel = getOperation();
    int64_t needed =
        kernel.getSharedBytes() + type.getBytes() + sharedOperandReserve;
    bool fits = needed <= int64_t(kernel.getSharedLimit());
    auto opts = remark::RemarkOpts::name("SharedOperand")
                    .category("smx-gpu-shared-operands");
    if (!fits) {
      remark::missed(loc, opts)
          << remark::metric("needed", needed)
          << remark::metric("limit", int64_t(kernel.getSharedLimit()));
      return;
    }
    remark::passed(loc, opts) << remark::metric("bytes", type.getBytes());

    OpBuilder builder(read);
    Value shared = AllocOp::create(builder, loc, type);
    Value tile = read->getResult(0);
    builder.setInsertionPoint(whereNeeded(read));
    if (auto load = dyn_cast<LoadOp>(read)) {
      CopyOp::create(builder, loc, load.getSource(), load.getOffsets(),
                     load.getValid(), shared, load.getDims(),
                     load.getAligned());
      tile.replaceAllUsesWith(shared);
      load.erase();
      return;
    }
    // Elements of any place come by way of registers.
    tile.replaceAllUsesWith(shared);
    WriteOp::create(builder, loc, tile, shared);
    BarrierOp::create(builder, loc);
  }
};
} // namespace
