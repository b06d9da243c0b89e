//===- Clusters.cpp - blocks that share their shared memory ---------------===//

#include "WarpExchange.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {

/// Address space of the shared memory of all blocks of a cluster.
static constexpr unsigned clusterSpace = 7;

/// All threads of the cluster meet, and see each other's shared memory.
static void meetInCluster(ImplicitLocOpBuilder &b) {
  NVVM::ClusterArriveOp::create(b, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
}

int64_t clusterScratchBytes(Operation *op) {
  auto reduce = dyn_cast<gpu::ClusterReduceOp>(op);
  if (!reduce)
    return 0;
  auto slice = cast<RankedTensorType>(reduce.getValues().getType());
  return slice.getNumElements() * bytesOfElement(slice.getElementType());
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

/// Every block writes its values to its own scratch; after a barrier all blocks
/// read those of all ranks, in their order.
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
    int64_t bytes = bytesOfElement(element);
    Value mine =
        code.advance(code.shared(plan.scratch(op)),
                     code.mul(code.threadPart(slice).row, code.i32(bytes)));
    int64_t count = gpu::getRegisterCount(slice);
    auto offset = [&](int64_t i) {
      return gpu::getElement(slice, 0, i).row * bytes;
    };

    // Other uses of the scratch are over.
    code.teamBarrier();
    code.when(code.isOwner(slice), [&] {
      for (int64_t i : llvm::seq(count))
        LLVM::StoreOp::create(code, code.getRegister(adaptor.getValues(), i),
                              code.advance(mine, offset(i)), bytes);
    });
    meetInCluster(code);
    auto pointer =
        LLVM::LLVMPointerType::get(rewriter.getContext(), clusterSpace);
    SmallVector<Value> results(count);
    for (int64_t rank : llvm::seq(code.team.cluster)) {
      Value theirs = NVVM::MapaOp::create(code, pointer, mine, code.i32(rank));
      for (int64_t i : llvm::seq(count)) {
        Value value = LLVM::LoadOp::create(
            code, element, code.advance(theirs, offset(i)), bytes);
        results[i] =
            rank == 0 ? value : combine(code, op.getKind(), results[i], value);
      }
    }
    // Nobody overwrites its scratch, or ends, before the others have read it.
    meetInCluster(code);
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
