//===- Products.cpp - products of tiles -----------------------------------===//

#include "Products.h"

namespace mlir::smx {

Product::Product(gpu::MmaOp op, gpu::MmaOp::Adaptor operands)
    : a(operands.getA()), b(operands.getB()), acc(operands.getAcc()),
      sharedA(dyn_cast<gpu::SharedType>(op.getA().getType())),
      sharedB(op.getB().getType()), isBTransposed(op.getTransposeB()),
      isGuarded(op.getGuarded()), elementType(sharedB.getElementType()),
      reduced(op.getReducedExtent()) {
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto layout = cast<gpu::FragmentAttr>(gpu::getLayout(result));
  columns = result.getDimSize(1);
  blockStride = 16 * layout.getWarps();
  blocks = result.getDimSize(0) / blockStride;
}

namespace {
struct LowerMma : TilePattern<gpu::MmaOp> {
  LowerMma(const TileTypeConverter &converter, const KernelPlan &plan,
           bool doublesOnMatrixUnit)
      : TilePattern(converter, plan), doublesOnMatrixUnit(doublesOnMatrixUnit) {
  }

  LogicalResult
  matchAndRewrite(gpu::MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    Product product(op, adaptor);
    Type type = product.elementType;
    Value result;
    if (type.isF16() || type.isBF16() ||
        op.getPrecision() == gpu::Precision::TF32x3)
      result = multiplyOnMatrixUnit(code, product);
    // The guard is a comparison of every term, which the unit has none of.
    else if (type.isF64() && doublesOnMatrixUnit && !product.isGuarded)
      result = multiplyDoubles(code, product);
    else if (type.isF32() || type.isF64())
      result = multiplyExactly(code, product);
    else
      return op.emitOpError()
             << "of " << type
             << " is not lowered; f16, bf16, f32 and f64 operands are";
    rewriter.replaceOp(op, result);
    return success();
  }

  bool doublesOnMatrixUnit;
};
} // namespace

void populateProductPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan, bool doublesOnMatrixUnit,
                             RewritePatternSet &patterns) {
  patterns.add<LowerMma>(converter, plan, doublesOnMatrixUnit);
}
} // namespace mlir::smx
