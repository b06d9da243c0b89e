//===- Gather.cpp - reads of global memory at computed places -------------===//

#include "KernelLowering.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"

namespace mlir::smx {

namespace {
struct LowerGather : TilePattern<gpu::GatherOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    auto type = cast<MemRefType>(op.getSource().getType());
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    SmallVector<int64_t> origin(type.getRank(), -1), extents(type.getRank(), 1);
    GlobalTile memory =
        makeGlobalTile(code, type, adaptor.getSource(), /*offsets=*/{},
                       /*valid=*/{}, origin, extents, /*aligned=*/0);
    SmallVector<Value> steps;
    auto [strides, start] = type.getStridesAndOffset();
    MemRefDescriptor descriptor(adaptor.getSource());
    for (auto [dim, stride] : llvm::enumerate(strides))
      steps.push_back(code.mul(ShapedType::isDynamic(stride)
                                   ? descriptor.stride(code, op.getLoc(), dim)
                                   : code.i64(stride),
                               code.i64(memory.elementBytes)));
    SmallVector<Value> vectors;
    auto one = VectorType::get(1, tile.getElementType());
    for (int64_t i : llvm::seq(gpu::getRegisterCount(tile))) {
      Value address = memory.start(code);
      for (auto [index, step] : llvm::zip(adaptor.getIndices(), steps))
        address =
            code.advance(address, code.mul(code.getRegister(index, i), step));
      vectors.push_back(loadGlobal(code, address, one, /*predicate=*/Value()));
    }
    rewriter.replaceOp(op, code.fromVectors(vectors));
    return success();
  }
};
} // namespace

void populateGatherPatterns(const TileTypeConverter &converter,
                            const KernelPlan &plan,
                            RewritePatternSet &patterns) {
  patterns.add<LowerGather>(converter, plan);
}

} // namespace mlir::smx
