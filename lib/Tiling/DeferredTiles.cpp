//===- DeferredTiles.cpp - quantities of a stream that is seen once -------===//
//
// What every tile gives by the state so far is kept, beside the state's first
// component at that time, and corrected once the state is finished.
//
//===----------------------------------------------------------------------===//

#include "TiledReduction.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::smx;

DomainTile TiledReduction::sliceInBlock(OpBuilder &builder, AffineMap map,
                                        DomainTile tile) {
  for (unsigned row = 0; row < numRows; ++row)
    tile.offsets[row] = builder.getIndexAttr(0);
  return sliceFor(builder, loc(), map, tile);
}

DomainTile TiledReduction::firstComponentSlice(OpBuilder &builder,
                                               const DomainTile &tile) {
  AffineExpr offset = builder.getAffineDimExpr(0);
  DomainTile slice =
      sliceInBlock(builder, reduction.getOperandMaps().front(), tile);
  slice.offsets.push_back(affine::makeComposedFoldedAffineApply(
      builder, loc(), offset.floorDiv(tileSizes.stream),
      {tile.offsets[numRows]}));
  slice.sizes.push_back(builder.getIndexAttr(1));
  return slice;
}

SmallVector<Value> TiledReduction::emptyShelves(OpBuilder &builder,
                                                const DomainTile &rows) {
  Type type = getElementTypeOrSelf(reduction.getStateOperands()[0].getType());
  DomainTile values =
      sliceFor(builder, loc(), finishes.front().getResultMap(), rows);
  DomainTile first = firstComponentSlice(builder, rows);
  AffineExpr extent = builder.getAffineDimExpr(0);
  first.sizes.back() = affine::makeComposedFoldedAffineApply(
      builder, loc(), extent.ceilDiv(tileSizes.stream), {sizes[numRows]});
  return {tensor::EmptyOp::create(builder, loc(), values.sizes, type),
          tensor::EmptyOp::create(builder, loc(), first.sizes, type)};
}

SmallVector<Value> TiledReduction::keepTile(OpBuilder &builder,
                                            const DomainTile &tile,
                                            ValueRange state, ValueRange inputs,
                                            ValueRange shelves) {
  FinishOp finish = finishes.front();
  StateAlgebraAttrInterface algebra = finish.getAlgebra();
  DomainTile values = sliceInBlock(builder, finish.getResultMap(), tile);
  DomainTile first = firstComponentSlice(builder, tile);
  Value value = FinishOp::create(
      builder, loc(),
      tensorTypeOf(values.sizes, getElementTypeOrSelf(state[0].getType())),
      algebra, algebra.getDeferred(finish.getQuantity())->atTile, state, inputs,
      finish.getMaps());
  auto insert = [&](Value source, Value shelf, const DomainTile &slice) {
    SmallVector<OpFoldResult> strides(slice.sizes.size(),
                                      builder.getIndexAttr(1));
    return tensor::InsertSliceOp::create(builder, loc(), source, shelf,
                                         slice.offsets, slice.sizes, strides)
        .getResult();
  };
  return {insert(value, shelves[0], values),
          insert(state[0], shelves[1], first)};
}

Value TiledReduction::finishKeptTile(OpBuilder &builder, const DomainTile &tile,
                                     ValueRange state) {
  FinishOp finish = finishes.front();
  StateAlgebraAttrInterface algebra = finish.getAlgebra();
  AffineMap result = finish.getResultMap();
  SmallVector<AffineMap> maps = finish.getOperandMaps();
  maps.truncate(state.size());
  maps.append({result, maps.front(), result});
  auto take = [&](Value shelf, const DomainTile &slice, size_t rank) -> Value {
    SmallVector<OpFoldResult> strides(slice.sizes.size(),
                                      builder.getIndexAttr(1));
    RankedTensorType type = tensorTypeOf(ArrayRef(slice.sizes).take_front(rank),
                                         getElementTypeOrSelf(shelf.getType()));
    return tensor::ExtractSliceOp::create(builder, loc(), type, shelf,
                                          slice.offsets, slice.sizes, strides);
  };
  DomainTile values = sliceInBlock(builder, result, tile);
  DomainTile first = firstComponentSlice(builder, tile);
  Value value = take(kept[0], values, values.sizes.size());
  return FinishOp::create(
      builder, loc(),
      tensorTypeOf(values.sizes,
                   getElementTypeOrSelf(finish.getResult().getType())),
      algebra, algebra.getDeferred(finish.getQuantity())->atEnd, state,
      ValueRange{value, take(kept[1], first, first.sizes.size() - 1)},
      builder.getAffineMapArrayAttr(maps));
}
