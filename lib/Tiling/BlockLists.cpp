//===- BlockLists.cpp - tiles that marked blocks leave --------------------===//
//
// Which tiles are seen is computed for all tiles of rows at once; then, for
// each tile of the stream, how many before it are; then the list: the n-th
// tile is the one that is seen and has n before it. Ranks turn any range of
// tiles into a range of the list, so that what another mask or a part of the
// stream leaves is visited by the same loops.
//
//===----------------------------------------------------------------------===//

#include "BlockLists.h"

#include "smx/IR/IndexMath.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

static Value read(OpBuilder &builder, Location loc, Value tensor,
                  ArrayRef<Value> place, Value last) {
  SmallVector<Value> index(place);
  index.push_back(last);
  Value number = tensor::ExtractOp::create(builder, loc, tensor, index);
  return IndexMath{builder, loc}.asIndex(number);
}

Value TileList::rankOf(OpBuilder &builder, Location loc,
                       OpFoldResult offset) const {
  OpFoldResult number = affine::makeComposedFoldedAffineApply(
      builder, loc, builder.getAffineDimExpr(0).ceilDiv(tile), {offset});
  return read(builder, loc, ranks, place,
              getValueOrCreateConstantIndexOp(builder, loc, number));
}

Value TileList::offsetOf(OpBuilder &builder, Location loc, Value n) const {
  Value number = read(builder, loc, numbers, place, n);
  OpFoldResult offset = affine::makeComposedFoldedAffineApply(
      builder, loc, builder.getAffineDimExpr(0) * tile, {OpFoldResult(number)});
  return getValueOrCreateConstantIndexOp(builder, loc, offset);
}

bool mlir::smx::areTilesInBlocks(BlocksAttr blocks, int64_t rowTile,
                                 int64_t streamTile) {
  return blocks.getRows() % rowTile == 0 && blocks.getKeys() % streamTile == 0;
}

/// Blocks of `block` elements that a tile of `tile` elements, which begins at a
/// multiple of that, may touch.
static int64_t blocksOfTile(int64_t tile, int64_t block) {
  if (block % tile == 0)
    return 1;
  if (tile % block == 0)
    return tile / block;
  return tile / block + 2;
}

namespace {
/// Builds the tensors of all lists.
class ListBuilder {
public:
  ListBuilder(OpBuilder &builder, Location loc, MaskOp mask, int64_t rowTile,
              int64_t streamTile)
      : builder(builder),
        loc(NameLoc::get(builder.getStringAttr("list of tiles"), loc)),
        mask(mask), blocks(cast<BlocksAttr>(mask.getMask())), rowTile(rowTile),
        streamTile(streamTile) {
    Value data = mask.getData().front();
    sizes = tensor::getMixedSizes(builder, this->loc, data);
    leading = sizes.size() - 2;
    sizes.truncate(leading);
    sizes.push_back(tilesOf(mask.getRows(), rowTile));
    sizes.push_back(tilesOf(mask.getKeys(), streamTile));
  }

  TileList build();

private:
  using Body = llvm::function_ref<Value(OpBuilder &, Location, ValueRange loops,
                                        ValueRange elements)>;
  OpFoldResult tilesOf(Value extent, int64_t tile) {
    return affine::makeComposedFoldedAffineApply(
        builder, loc, builder.getAffineDimExpr(0).ceilDiv(tile),
        {getAsOpFoldResult(extent)});
  }
  /// The sum (or largest) of `body` along the last loop, for all others:
  /// `[.., tile of rows, loop]`. Inputs are addressed by all loops but the one
  /// of the result.
  Value reduce(OpFoldResult resultExtent, ArrayRef<Value> inputs, Body body);
  Value buildSeen();
  Value zeros(ArrayRef<OpFoldResult> shape) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, shape, builder.getI32Type());
    return linalg::FillOp::create(builder, loc, number(builder, loc, 0), empty)
        .getResult(0);
  }
  Value number(OpBuilder &b, Location loc, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }

  OpBuilder &builder;
  Location loc;
  MaskOp mask;
  BlocksAttr blocks;
  int64_t rowTile, streamTile;
  /// Sizes of the tensor that says which tiles are seen; and its leading
  /// dimensions.
  SmallVector<OpFoldResult> sizes;
  unsigned leading;
};
} // namespace

/// The position of a block that a tile touches: the `number`-th, or the last
/// one.
static Value blockAt(IndexMath math, Value tile, int64_t tileExtent,
                     int64_t blockExtent, Value number, Value extent) {
  Value first = math.mul(tile, math.constant(tileExtent));
  Value last = math.min(math.add(first, tileExtent - 1), math.add(extent, -1));
  Value block = math.constant(blockExtent);
  return math.min(math.add(math.div(first, block), number),
                  math.div(last, block));
}

Value ListBuilder::buildSeen() {
  Value data = mask.getData().front();
  int64_t rowBlocks = blocksOfTile(rowTile, blocks.getRows()),
          keyBlocks = blocksOfTile(streamTile, blocks.getKeys());
  unsigned rank = sizes.size();
  bool isReduced = rowBlocks * keyBlocks != 1;
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI32Type());
  Value start = isReduced ? zeros(sizes) : empty;
  // Says how many blocks there are, and nothing else.
  Value count = tensor::EmptyOp::create(builder, loc, {rowBlocks * keyBlocks},
                                        builder.getI1Type());
  unsigned loops = rank + isReduced;
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  AffineMap result =
      AffineMap::getMultiDimIdentityMap(rank, builder.getContext());
  SmallVector<AffineMap> maps{result};
  SmallVector<Value> inputs;
  if (isReduced) {
    iterators.back() = utils::IteratorType::reduction;
    maps = {
        AffineMap::get(loops, 0, builder.getAffineDimExpr(rank)),
        AffineMap::get(loops, 0, result.getResults(), builder.getContext())};
    inputs.push_back(count);
  }
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    IndexMath math{b, loc};
    auto loop = [&](unsigned dim) -> Value {
      return linalg::IndexOp::create(b, loc, dim);
    };
    SmallVector<Value> place;
    for (unsigned dim = 0; dim < leading; ++dim)
      place.push_back(loop(dim));
    Value rowBlock = math.constant(0), keyBlock = math.constant(0);
    if (isReduced) {
      Value all = loop(rank), keys = math.constant(keyBlocks);
      rowBlock = math.div(all, keys);
      keyBlock = math.rem(all, keys);
    }
    place.push_back(blockAt(math, loop(leading), rowTile, blocks.getRows(),
                            rowBlock, mask.getRows()));
    place.push_back(blockAt(math, loop(leading + 1), streamTile,
                            blocks.getKeys(), keyBlock, mask.getKeys()));
    Value mark = tensor::ExtractOp::create(b, loc, data, place);
    Value none =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(mark.getType(), 0));
    Value isSeen =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, mark, none);
    Value seen = arith::SelectOp::create(b, loc, isSeen, number(b, loc, 1),
                                         number(b, loc, 0));
    if (isReduced)
      seen = arith::MaxSIOp::create(b, loc, seen, args.back());
    linalg::YieldOp::create(b, loc, seen);
  };
  return linalg::GenericOp::create(builder, loc, start.getType(), inputs, start,
                                   maps, iterators, body)
      .getResult(0);
}

Value ListBuilder::reduce(OpFoldResult resultExtent, ArrayRef<Value> inputs,
                          Body body) {
  MLIRContext *context = builder.getContext();
  unsigned loops = leading + 3;
  SmallVector<OpFoldResult> resultSizes(sizes);
  resultSizes.back() = resultExtent;
  Value start = zeros(resultSizes);
  AffineMap all = AffineMap::getMultiDimIdentityMap(loops, context);
  SmallVector<AffineMap> maps(inputs.size(), all.dropResult(leading + 1));
  maps.push_back(all.dropResult(leading + 2));
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             builder, loc, start.getType(), inputs, start, maps, iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               SmallVector<Value> places;
               for (unsigned dim = 0; dim < loops; ++dim)
                 places.push_back(linalg::IndexOp::create(b, loc, dim));
               Value term = body(b, loc, places, args.drop_back());
               linalg::YieldOp::create(
                   b, loc,
                   arith::AddIOp::create(b, loc, term, args.back())
                       .getResult());
             })
      .getResult(0);
}

TileList ListBuilder::build() {
  TileList list;
  list.tile = streamTile;
  Value seen = buildSeen();
  unsigned result = leading + 1, tile = leading + 2;
  OpFoldResult entries = affine::makeComposedFoldedAffineApply(
      builder, loc, builder.getAffineDimExpr(0) + 1, {sizes.back()});
  list.ranks = reduce(
      entries, seen,
      [&](OpBuilder &b, Location loc, ValueRange loops, ValueRange elements) {
        Value isBefore = IndexMath{b, loc}.less(loops[tile], loops[result]);
        return arith::SelectOp::create(b, loc, isBefore, elements[0],
                                       number(b, loc, 0))
            .getResult();
      });
  // The only tile has number 0.
  if (isConstantIntValue(sizes.back(), 1)) {
    list.numbers = zeros(sizes);
    return list;
  }
  list.numbers = reduce(
      sizes.back(), seen,
      [&](OpBuilder &b, Location loc, ValueRange loops, ValueRange elements) {
        SmallVector<Value> place(loops.take_front(leading + 1));
        place.push_back(loops[tile]);
        Value rank = tensor::ExtractOp::create(b, loc, list.ranks, place);
        auto asNumber = [&](Value index) -> Value {
          return arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
        };
        auto equal = [&](Value x, Value y) -> Value {
          return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
        };
        Value isIt =
            arith::AndIOp::create(b, loc, equal(rank, asNumber(loops[result])),
                                  equal(elements[0], number(b, loc, 1)));
        return arith::SelectOp::create(b, loc, isIt, asNumber(loops[tile]),
                                       number(b, loc, 0))
            .getResult();
      });
  return list;
}

std::optional<TileList> mlir::smx::listTiles(OpBuilder &builder, Location loc,
                                             MaskOp mask, AffineMap map,
                                             const DomainTile &rows,
                                             ArrayRef<int64_t> rowTiles,
                                             int64_t streamTile) {
  auto loop =
      dyn_cast<scf::ForallOp>(builder.getInsertionBlock()->getParentOp());
  if (!loop)
    return std::nullopt;
  auto row = dyn_cast<AffineDimExpr>(map.getResult(mask.getRowDim()));
  if (!row || row.getPosition() >= rowTiles.size())
    return std::nullopt;
  SmallVector<Value> place;
  for (int64_t dim : mask.getDataDims(0)) {
    if (dim < 0) {
      place.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
      continue;
    }
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
    if (!expr || expr.getPosition() >= rowTiles.size() ||
        rowTiles[expr.getPosition()] != 1)
      return std::nullopt;
    place.push_back(getValueOrCreateConstantIndexOp(
        builder, loc, rows.offsets[expr.getPosition()]));
  }
  int64_t rowTile = rowTiles[row.getPosition()];
  OpFoldResult number = affine::makeComposedFoldedAffineApply(
      builder, loc, builder.getAffineDimExpr(0).floorDiv(rowTile),
      {rows.offsets[row.getPosition()]});
  place.push_back(getValueOrCreateConstantIndexOp(builder, loc, number));
  OpBuilder outside(loop);
  TileList list = ListBuilder(outside, loc, mask, rowTile, streamTile).build();
  list.place = place;
  return list;
}
