//===- FixedExtents.cpp - a module for certain sizes ----------------------===//

#include "FixedExtents.h"

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using mlir::smx::SmxDialect;
using mlir::smx::gpu::ArgumentExtent;

namespace {
/// op(cast(x)) = cast(op(x)) where x has the more static type: the types of
/// results follow from the extents that the op itself names.
struct LookThroughCasts
    : OpInterfaceRewritePattern<ReifyRankedShapedTypeOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ReifyRankedShapedTypeOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<SmxDialect>(op->getDialect()))
      return rewriter.notifyMatchFailure(op, "not an op of smx");
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : operands)
      if (auto cast = operand.getDefiningOp<tensor::CastOp>())
        if (tensor::preservesStaticInformation(cast.getType(),
                                               cast.getSource().getType()))
          operand = cast.getSource();
    if (llvm::equal(operands, op->getOperands()))
      return rewriter.notifyMatchFailure(op, "no cast to look through");
    // The rest is filled, where the extent is open.
    if (auto largest = dyn_cast<mlir::smx::TopKSoftmaxOp>(op.getOperation());
        largest &&
        isShorterThan(operands.front(), largest.getAxis(), largest.getK()))
      return rewriter.notifyMatchFailure(op, "a row of fewer elements than k");
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(operands); });
    refineResults(op, rewriter);
    return success();
  }

private:
  static bool isShorterThan(Value row, int64_t axis, int64_t k) {
    auto type = cast<RankedTensorType>(row.getType());
    return !type.isDynamicDim(axis) && type.getDimSize(axis) < k;
  }

  static void refineResults(ReifyRankedShapedTypeOpInterface op,
                            PatternRewriter &rewriter) {
    ReifiedRankedShapedTypeDims shapes;
    rewriter.setInsertionPoint(op);
    if (failed(op.reifyResultShapes(rewriter, shapes)))
      return;
    rewriter.setInsertionPointAfter(op);
    for (auto [result, extents] : llvm::zip(op->getResults(), shapes)) {
      auto type = cast<RankedTensorType>(result.getType());
      SmallVector<int64_t> shape(type.getShape());
      for (auto [size, extent] : llvm::zip(shape, extents))
        if (std::optional<int64_t> known = getConstantIntValue(extent))
          size = *known;
      auto refined = type.clone(shape);
      if (refined == type)
        continue;
      Value value = result;
      rewriter.modifyOpInPlace(op, [&] { value.setType(refined); });
      auto cast = tensor::CastOp::create(rewriter, op->getLoc(), type, result);
      rewriter.replaceAllUsesExcept(result, cast, cast);
    }
  }
};

/// The same where an element of the result is computed from one of each
/// operand, all of which have its shape.
struct ComputeOnStaticShape : OpTraitRewritePattern<OpTrait::Elementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto type = op->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                    : RankedTensorType();
    if (!type || !OpTrait::hasElementwiseMappableTraits(op))
      return rewriter.notifyMatchFailure(op, "not elementwise on a tensor");
    SmallVector<int64_t> shape(type.getShape());
    for (Value operand : op->getOperands())
      if (auto cast = operand.getDefiningOp<tensor::CastOp>())
        if (auto source =
                dyn_cast<RankedTensorType>(cast.getSource().getType()))
          for (auto [size, known] : llvm::zip(shape, source.getShape()))
            if (!ShapedType::isDynamic(known))
              size = known;
    if (type.getShape() == ArrayRef(shape))
      return rewriter.notifyMatchFailure(op, "no extent to learn of");
    IRMapping casts;
    for (Value operand : op->getOperands())
      if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
        casts.map(operand, rewriter.createOrFold<tensor::CastOp>(
                               op->getLoc(), tensor.clone(shape), operand));
    Operation *fixed = rewriter.clone(*op, casts);
    fixed->getResult(0).setType(type.clone(shape));
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, type, fixed->getResult(0));
    return success();
  }
};
} // namespace

auto ::smx::fixExtents(func::FuncOp function, ArrayRef<ArgumentExtent> extents,
                       ArrayRef<int64_t> sizes) -> LogicalResult {
  MLIRContext *context = function.getContext();
  Block &entry = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    SmallVector<int64_t> shape(type.getShape());
    for (auto [extent, size] : llvm::zip(extents, sizes))
      if (extent.argument == argument.getArgNumber() && size >= 0)
        shape[extent.dim] = size;
    if (type.getShape() == ArrayRef(shape))
      continue;
    argument.setType(type.clone(shape));
    auto cast =
        tensor::CastOp::create(builder, argument.getLoc(), type, argument);
    argument.replaceAllUsesExcept(cast, cast);
  }
  function.setType(builder.getFunctionType(entry.getArgumentTypes(),
                                           function.getResultTypes()));

  RewritePatternSet patterns(context);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, context);
  patterns.add<LookThroughCasts, ComputeOnStaticShape>(context);
  return applyPatternsGreedily(function, std::move(patterns));
}
