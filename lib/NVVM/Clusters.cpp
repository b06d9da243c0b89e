//===- Clusters.cpp - blocks that share their shared memory ---------------===//

#include "Clusters.h"
#include "ClusterExchange.h"
#include "HeldTiles.h"
#include "WarpExchange.h"
#include "WarpsOfColumns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {
using ::smx::gpu::wordBytes;

/// Address space of the shared memory of all blocks of a cluster.
static constexpr unsigned clusterSpace = 7;

void waitForCluster(ImplicitLocOpBuilder &b) {
  NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
}

void meetInCluster(ImplicitLocOpBuilder &b) {
  NVVM::ClusterArriveOp::create(b, b.getUnitAttr());
  waitForCluster(b);
}

void awaitScratchOfCluster(ThreadCode &code, const KernelPlan &plan,
                           Operation *op) {
  if (plan.startsCluster(op))
    expectExchanges(code, plan, op);
  else if (!plan.isScratchFree(op))
    meetInCluster(code);
}

Value inBlockOfCluster(ImplicitLocOpBuilder &b, Value address, Value rank) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), clusterSpace);
  return NVVM::MapaOp::create(b, pointer, address, rank);
}

int64_t clusterScratchBytes(Operation *op) {
  auto reduce = dyn_cast<gpu::ClusterReduceOp>(op);
  if (!reduce)
    return 0;
  auto slice = cast<RankedTensorType>(reduce.getValues().getType());
  return slice.getNumElements() * elementBytes(slice.getElementType()) *
         op->getParentOfType<gpu::KernelOp>().getCluster();
}

namespace {
struct LowerClusterRank : ConvertOpToLLVMPattern<gpu::ClusterRankOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::ClusterRankOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value rank =
        NVVM::ClusterId::create(rewriter, op.getLoc(), rewriter.getI32Type());
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, rewriter.getI64Type(), rank);
    return success();
  }
};

struct LowerClusterBarrier : TilePattern<gpu::ClusterBarrierOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::ClusterBarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    if (code.team.cluster > 1)
      meetInCluster(code);
    else
      code.teamBarrier();
    rewriter.eraseOp(op);
    return success();
  }
};

/// Says for each block which of a thread's values it is to get: other threads
/// have copies of them, and each copy goes to some of the blocks. `send` has
/// the block's rank, neighbours of up to `mostBytes`, and their place in bytes.
static void sendCopies(
    ThreadCode &code, RankedTensorType slice, Value values, int64_t mostBytes,
    llvm::function_ref<void(Value rank, Value side, int64_t place)> send) {
  gpu::SliceAttr parent = gpu::getSlice(slice);
  ThreadsAlong along = threadsAlong(parent.getParent(), parent.getDim());
  const int64_t bytes = elementBytes(slice.getElementType()),
                ranks = code.team.cluster,
                run = std::min(adjacentValues(slice, bytes), mostBytes / bytes);
  Value copy = along.place(code);
  for (int64_t first = 0; first < ranks; first += along.count) {
    auto sendTo = [&] {
      Value rank = code.add(copy, code.i32(first));
      for (int64_t i = 0; i < gpu::getRegisterCount(slice); i += run)
        send(rank, code.getRegisters(values, i, run),
             gpu::getElement(slice, 0, i).row * bytes);
    };
    if (first + along.count <= ranks)
      sendTo();
    else
      code.when(code.less(copy, code.i32(ranks - first)), sendTo);
  }
}

/// Every block writes its values to the scratch of all blocks; after a barrier
/// each reads those of all ranks from its own, in their order. The place of a
/// value is [rank, position].
struct LowerClusterReduce : TilePattern<gpu::ClusterReduceOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::ClusterReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    if (code.team.barrier != 0)
      return op.emitOpError("is not lowered in a role: all threads of the "
                            "cluster meet in it");
    if (code.team.cluster == 1) {
      rewriter.replaceOp(op, adaptor.getValues());
      return success();
    }
    auto slice = cast<RankedTensorType>(op.getValues().getType());
    Type element =
        cast<VectorType>(adaptor.getValues().getType()).getElementType();
    int64_t bytes = elementBytes(element), ranks = code.team.cluster,
            rankBytes = slice.getNumElements() * bytes;
    Value row =
        code.advance(code.shared(plan.scratch(op)),
                     code.mul(code.threadPart(slice).row, code.i32(bytes)));
    if (Value turn = turnOfExchange(code, plan, op))
      row = code.advance(
          row, code.mul(turn, code.i32(llvm::alignTo(ranks * rankBytes, 16))));
    int64_t count = gpu::getRegisterCount(slice);
    auto offset = [&](int64_t i) {
      return gpu::getElement(slice, 0, i).row * bytes;
    };

    awaitScratchOfCluster(code, plan, op);
    auto mine = [&] {
      Value rank = NVVM::ClusterId::create(code, code.getI32Type());
      return code.advance(row, code.mul(rank, code.i32(rankBytes)));
    };
    if (plan.isExchange(op) && slice.getNumElements() == 1) {
      // All threads have the value: a lane of the first warp for each block.
      code.when(code.less(code.thread(), code.i32(ranks)), [&] {
        sendToBlock(code, plan, op, code.getRegister(adaptor.getValues(), 0),
                    mine(), code.thread());
      });
    } else {
      Value place = mine();
      const bool isExchange = plan.isExchange(op);
      sendCopies(code, slice, adaptor.getValues(), isExchange ? 8 : accessBytes,
                 [&](Value to, Value side, int64_t offset) {
                   if (isExchange)
                     return sendToBlock(code, plan, op, side,
                                        code.advance(place, offset), to);
                   Value there = inBlockOfCluster(code, place, to);
                   LLVM::StoreOp::create(code, side,
                                         code.advance(there, offset));
                 });
    }
    if (plan.isExchange(op))
      awaitExchange(code, plan, op);
    else
      meetInCluster(code);
    // Of an only value those of several ranks lie side by side.
    const bool isOne = slice.getNumElements() == 1;
    const int64_t run = isOne ? std::min<int64_t>(16 / bytes, ranks)
                              : adjacentValues(slice, bytes);
    constexpr int64_t atOnce = 2;
    SmallVector<Value> results(count);
    for (int64_t i = 0; i < count; i += isOne ? 1 : run)
      for (int64_t rank = 0; rank < ranks; rank += isOne ? run : 1) {
        Value part = LLVM::LoadOp::create(
            code, VectorType::get(run, element),
            code.advance(row, offset(i) + rank * rankBytes), run * bytes);
        for (int64_t k : llvm::seq(run)) {
          Value &result = results[isOne ? i : i + k];
          Value value = code.getRegister(part, k);
          result = result ? combine(code, op.getKind(), result, value) : value;
        }
        // What comes of more blocks takes no registers yet.
        if (!isOne && run * bytes % wordBytes == 0 && rank + 1 < ranks &&
            (rank + 1) % atOnce == 0) {
          MutableArrayRef<Value> side = MutableArrayRef(results).slice(i, run);
          Value held = holdElements(code, code.fromRegisters(side));
          for (int64_t k : llvm::seq(run))
            side[k] = code.getRegister(held, k);
        }
      }
    rewriter.replaceOp(op, code.fromRegisters(results));
    return success();
  }
};
} // namespace

void populateClusterPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan,
                             RewritePatternSet &patterns) {
  patterns.add<LowerClusterRank>(converter);
  patterns.add<LowerClusterBarrier, LowerClusterReduce>(converter, plan);
}

} // namespace mlir::smx
