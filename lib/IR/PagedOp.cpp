//===- PagedOp.cpp - smx.paged: rules, tiling, expansion ------------------===//

#include "IdentityTiling.h"
#include "SpecRules.h"
#include "smx/IR/IndexMath.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace mlir::smx;

LogicalResult PagedOp::verify() {
  ArrayRef<int64_t> pages = shapeOf(getPages());
  if (pages.size() != 4 || ShapedType::isDynamic(pages[1]) ||
      pages[1] < 1) // B1
    return emitOpError("expected pages of [pages, page, heads, dim] with a "
                       "static extent of a page of at least 1, got ")
           << getPages().getType();
  ArrayRef<int64_t> table = shapeOf(getTable()),
                    lengths = shapeOf(getLengths());
  if (table.size() != 2 || lengths.size() != 1 ||
      !areCompatible(table[0], lengths[0]) ||
      !isNumber(elementOf(getTable())) ||
      !isNumber(elementOf(getLengths()))) // B2
    return emitOpError("expected a table of [batch, pages of a sequence] and "
                       "lengths of [batch], of integers of more than 1 bit, "
                       "got ")
           << getTable().getType() << " and " << getLengths().getType();
  int64_t keys = ShapedType::isDynamic(table[1]) ? ShapedType::kDynamic
                                                 : table[1] * pages[1];
  SmallVector<int64_t> expected{table[0], pages[2], keys, pages[3]};
  auto type = cast<RankedTensorType>(getResult().getType());
  if (mayHaveShape(type, expected) &&
      type.getElementType() == elementOf(getPages())) // B3
    return success();
  InFlightDiagnostic diagnostic = emitOpError("expected a result of shape ");
  printShape(diagnostic, expected);
  return diagnostic << " of " << elementOf(getPages()) << ", got " << type;
}

/// Extents of the result.
static SmallVector<OpFoldResult> sizesOf(OpBuilder &builder, PagedOp op) {
  Location loc = op.getLoc();
  auto sizeOf = [&](Value tensor, int64_t dim) {
    return tensor::getMixedSize(builder, loc, tensor, dim);
  };
  IndexMath math{builder, loc};
  Value keys = math.mul(
      getValueOrCreateConstantIndexOp(builder, loc, sizeOf(op.getTable(), 1)),
      math.constant(op.getPageExtent()));
  return {sizeOf(op.getTable(), 0), sizeOf(op.getPages(), 2),
          getAsOpFoldResult(keys), sizeOf(op.getPages(), 3)};
}

LogicalResult PagedOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  shapes = {sizesOf(builder, *this)};
  return success();
}

static Value applied(OpBuilder &b, Location loc, AffineExpr expr, Value to) {
  return getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineApply(b, loc, expr, {OpFoldResult(to)}));
}

/// The page that key `key` of batch `batch` lies in, or the first one behind
/// the length.
static Value pageOf(OpBuilder &b, Location loc, PagedOp op, Value batch,
                    Value key) {
  IndexMath math{b, loc};
  auto read = [&](Value tensor, ValueRange place) -> Value {
    return math.asIndex(tensor::ExtractOp::create(b, loc, tensor, place));
  };
  Value isUsed = math.less(key, read(op.getLengths(), batch));
  Value entry =
      applied(b, loc, b.getAffineDimExpr(0).floorDiv(op.getPageExtent()), key);
  return arith::SelectOp::create(
      b, loc, isUsed, read(op.getTable(), {batch, entry}), math.constant(0));
}

Value PagedOp::expand(OpBuilder &builder) {
  Location loc = NameLoc::get(builder.getStringAttr("pages"), getLoc());
  auto type = cast<RankedTensorType>(getResult().getType());
  Value empty = tensor::EmptyOp::create(builder, loc, sizesOf(builder, *this),
                                        type.getElementType());
  Value gathered =
      linalg::GenericOp::create(
          builder, loc, empty.getType(), ValueRange(), empty,
          builder.getMultiDimIdentityMap(4), parallelLoops(4),
          [&](OpBuilder &b, Location loc, ValueRange) {
            SmallVector<Value> place;
            for (int64_t dim = 0; dim < 4; ++dim)
              place.push_back(linalg::IndexOp::create(b, loc, dim));
            Value page = pageOf(b, loc, *this, place[0], place[2]);
            Value within = applied(
                b, loc, b.getAffineDimExpr(0) % getPageExtent(), place[2]);
            Value element = tensor::ExtractOp::create(
                b, loc, getPages(), {page, within, place[1], place[3]});
            linalg::YieldOp::create(b, loc, element);
          })
          .getResult(0);
  if (gathered.getType() == type)
    return gathered;
  return tensor::CastOp::create(builder, loc, type, gathered);
}

namespace {
/// A tile of one batch and one page is a slice of the pages.
struct PagedTiling : IdentityTiling<PagedTiling, PagedOp> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *) const {
    return parallelLoops(4);
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    return wholeDomain(b, sizesOf(b, cast<PagedOp>(op)));
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &b,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    auto paged = cast<PagedOp>(op);
    Location loc = op->getLoc();
    if (!isConstantIntValue(sizes[0], 1))
      return failure();
    Value batch = getValueOrCreateConstantIndexOp(b, loc, offsets[0]);
    Value key = getValueOrCreateConstantIndexOp(b, loc, offsets[2]);
    Value within =
        applied(b, loc, b.getAffineDimExpr(0) % paged.getPageExtent(), key);
    OpFoldResult one = b.getIndexAttr(1);
    auto slice = tensor::ExtractSliceOp::create(
        b, loc, paged.getPages(),
        {pageOf(b, loc, paged, batch, key), within, offsets[1], offsets[3]},
        {one, sizes[2], sizes[1], sizes[3]}, {one, one, one, one});
    Value empty = tensor::EmptyOp::create(
        b, loc, {one, sizes[1], sizes[2], sizes[3]}, elementOf(slice));
    auto moved = linalg::TransposeOp::create(b, loc, slice, empty,
                                             ArrayRef<int64_t>{0, 2, 1, 3});
    return TilingResult{{moved}, {moved.getResult()[0]}, {slice}};
  }
};
} // namespace

int64_t mlir::smx::getPageExtent(StreamingReductionOpInterface op) {
  int64_t extent = 0;
  llvm::SetVector<Value> values;
  values.insert_range(op.getInputOperands());
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *producer = values[i].getDefiningOp();
    if (auto paged = dyn_cast_or_null<PagedOp>(producer))
      extent = std::gcd(extent, paged.getPageExtent());
    else if (isa_and_nonnull<linalg::LinalgOp, MaskOp, tensor::ExtractSliceOp>(
                 producer))
      values.insert_range(producer->getOperands());
  }
  return extent;
}

void mlir::smx::attachPagedTiling(MLIRContext &context) {
  PagedOp::attachInterface<PagedTiling>(context);
}
