//===- SharedOperandsPass.cpp - rows that registers have no room for ------===//

#include "SharedOperands.h"
#include "smx/GPU/Passes.h"

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

  void runOnOperation() override {
    for (const SharedOperand &operand :
         findSharedOperands(getOperation(), registers))
      share(operand);
  }

  /// The first op that needs the tile, or that may write what it is read from:
  /// late, so that the copies that a loop waits for first are under way.
  static Operation *whereNeeded(LoadOp load) {
    Operation *op = load->getNextNode();
    auto mayWrite = [](Operation *inner) {
      return isa<StoreOp>(inner) ? WalkResult::interrupt()
                                 : WalkResult::advance();
    };
    auto uses = [&](Operation *user) { return op->isAncestor(user); };
    while (!llvm::any_of(load->getUsers(), uses) &&
           !op->walk(mayWrite).wasInterrupted())
      op = op->getNextNode();
    return op;
  }

  void share(const SharedOperand &operand) {
    auto [load, type] = operand;
    KernelOp kernel = getOperation();
    int64_t needed =
        kernel.getSharedBytes() + type.getBytes() + sharedOperandReserve;
    bool fits = needed <= int64_t(kernel.getSharedLimit());
    auto opts = remark::RemarkOpts::name("SharedOperand")
                    .category("smx-gpu-shared-operands");
    if (!fits) {
      remark::missed(load.getLoc(), opts)
          << remark::metric("needed", needed)
          << remark::metric("limit", int64_t(kernel.getSharedLimit()));
      return;
    }
    remark::passed(load.getLoc(), opts)
        << remark::metric("bytes", type.getBytes());

    OpBuilder builder(load);
    Value shared = AllocOp::create(builder, load.getLoc(), type);
    builder.setInsertionPoint(whereNeeded(load));
    CopyOp::create(builder, load.getLoc(), load.getSource(), load.getOffsets(),
                   load.getValid(), shared, load.getDims(), load.getAligned());
    load.getTile().replaceAllUsesWith(shared);
    load.erase();
  }
};
} // namespace
