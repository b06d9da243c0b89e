//===- PrefetchPass.cpp - copies one round ahead --------------------------===//

#include "smx/GPU/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_PREFETCHPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {

/// The ops in `loop`'s body that `put` is computed from, in order; none if one
/// of them is carried by the loop or has effects.
std::optional<SmallVector<Operation *>> addressOf(PutOp put, scf::ForOp loop) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> worklist(put->getOperands());
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (llvm::is_contained(loop.getRegionIterArgs(), value))
      return std::nullopt;
    Operation *op = value.getDefiningOp();
    if (!op || !loop->isProperAncestor(op) || !needed.insert(op))
      continue;
    if (!isMemoryEffectFree(op) || op->getBlock() != loop.getBody())
      return std::nullopt;
    worklist.append(op->operand_begin(), op->operand_end());
  }
  SmallVector<Operation *> ordered = needed.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// `put` for the round in which the loop counter is `counter`, if that is below
/// the upper bound.
void putIfInside(OpBuilder &builder, PutOp put, scf::ForOp loop,
                 ArrayRef<Operation *> address, Value counter) {
  Location loc = put.getLoc();
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, counter, loop.getUpperBound());
  auto guarded = scf::IfOp::create(builder, loc, isInside);
  OpBuilder inside = guarded.getThenBodyBuilder();
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), counter);
  for (Operation *op : address)
    inside.clone(*op, mapping);
  inside.clone(*put, mapping);
}

struct PrefetchPass : mlir::smx::gpu::impl::PrefetchPassBase<PrefetchPass> {
  using PrefetchPassBase::PrefetchPassBase;

  void runOnOperation() override {
    if (depth < 1) {
      getOperation().emitError("option 'depth' must be at least 1, got ")
          << int64_t(depth);
      return signalPassFailure();
    }
    int64_t stages = fittingDepth();
    if (stages == 1)
      return;
    getOperation().walk([&](MakeChannelOp op) { deepen(op, stages); });
    SmallVector<PutOp> puts;
    getOperation().walk([&](PutOp put) {
      if (isa<scf::ForOp>(put->getParentOp()))
        puts.push_back(put);
    });
    // Each goes to the start of the loop: the first one last.
    for (PutOp put : llvm::reverse(puts)) {
      auto loop = cast<scf::ForOp>(put->getParentOp());
      auto address = addressOf(put, loop);
      if (!address)
        continue;
      OpBuilder builder(loop);
      putIfInside(builder, put, loop, *address, loop.getLowerBound());
      builder.setInsertionPointToStart(loop.getBody());
      Value next = arith::AddIOp::create(
          builder, put.getLoc(), loop.getInductionVar(), loop.getStep());
      putIfInside(builder, put, loop, *address, next);
      put.erase();
    }
  }

  /// As many stages as wanted, if the chip's shared memory holds them.
  int64_t fittingDepth() {
    KernelOp kernel = getOperation();
    int64_t stageBytes = 0;
    kernel.walk([&](MakeChannelOp op) {
      stageBytes += llvm::alignTo(
          op.getChannel().getType().getStageType().getBytes(), 1024);
    });
    if (stageBytes == 0)
      return 1;
    // Beside the tiles: barriers, and room to exchange values between warps.
    constexpr int64_t reserve = 4096;
    int64_t left = int64_t(kernel.getSharedLimit()) - reserve -
                   (kernel.getSharedBytes() - stageBytes);
    int64_t fitting = std::max<int64_t>(left / stageBytes, 1);
    if (fitting < depth)
      remark::missed(
          kernel.getLoc(),
          remark::RemarkOpts::name("ChannelDepth").category("smx-gpu-prefetch"))
          << remark::metric("wanted", int64_t(depth))
          << remark::metric("fitting", fitting);
    return std::min<int64_t>(fitting, depth);
  }

  /// Gives a channel `stages` stages. All that names its type follows.
  void deepen(MakeChannelOp op, int64_t stages) {
    ChannelType old = op.getChannel().getType();
    op.getChannel().setType(ChannelType::get(op.getContext(), old.getShape(),
                                             old.getElementType(),
                                             old.getSwizzle(), stages));
  }
};
} // namespace
