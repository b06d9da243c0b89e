//===- Clusters.cpp - blocks that share their shared memory ---------------===//

#include "Clusters.h"
#include "ClusterExchange.h"
#include "WarpExchange.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {

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

/// Every block writes its values to the scratch of all blocks; after a barrier
/// each reads those of all ranks from its own, in their order.
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
            rowBytes = bytes * ranks;
    Value row =
        code.advance(code.shared(plan.scratch(op)),
                     code.mul(code.threadPart(slice).row, code.i32(rowBytes)));
    if (Value turn = turnOfExchange(code, plan, op))
      row = code.advance(
          row, code.mul(turn, code.i32(llvm::alignTo(
                                  slice.getNumElements() * rowBytes, 16))));
    int64_t count = gpu::getRegisterCount(slice);
    auto offset = [&](int64_t i) {
      return gpu::getElement(slice, 0, i).row * rowBytes;
    };

    awaitScratchOfCluster(code, plan, op);
    auto mine = [&] {
      Value rank = NVVM::ClusterId::create(code, code.getI32Type());
      return code.advance(row, code.mul(rank, code.i32(bytes)));
    };
    if (plan.isExchange(op) && slice.getNumElements() == 1) {
      // All threads have the value: a lane of the first warp for each block.
      code.when(code.less(code.thread(), code.i32(ranks)), [&] {
        sendToBlock(code, plan, op, code.getRegister(adaptor.getValues(), 0),
                    mine(), code.thread());
      });
    } else {
      code.when(code.isOwner(slice), [&] {
        Value place = mine();
        for (int64_t to : llvm::seq(ranks))
          for (int64_t i : llvm::seq(count)) {
            Value value = code.getRegister(adaptor.getValues(), i);
            if (plan.isExchange(op))
              sendToBlock(code, plan, op, value, code.advance(place, offset(i)),
                          code.i32(to));
            else
              LLVM::StoreOp::create(
                  code, value,
                  code.advance(inBlockOfCluster(code, place, code.i32(to)),
                               offset(i)),
                  bytes);
          }
      });
    }
    if (plan.isExchange(op))
      awaitExchange(code, plan, op);
    else
      meetInCluster(code);
    int64_t run = std::min<int64_t>(16 / bytes, ranks);
    SmallVector<Value> results;
    for (int64_t i : llvm::seq(count)) {
      Value result;
      for (int64_t rank = 0; rank < ranks; rank += run) {
        Value part = LLVM::LoadOp::create(
            code, VectorType::get(run, element),
            code.advance(row, offset(i) + rank * bytes), run * bytes);
        for (int64_t k : llvm::seq(run)) {
          Value value = code.getRegister(part, k);
          result = result ? combine(code, op.getKind(), result, value) : value;
        }
      }
      results.push_back(result);
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
