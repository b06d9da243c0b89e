//===- SlicePatterns.cpp - slices whose bounds become constants -----------===//
//
// Upstream infers the type of a slice anew when a bound becomes a constant, and
// of a slice that drops some dimensions of one element and keeps others it then
// drops the first ones: extract_slice [%c1, 0, 3] [1, 4, 1] to 1x4 gets the
// elements of [1, 0, 3] [1, 1, 4]. These patterns are applied first, and keep
// the dimensions.
//
// Of memory with strides that are open, upstream drops the first dimensions of
// one element, whatever the type says: [0, 0, 1, 0] [1, 16, 1, 8] to 1x16x8
// would be 16x1x8; and with steps it finds no dimension at all. So a slice that
// keeps one of them and drops one behind longer ones drops them all, and a
// reshape says which are there:
//
//   extract_slice to 1x16x8  =  expand_shape (extract_slice to 16x8)
//   insert_slice of 1x16x8   =  insert_slice of (collapse_shape to 16x8)
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

/// The result of a slice that drops some of its dimensions of one element, or
/// the source of one that is inserted.
class ReducedSlice {
public:
  ReducedSlice(RankedTensorType type, OffsetSizeAndStrideOpInterface slice,
               const llvm::SmallBitVector &dropped)
      : type(type) {
    bool drops = false, keepsUnit = false, isBehindOthers = false;
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes())) {
      if (dropped[dim]) {
        drops = true;
        ambiguous |= isBehindOthers;
        continue;
      }
      kept.push_back(size);
      keepsUnit |= isOneInteger(size);
      isBehindOthers |= keepsUnit && !isOneInteger(size);
    }
    // Steps are in no stride that upstream compares.
    ambiguous |= drops && keepsUnit &&
                 !llvm::all_of(slice.getMixedStrides(), isOneInteger);
  }

  /// It keeps one of them and drops another, and memory may not tell which.
  bool isAmbiguous() const { return ambiguous; }
  ArrayRef<OpFoldResult> sizes() const { return kept; }

  RankedTensorType withoutUnits() const {
    SmallVector<int64_t> shape;
    for (auto [size, extent] : llvm::zip_equal(kept, type.getShape()))
      if (!isOneInteger(size))
        shape.push_back(extent);
    return type.clone(shape);
  }

  /// Dimensions of one element go with the next other one, the last ones with
  /// the one before.
  SmallVector<ReassociationIndices> groups() const {
    SmallVector<ReassociationIndices> groups;
    ReassociationIndices group;
    for (auto [dim, size] : llvm::enumerate(kept)) {
      group.push_back(dim);
      if (!isOneInteger(size))
        groups.push_back(std::exchange(group, {}));
    }
    if (!groups.empty())
      groups.back().append(group);
    return groups;
  }

private:
  RankedTensorType type;
  SmallVector<OpFoldResult> kept;
  bool ambiguous = false;
};

struct ExtractWithoutUnits : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    ReducedSlice reduced(op.getType(), op, op.getDroppedDims());
    if (!reduced.isAmbiguous())
      return failure();
    auto slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), reduced.withoutUnits(), op.getSource(),
        op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides());
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, op.getType(), slice, reduced.groups(), reduced.sizes());
    return success();
  }
};

struct InsertWithoutUnits : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    ReducedSlice reduced(op.getSourceType(), op, op.getDroppedDims());
    if (!reduced.isAmbiguous())
      return failure();
    auto source = tensor::CollapseShapeOp::create(
        rewriter, op.getLoc(), reduced.withoutUnits(), op.getSource(),
        reduced.groups());
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, source, op.getDest(), op.getMixedOffsets(), op.getMixedSizes(),
        op.getMixedStrides());
    return success();
  }
};
} // namespace

void SmxDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  constexpr unsigned aboveUpstream = 10;
  patterns.add<FoldExtractedBounds, StepInsertedByOne, ExtractWithoutUnits,
               InsertWithoutUnits>(patterns.getContext(), aboveUpstream);
}
