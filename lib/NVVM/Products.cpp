//===- Products.cpp - products of tiles -----------------------------------===//

#include "Products.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

TileProduct::TileProduct(gpu::MmaOp op, gpu::MmaOp::Adaptor operands)
    : a(operands.getA()), b(operands.getB()), acc(operands.getAcc()),
      sharedA(dyn_cast<gpu::SharedType>(op.getA().getType())),
      sharedB(op.getB().getType()), isBTransposed(op.getTransposeB()),
      isGuarded(op.getGuarded()), goesByTerms(op.getTerms()),
      elementType(sharedB.getElementType()), reduced(op.getReducedExtent()) {
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto layout = cast<gpu::FragmentAttr>(gpu::getLayout(result));
  columns = result.getDimSize(1);
  blockStride = 16 * layout.getWarps();
  blocks = result.getDimSize(0) / blockStride;
}

/// True for the unit that has a single-precision accumulator.
static bool isOnMatrixUnit(gpu::MmaOp op) {
  Type type = op.getB().getType().getElementType();
  return type.isF16() || type.isBF16() ||
         op.getPrecision() == gpu::Precision::TF32x3;
}

/// The only thing that the block of a branch computes, or null.
static gpu::MmaOp onlyProductOf(Block *block) {
  if (!block || !llvm::hasNItems(*block, 2))
    return {};
  auto product = dyn_cast<gpu::MmaOp>(block->front());
  return product && product->getResults() == block->back().getOperands()
             ? product
             : gpu::MmaOp();
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
    TileProduct product(op, adaptor);
    Type type = product.elementType;
    Value result;
    if (isOnMatrixUnit(op))
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

/// A product that is guarded on one side of a branch alone. What the matrix
/// unit does where b is finite is there once, and so is every fused
/// multiply-add: half of the code.
struct LowerCutTileMma : TilePattern<scf::IfOp> {
  LowerCutTileMma(const TileTypeConverter &converter, const KernelPlan &plan,
                  bool doublesOnMatrixUnit)
      : TilePattern(converter, plan, /*benefit=*/2),
        doublesOnMatrixUnit(doublesOnMatrixUnit) {}

  LogicalResult
  matchAndRewrite(scf::IfOp branch, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    gpu::MmaOp cut = onlyProductOf(branch.thenBlock());
    gpu::MmaOp whole = onlyProductOf(branch.elseBlock());
    if (!cut || !whole || !cut.getGuarded() || whole.getGuarded() ||
        cut->getOperands() != whole->getOperands() ||
        cut.getTransposeB() != whole.getTransposeB() ||
        cut.getPrecision() != whole.getPrecision() ||
        (doublesOnMatrixUnit &&
         cut.getB().getType().getElementType().isF64()) ||
        isOfWarpgroup(cut, plan))
      return rewriter.notifyMatchFailure(branch,
                                         "not one product, guarded and not");
    SmallVector<Value> operands;
    if (failed(rewriter.getRemappedValues(cut->getOperands(), operands)))
      return failure();
    ThreadCode code(rewriter, branch, plan);
    TileProduct product(cut, gpu::MmaOp::Adaptor(operands, cut));
    product.guardCondition = adaptor.getCondition();
    rewriter.replaceOp(branch, isOnMatrixUnit(cut)
                                   ? multiplyOnMatrixUnit(code, product)
                                   : multiplyExactly(code, product));
    return success();
  }

  bool doublesOnMatrixUnit;
};
} // namespace

void populateProductPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan, bool doublesOnMatrixUnit,
                             RewritePatternSet &patterns) {
  // The one of a branch goes before that of any branch.
  patterns.add<LowerMma, LowerCutTileMma>(converter, plan, doublesOnMatrixUnit);
}
} // namespace mlir::smx
