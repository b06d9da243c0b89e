//===- ThreadLoopsPass.cpp - scratch memory and schedule of the threads ---===//

#include "smx/CPU/Passes.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXCPUTHREADLOOPSPASS
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;

/// The outermost loop around `op` that can be left without leaving a thread: in
/// a parallel region, its worksharing loop. Null: no loop.
static Operation *loopToLeave(Operation *op) {
  Operation *loop = nullptr;
  for (Operation *parent = op->getParentOp();
       parent && !isa<omp::ParallelOp, FunctionOpInterface>(parent);
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface, omp::WsloopOp>(parent))
      loop = parent;
  return loop;
}

/// True when a terminator hands `buffer` or a view of it on.
static bool isHandedOn(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (user->hasTrait<OpTrait::IsTerminator>())
      return true;
    return isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1 &&
           isHandedOn(user->getResult(0));
  });
}

namespace {
struct ThreadLoopsPass : smx::impl::SmxCPUThreadLoopsPassBase<ThreadLoopsPass> {
  using SmxCPUThreadLoopsPassBase::SmxCPUThreadLoopsPassBase;

  void runOnOperation() override {
    IRRewriter b(&getContext());
    SmallVector<memref::AllocOp> buffers;
    getOperation()->walk([&](Operation *op) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op))
        buffers.push_back(alloc);
      else if (auto loop = dyn_cast<omp::WsloopOp>(op))
        if (!loop.getScheduleKind())
          loop.setScheduleKind(omp::ClauseScheduleKind::Guided);
    });
    for (memref::AllocOp buffer : buffers)
      place(b, buffer);
  }

  /// Moves `buffer` out of the loops around it, and onto the stack when it is
  /// small.
  void place(IRRewriter &b, memref::AllocOp buffer) {
    memref::DeallocOp release;
    for (Operation *user : buffer->getUsers())
      if (auto dealloc = dyn_cast<memref::DeallocOp>(user)) {
        // Freed on several paths: not the simple shape that can be moved.
        if (release || dealloc->getBlock() != buffer->getBlock())
          return;
        release = dealloc;
      }
    if (!release || isHandedOn(buffer))
      return;
    if (Operation *loop = loopToLeave(buffer)) {
      bool isAvailable = llvm::all_of(buffer->getOperands(), [&](Value size) {
        return !loop->isAncestor(size.getParentBlock()->getParentOp());
      });
      if (!isAvailable)
        return;
      b.moveOpBefore(buffer, loop);
      b.moveOpAfter(release, loop);
    }
    MemRefType type = buffer.getType();
    if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
        type.getNumElements() * smx::elementBytes(type) > stackBytes)
      return;
    // Outside of all loops now, so the stack does not grow with the iterations.
    b.setInsertionPoint(buffer);
    b.eraseOp(release);
    b.replaceOpWithNewOp<memref::AllocaOp>(buffer, type,
                                           buffer.getAlignmentAttr());
  }
};
} // namespace
