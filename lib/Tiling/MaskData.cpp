//===- MaskData.cpp - what masks read, for tiles of rows ------------------===//

#include "MaskData.h"

#include "smx/IR/ElementBits.h"
#include "smx/IR/IndexMath.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

/// Element `index` of `tensor`, as an index.
static Value read(OpBuilder &builder, Location loc, Value tensor,
                  ArrayRef<OpFoldResult> index) {
  Value element = tensor::ExtractOp::create(
      builder, loc, tensor,
      getValueOrCreateConstantIndexOp(builder, loc, index));
  return IndexMath{builder, loc}.asIndex(element);
}

/// Every `tile` neighbours along the last dimension of `tensor`, which they
/// divide, as a row.
static Value rowsOfTiles(OpBuilder &builder, Location loc, Value tensor,
                         int64_t tile) {
  auto type = cast<RankedTensorType>(tensor.getType());
  const int64_t last = type.getRank() - 1;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ReassociationIndices> parts;
  for (int64_t dim = 0; dim <= last; ++dim)
    parts.push_back({dim});
  parts.back().push_back(last + 1);
  shape.back() /= tile;
  sizes.back() = builder.getIndexAttr(shape.back());
  shape.push_back(tile);
  sizes.push_back(builder.getIndexAttr(tile));
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      parts, sizes);
}

/// The smallest and the largest element of every `tile` neighbours along the
/// last dimension of `tensor`; of fewer at its end.
static std::pair<Value, Value> extremaOfTiles(OpBuilder &builder, Location loc,
                                              Value tensor, int64_t tile) {
  loc = NameLoc::get(builder.getStringAttr("extrema of rows"), loc);
  auto type = cast<RankedTensorType>(tensor.getType());
  MLIRContext *context = builder.getContext();
  int64_t last = type.getRank() - 1;
  Type element = type.getElementType();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  Value rows = getValueOrCreateConstantIndexOp(builder, loc, sizes[last]);
  Value lastRow = arith::SubIOp::create(
      builder, loc, rows, arith::ConstantIndexOp::create(builder, loc, 1));
  sizes[last] = affine::makeComposedFoldedAffineApply(
      builder, loc, getAffineDimExpr(0, context).ceilDiv(tile), {sizes[last]});
  unsigned bits = elementBits(element);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
  auto filled = [&](const APInt &number) {
    Value from = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(element, number));
    return linalg::FillOp::create(builder, loc, from, empty).getResult(0);
  };
  SmallVector<Value> starts{filled(APInt::getSignedMaxValue(bits)),
                            filled(APInt::getSignedMinValue(bits))};
  const unsigned loops = type.getRank() + 1;
  const bool divides =
      !type.isDynamicDim(last) && type.getDimSize(last) % tile == 0;
  // What does not divide says how many neighbours there are, and nothing else.
  Value neighbours = divides ? rowsOfTiles(builder, loc, tensor, tile)
                             : tensor::EmptyOp::create(builder, loc, {tile},
                                                       builder.getI1Type());
  AffineMap all = AffineMap::getMultiDimIdentityMap(loops, context),
            ofTile = all.dropResult(last + 1),
            ofNeighbour =
                divides ? all
                        : AffineMap::get(loops, 0,
                                         getAffineDimExpr(last + 1, context));
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  auto readNeighbour = [&](OpBuilder &b, Location loc) -> Value {
    SmallVector<Value> place;
    for (int64_t dim = 0; dim < last; ++dim)
      place.push_back(linalg::IndexOp::create(b, loc, dim));
    Value first =
        arith::MulIOp::create(b, loc, linalg::IndexOp::create(b, loc, last),
                              arith::ConstantIndexOp::create(b, loc, tile));
    Value row = arith::AddIOp::create(
        b, loc, first, linalg::IndexOp::create(b, loc, last + 1));
    // The last row may count several times.
    place.push_back(arith::MinSIOp::create(b, loc, row, lastRow));
    return tensor::ExtractOp::create(b, loc, tensor, place);
  };
  auto extrema = linalg::GenericOp::create(
      builder, loc, TypeRange{starts[0].getType(), starts[1].getType()},
      neighbours, starts, ArrayRef<AffineMap>{ofNeighbour, ofTile, ofTile},
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value number = divides ? args[0] : readNeighbour(b, loc);
        Value least = arith::MinSIOp::create(b, loc, number, args[1]);
        Value most = arith::MaxSIOp::create(b, loc, number, args[2]);
        linalg::YieldOp::create(b, loc, ValueRange{least, most});
      });
  return {extrema.getResult(0), extrema.getResult(1)};
}

std::optional<SmallVector<IndexRange>>
mlir::smx::rangesOfMaskData(OpBuilder &builder, Location loc, MaskOp mask,
                            AffineMap map, const DomainTile &rows,
                            ArrayRef<int64_t> rowTiles) {
  auto loop =
      dyn_cast<scf::ForallOp>(builder.getInsertionBlock()->getParentOp());
  SmallVector<DataSteps> steps = mask.getMask().getDataSteps();
  if (!loop && !steps.empty())
    return std::nullopt;
  SmallVector<IndexRange> ranges;
  for (auto [number, tensor] : llvm::enumerate(mask.getData())) {
    if (steps[number].keys != 0) {
      ranges.push_back({});
      continue;
    }
    SmallVector<OpFoldResult> place;
    int64_t tile = 1;
    for (int64_t dim : mask.getDataDims(number)) {
      if (dim < 0) {
        place.push_back(builder.getIndexAttr(0));
        continue;
      }
      auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
      if (!expr || expr.getPosition() >= rowTiles.size())
        return std::nullopt;
      place.push_back(rows.offsets[expr.getPosition()]);
      if (dim == static_cast<int64_t>(mask.getRowDim()))
        tile = rowTiles[expr.getPosition()];
      else if (rowTiles[expr.getPosition()] != 1)
        return std::nullopt;
    }
    if (steps[number].rows == 0) {
      Value one = read(builder, loc, tensor, place);
      ranges.push_back({one, one});
      continue;
    }
    place.back() = affine::makeComposedFoldedAffineApply(
        builder, loc, builder.getAffineDimExpr(0).floorDiv(tile),
        {place.back()});
    OpBuilder outside(loop);
    auto [least, most] = extremaOfTiles(outside, loc, tensor, tile);
    ranges.push_back(
        {read(builder, loc, least, place), read(builder, loc, most, place)});
  }
  return ranges;
}
