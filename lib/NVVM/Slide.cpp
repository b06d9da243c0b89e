//===- Slide.cpp - how far rows start behind an access --------------------===//

#include "SlidRows.h"

namespace mlir::smx {

namespace {
struct LowerSlide : TilePattern<gpu::SlideOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::SlideOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    RankedTensorType type = op.getRows().getType();
    int64_t extents[] = {type.getDimSize(0), 1};
    GlobalTile memory = makeGlobalTile(
        code, op.getSource().getType(), adaptor.getSource(),
        adaptor.getOffsets(), /*valid=*/ValueRange(), op.getDims(), extents,
        /*aligned=*/0);
    ThreadCoordinate at = code.threadPart(type);
    Value row = code.advance(memory.start(code),
                             byteOffset(code, memory, /*d=*/0, at.row, 0));
    Value address = LLVM::PtrToIntOp::create(code, code.getI64Type(), row);
    Value behind =
        code.remainder(LLVM::TruncOp::create(code, code.getI32Type(), address),
                       op.getUnit() * memory.elementBytes);
    Value elements = code.quotient(behind, memory.elementBytes);
    Value wide = LLVM::ZExtOp::create(code, code.getI64Type(), elements);
    rewriter.replaceOp(op, code.fromRegisters(SmallVector<Value>(
                               gpu::getRegisterCount(type), wide)));
    return success();
  }
};
} // namespace

void populateSlidePatterns(const TileTypeConverter &converter,
                           const KernelPlan &plan,
                           RewritePatternSet &patterns) {
  patterns.add<LowerSlide>(converter, plan);
}

} // namespace mlir::smx
