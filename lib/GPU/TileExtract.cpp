//===- TileExtract.cpp - elements of memory for each place of a tile ------===//

#include "Multiples.h"
#include "TileBody.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using Class = TileClasses::Class;

namespace {
/// Places along a dimension of memory: a number, or the sum of one and of the
/// place along a dimension of the tile.
struct Places {
  Value first;
  std::optional<int64_t> along;
};
} // namespace

/// Nothing if `index`, a number or a tile of indices, is something else.
static std::optional<Places> findPlaces(OpBuilder &builder, Value index) {
  Location loc = index.getLoc();
  auto tile = dyn_cast<RankedTensorType>(index.getType());
  if (!tile)
    return Places{index, std::nullopt};
  Operation *op = index.getDefiningOp();
  if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
    return Places{splat.getInput(), std::nullopt};
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return findPlaces(builder, broadcast.getValues());
  if (auto position = dyn_cast_or_null<PositionOp>(op)) {
    SliceAttr slice = getSlice(tile);
    return Places{arith::ConstantIndexOp::create(builder, loc, 0),
                  slice ? 1 - slice.getDim() : int64_t(position.getDim())};
  }
  DenseIntElementsAttr elements;
  if (matchPattern(index, m_Constant(&elements)) && elements.isSplat())
    return Places{
        arith::ConstantIndexOp::create(
            builder, loc, elements.getSplatValue<APInt>().getSExtValue()),
        std::nullopt};
  if (!isa_and_nonnull<arith::AddIOp>(op))
    return std::nullopt;
  auto left = findPlaces(builder, op->getOperand(0)),
       right = findPlaces(builder, op->getOperand(1));
  if (!left || !right || (left->along && right->along))
    return std::nullopt;
  return Places{
      builder.createOrFold<arith::AddIOp>(loc, left->first, right->first),
      left->along ? left->along : right->along};
}

/// Elements that lie as those of the tile do, in rows that start at multiples
/// of what a tensor copy wants.
Value BodyConverter::loadExtracted(Location loc, RankedTensorType form,
                                   const GlobalView &view,
                                   ArrayRef<Value> places) {
  constexpr int64_t rowAlignment = 16;
  auto memory = cast<MemRefType>(view.memref.getType());
  int64_t width = elementBytes(memory);
  if (form.getRank() != 2 || view.aligned < rowAlignment)
    return {};
  SmallVector<Value> offsets;
  SmallVector<int64_t> dims{-1, -1};
  for (auto [place, offset] : llvm::zip_equal(places, view.offsets)) {
    std::optional<Places> found = findPlaces(builder, place);
    if (!found || (found->along && dims[*found->along] != -1))
      return {};
    if (found->along)
      dims[*found->along] = offsets.size();
    offsets.push_back(builder.createOrFold<arith::AddIOp>(
        loc, found->first,
        getValueOrCreateConstantIndexOp(builder, loc, offset)));
  }
  if (dims[1] != memory.getRank() - 1 ||
      memory.getStridesAndOffset().first.back() != 1 ||
      !isMultipleOf(offsets.back(), rowAlignment / width))
    return {};
  SmallVector<std::optional<Class>> classes = dimsOf(form);
  bool isPartial = false;
  SmallVector<Value> valid;
  for (auto [c, dim, extent] : llvm::zip(classes, dims, form.getShape())) {
    // What is the same in all rows is read for those past the end, too.
    bool isCut = c && dim != -1;
    isPartial |= isCut ? tiles.isPadded(*c, extent) : !c && extent != 1;
    Value inside = tiles.indexOf(
        isCut ? tiles.classes.extentOf(*c)
              : OpFoldResult(builder.getIndexAttr(c ? extent : 1)));
    valid.push_back(isCut ? tiles.inPart(loc, *c, inside) : inside);
  }
  if (!isPartial)
    valid.clear();
  return LoadOp::create(builder, loc, form.clone(memory.getElementType()),
                        view.memref, offsets, valid, /*slide=*/Value(), dims,
                        rowAlignment);
}

/// A captured tensor, read at places that the body computes. Those of padding
/// may be out of range: there it is the first element that is read.
LogicalResult BodyConverter::convertExtract(tensor::ExtractOp extract) {
  GlobalView *view = tiles.viewOf(extract.getTensor());
  if (!view)
    return extract.emitOpError("expected to read from a tensor in memory");
  Location loc = extract.getLoc();
  // In the order of memory.
  SmallVector<Value> places(extract.getIndices().size());
  for (auto [dim, index] : llvm::enumerate(extract.getIndices()))
    places[view->dims[dim]] = valueOf(index);
  RankedTensorType form = widestForm(places);
  if (!form)
    form = tiles.tileType(std::nullopt, builder.getIndexType());
  form = form.clone(builder.getIndexType());
  if (Value tile = loadExtracted(loc, form, *view, places)) {
    values.map(extract.getResult(), tile);
    return success();
  }
  Value inside = insideOf(form);
  Value first =
      inside
          ? tiles.splat(arith::ConstantIndexOp::create(builder, loc, 0), form)
          : Value();
  SmallVector<Value> indices;
  for (auto [place, offset] : llvm::zip_equal(places, view->offsets)) {
    Value index = tiles.widened(place, form);
    if (inside && isa<RankedTensorType>(place.getType()))
      index = arith::SelectOp::create(builder, loc, inside, index, first);
    if (!isConstantIntValue(offset, 0))
      index = arith::AddIOp::create(
          builder, loc, index,
          tiles.widened(getValueOrCreateConstantIndexOp(builder, loc, offset),
                        form));
    indices.push_back(index);
  }
  Type elementType = getElementTypeOrSelf(extract.getTensor().getType());
  values.map(extract.getResult(),
             GatherOp::create(builder, loc, form.clone(elementType),
                              view->memref, indices)
                 .getTile());
  return success();
}
