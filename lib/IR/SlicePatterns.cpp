//===- SlicePatterns.cpp - slices whose bounds become constants -----------===//
//
// Upstream infers the type of a slice anew when a bound becomes a constant, and
// of a slice that drops some dimensions of one element and keeps others it then
// drops the first ones: extract_slice [%c1, 0, 3] [1, 4, 1] to 1x4 gets the
// elements of [1, 0, 3] [1, 1, 4]. These patterns are applied first, and keep
// the dimensions.
//
//===----------------------------------------------------------------------===//

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::smx;

/// The step of what has one element is 1. True if that is new.
static bool stepByOne(ArrayRef<OpFoldResult> sizes,
                      MutableArrayRef<OpFoldResult> strides, Builder &builder) {
  bool changes = false;
  for (auto [size, stride] : llvm::zip(sizes, strides))
    if (isOneInteger(size) && !isOneInteger(stride)) {
      stride = builder.getIndexAttr(1);
      changes = true;
    }
  return changes;
}

namespace {
struct FoldExtractedBounds : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                              sizes = op.getMixedSizes(),
                              strides = op.getMixedStrides();
    bool changes = succeeded(foldDynamicOffsetSizeList(offsets));
    changes |= succeeded(foldDynamicOffsetSizeList(sizes));
    changes |= succeeded(foldDynamicStrideList(strides));
    changes |= stepByOne(sizes, strides, rewriter);
    if (!changes)
      return failure();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<int64_t> shape;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!dropped[dim])
        shape.push_back(
            getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), op.getType().clone(shape), op.getSource(),
        offsets, sizes, strides);
    rewriter.replaceOp(op, rewriter.createOrFold<tensor::CastOp>(
                               op.getLoc(), op.getType(), slice));
    return success();
  }
};

struct StepInsertedByOne : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> sizes = op.getMixedSizes(),
                              strides = op.getMixedStrides();
    if (!stepByOne(sizes, strides, rewriter))
      return failure();
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, op.getSource(), op.getDest(), op.getMixedOffsets(), sizes, strides);
    return success();
  }
};
} // namespace

void SmxDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  constexpr unsigned aboveUpstream = 10;
  patterns.add<FoldExtractedBounds, StepInsertedByOne>(patterns.getContext(),
                                                       aboveUpstream);
}
