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

namespace {
/// The smallest and the largest element of every `tile` neighbours along the
/// last dimension of each of `tensors`, which have one shape; of fewer at its
/// end.
class ExtremaOfTiles {
public:
  ExtremaOfTiles(OpBuilder &builder, Location loc, ArrayRef<Value> tensors,
                 int64_t tile)
      : builder(builder),
        loc(NameLoc::get(builder.getStringAttr("extrema of rows"), loc)),
        tensors(tensors), type(cast<RankedTensorType>(tensors[0].getType())),
        last(type.getRank() - 1), tile(tile),
        divides(!type.isDynamicDim(last) && type.getDimSize(last) % tile == 0) {
  }

  /// One reduction: a pair of tensors, with an element for each tile, for each
  /// of the tensors.
  SmallVector<std::pair<Value, Value>> build() {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, tensors[0]);
    Value rows = getValueOrCreateConstantIndexOp(builder, loc, sizes[last]);
    lastRow = arith::SubIOp::create(
        builder, loc, rows, arith::ConstantIndexOp::create(builder, loc, 1));
    sizes[last] = affine::makeComposedFoldedAffineApply(
        builder, loc, builder.getAffineDimExpr(0).ceilDiv(tile), {sizes[last]});
    SmallVector<Value> starts = makeStarts(sizes);
    SmallVector<Value> inputs = makeInputs();
    SmallVector<utils::IteratorType> iterators(type.getRank() + 1,
                                               utils::IteratorType::parallel);
    iterators.back() = utils::IteratorType::reduction;
    auto extrema = linalg::GenericOp::create(
        builder, loc, ValueRange(starts).getTypes(), inputs, starts,
        makeMaps(inputs.size(), starts.size()), iterators,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          combine(b, loc, args, args.drop_front(inputs.size()));
        });
    SmallVector<std::pair<Value, Value>> pairs;
    for (size_t i = 0; i < tensors.size(); ++i)
      pairs.push_back({extrema.getResult(2 * i), extrema.getResult(2 * i + 1)});
    return pairs;
  }

private:
  /// What the reductions start from, two for each tensor.
  SmallVector<Value> makeStarts(ArrayRef<OpFoldResult> sizes) {
    unsigned bits = elementBits(type);
    Type element = type.getElementType();
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
    auto filled = [&](const APInt &number) {
      Value from = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(element, number));
      return linalg::FillOp::create(builder, loc, from, empty).getResult(0);
    };
    Value beforeLeast = filled(APInt::getSignedMaxValue(bits)),
          beforeMost = filled(APInt::getSignedMinValue(bits));
    SmallVector<Value> starts;
    for (size_t i = 0; i < tensors.size(); ++i)
      starts.append({beforeLeast, beforeMost});
    return starts;
  }

  /// The tensors with a dimension for the neighbours. If tiles do not divide
  /// them, an empty tensor that says how many neighbours there are: the body
  /// reads the elements.
  SmallVector<Value> makeInputs() {
    SmallVector<Value> inputs;
    if (divides)
      for (Value tensor : tensors)
        inputs.push_back(rowsOfTiles(builder, loc, tensor, tile));
    else
      inputs.push_back(
          tensor::EmptyOp::create(builder, loc, {tile}, builder.getI1Type()));
    return inputs;
  }

  SmallVector<AffineMap> makeMaps(size_t inputs, size_t starts) {
    const unsigned loops = type.getRank() + 1;
    AffineMap all = builder.getMultiDimIdentityMap(loops);
    SmallVector<AffineMap> maps(
        inputs,
        divides ? all
                : AffineMap::get(loops, 0, builder.getAffineDimExpr(last + 1)));
    maps.append(starts, all.dropResult(last + 1));
    return maps;
  }

  /// Where the element of a round is in the tensors.
  SmallVector<Value> placeOfNeighbour(OpBuilder &b, Location loc) {
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
    return place;
  }

  /// A round of the reduction, whose `results` so far are the last of `args`.
  void combine(OpBuilder &b, Location loc, ValueRange args,
               ValueRange results) {
    SmallVector<Value> place, values;
    if (!divides)
      place = placeOfNeighbour(b, loc);
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      Value number =
          divides ? args[i] : tensor::ExtractOp::create(b, loc, tensor, place);
      values.push_back(arith::MinSIOp::create(b, loc, number, results[2 * i]));
      values.push_back(
          arith::MaxSIOp::create(b, loc, number, results[2 * i + 1]));
    }
    linalg::YieldOp::create(b, loc, values);
  }

  OpBuilder &builder;
  Location loc;
  ArrayRef<Value> tensors;
  RankedTensorType type;
  int64_t last, tile;
  bool divides;
  Value lastRow;
};
} // namespace

std::optional<SmallVector<IndexRange>>
mlir::smx::rangesOfMaskData(OpBuilder &builder, Location loc, MaskOp mask,
                            AffineMap map, const DomainTile &rows,
                            ArrayRef<int64_t> rowTiles) {
  auto loop =
      dyn_cast<scf::ForallOp>(builder.getInsertionBlock()->getParentOp());
  SmallVector<DataSteps> steps = mask.getMask().getDataSteps();
  if (!loop && !steps.empty())
    return std::nullopt;
  SmallVector<IndexRange> ranges(steps.size());
  // Of tensors of one shape in one reduction, each of which is a launch.
  struct Tiles {
    RankedTensorType type;
    SmallVector<int64_t> dims;
    int64_t tile;
    SmallVector<OpFoldResult> place;
    SmallVector<Value> tensors;
    SmallVector<size_t> numbers;
  };
  SmallVector<Tiles, 0> groups;
  for (auto [number, tensor] : llvm::enumerate(mask.getData())) {
    if (steps[number].keys != 0)
      continue;
    SmallVector<OpFoldResult> place;
    int64_t tile = 1;
    SmallVector<int64_t> dims(mask.getDataDims(number));
    for (int64_t dim : dims) {
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
      ranges[number] = {one, one};
      continue;
    }
    place.back() = affine::makeComposedFoldedAffineApply(
        builder, loc, builder.getAffineDimExpr(0).floorDiv(tile),
        {place.back()});
    auto type = cast<RankedTensorType>(tensor.getType());
    auto *group = llvm::find_if(groups, [&](const Tiles &other) {
      return other.type == type && other.dims == dims;
    });
    if (group == groups.end())
      group = groups.insert(group, {type, dims, tile, place, {}, {}});
    group->tensors.push_back(tensor);
    group->numbers.push_back(number);
  }
  OpBuilder outside(builder.getContext());
  if (loop)
    outside.setInsertionPoint(loop);
  for (const Tiles &group : groups) {
    auto extrema =
        ExtremaOfTiles(outside, loc, group.tensors, group.tile).build();
    for (auto [number, pair] : llvm::zip_equal(group.numbers, extrema))
      ranges[number] = {read(builder, loc, pair.first, group.place),
                        read(builder, loc, pair.second, group.place)};
  }
  return ranges;
}
