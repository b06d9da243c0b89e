//===- PrefetchPass.cpp - copies one round ahead --------------------------===//

#include "ChannelDepth.h"
#include "SharedOperands.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_PREFETCHPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// True if `op` reads a number (from a table, or a list of tiles) that the
/// kernel does not write: it is the same whenever it is read.
static bool readsConstant(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  auto argument =
      load ? dyn_cast<BlockArgument>(load.getMemref()) : BlockArgument();
  return argument && isa<KernelOp>(argument.getOwner()->getParentOp()) &&
         llvm::none_of(argument.getUsers(), llvm::IsaPred<StoreOp>);
}

/// The ops in `loop`'s body that `put` is computed from, in order; none if one
/// of them is carried by the loop or has effects.
static std::optional<SmallVector<Operation *>> addressOf(PutOp put,
                                                         scf::ForOp loop) {
  llvm::SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  if (failed(getBackwardSlice(put.getOperation(), &needed, options)))
    return std::nullopt;
  for (Operation *op : needed)
    if ((op != put && !isMemoryEffectFree(op) && !readsConstant(op)) ||
        op->getBlock() != loop.getBody() ||
        llvm::any_of(op->getOperands(), [&](Value value) {
          return llvm::is_contained(loop.getRegionIterArgs(), value);
        }))
      return std::nullopt;
  needed.remove(put);
  return needed.takeVector();
}

/// `put` for the round in which the loop counter is `counter`, if that is below
/// the upper bound.
static void putIfInside(OpBuilder &builder, PutOp put, scf::ForOp loop,
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

namespace {
struct PrefetchPass : mlir::smx::gpu::impl::PrefetchPassBase<PrefetchPass> {
  using PrefetchPassBase::PrefetchPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(context, {{"depth", depth, /*least=*/1}});
  }

  void runOnOperation() override {
    // A role that fetches runs ahead as far as its channels are deep.
    bool hasRoles =
        getOperation()
            .walk([](WarpSpecializeOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (hasRoles)
      return;
    // First operands that will be shared want their room whatever the depth.
    int64_t operandBytes = 0;
    for (const SharedOperand &operand :
         findSharedOperands(getOperation(), operandRegisters))
      operandBytes += operand.type.getBytes();
    int64_t ahead = deepenChannels(getOperation(), depth, "smx-gpu-prefetch",
                                   operandBytes) -
                    1;
    if (ahead == 0)
      return;
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
      auto after = [&](Value counter) -> Value {
        return arith::AddIOp::create(builder, put.getLoc(), counter,
                                     loop.getStep());
      };
      Value counter = loop.getLowerBound();
      for (int64_t round = 0; round < ahead; ++round) {
        if (round != 0)
          counter = after(counter);
        putIfInside(builder, put, loop, *address, counter);
      }
      builder.setInsertionPointToStart(loop.getBody());
      counter = loop.getInductionVar();
      for (int64_t round = 0; round < ahead; ++round)
        counter = after(counter);
      putIfInside(builder, put, loop, *address, counter);
      put.erase();
    }
  }
};
} // namespace
