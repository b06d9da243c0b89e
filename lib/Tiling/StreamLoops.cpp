//===- StreamLoops.cpp - loops over the tiles of a stream -----------------===//

#include "StreamLoops.h"

#include "smx/Tiling/FewTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::smx;

/// Moves what does not depend on the stream (a transposed tile of queries) in
/// front of the loop. What starts a state or a sum stays: its buffer is written
/// in every round.
static void hoistInvariantTiles(scf::ForOp loop) {
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) {
        return isMemoryEffectFree(op) && !isa<linalg::FillOp, IdentityOp>(op);
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

namespace {
/// The bounds of the loops over one stream, rounded to whole tiles.
struct LoopBuilder {
  OpBuilder &builder;
  Location loc;
  OpFoldResult extent;
  /// Elements of a tile; and of those of the next loop.
  int64_t whole, tile;
  const std::optional<TileList> &list;
  /// The last tile of a loop comes first; all of them are whole then.
  bool isBackward;
  /// Loops are marked as those of few tiles.
  bool hasFewTiles;
  StreamBody body;

  Value index(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(builder, loc, expr, operands);
  }
  AffineExpr dim(unsigned position) {
    return builder.getAffineDimExpr(position);
  }
  Value roundedDown(Value value, int64_t unit) {
    return index(apply(dim(0).floorDiv(unit) * unit, {OpFoldResult(value)}));
  }
  Value roundedUp(Value value, int64_t unit) {
    return index(apply(dim(0).ceilDiv(unit) * unit, {OpFoldResult(value)}));
  }
  Value min(Value x, Value y) {
    return arith::MinSIOp::create(builder, loc, x, y);
  }
  Value max(Value x, Value y) {
    return arith::MaxSIOp::create(builder, loc, x, y);
  }

  /// What is left of the extent behind `offset`, at most a tile.
  OpFoldResult sizeAt(OpBuilder &b, OpFoldResult offset) {
    AffineExpr extentDim = dim(0), offsetDim = dim(1);
    return affine::makeComposedFoldedAffineMin(
        b, loc,
        AffineMap::get(2, 0,
                       {b.getAffineConstantExpr(tile), extentDim - offsetDim},
                       b.getContext()),
        {extent, offset});
  }

  /// As far from the last tile of `[begin, end)` as `at` is from the first.
  Value mirrored(OpBuilder &b, Value at, Value begin, Value end) {
    AffineExpr sum = dim(1) + dim(2) - tile - dim(0);
    SmallVector<OpFoldResult> operands{at, begin, end};
    return getValueOrCreateConstantIndexOp(
        b, loc, affine::makeComposedFoldedAffineApply(b, loc, sum, operands));
  }

  /// Tiles of `size`, or of what is left if there is none.
  SmallVector<Value> loop(OpFoldResult from, OpFoldResult to, OpFoldResult size,
                          bool masked, ValueRange carried) {
    auto visit = [&](OpBuilder &b, OpFoldResult offset, ValueRange args) {
      return body(b, offset, size ? size : sizeAt(b, offset), masked, args);
    };
    std::optional<int64_t> first = getConstantIntValue(from),
                           last = getConstantIntValue(to);
    if (first && last && *first >= *last)
      return carried;
    if (first && last && *last - *first <= tile && !list)
      return visit(builder, from, carried);
    // Along the stream, or along the list of what is visited of it.
    Value begin = list ? list->rankOf(builder, loc, from) : index(from);
    Value end = list ? list->rankOf(builder, loc, to) : index(to);
    Value step = arith::ConstantIndexOp::create(builder, loc, list ? 1 : tile);
    auto forOp = scf::ForOp::create(
        builder, loc, begin, end, step, carried,
        [&](OpBuilder &b, Location loc, Value at, ValueRange args) {
          Value offset = list         ? list->offsetOf(b, loc, at)
                         : isBackward ? mirrored(b, at, begin, end)
                                      : at;
          // A tail is at most one tile, and starts where the whole tiles end.
          scf::YieldOp::create(b, loc, visit(b, offset, args));
        });
    if (hasFewTiles)
      forOp->setDiscardableAttr(fewTilesAttribute, builder.getUnitAttr());
    hoistInvariantTiles(forOp);
    return forOp.getResults();
  }
};

/// The tiles of the range that is visited.
struct TiledRange {
  OpFoldResult first, wholeEnd, last;
  OpFoldResult full; ///< the size of all of them but a tail
  OpFoldResult left; ///< the size of a tail
  bool hasTail;
};
} // namespace

/// Where no key is hidden.
static SmallVector<Value> visitAll(LoopBuilder &loops, const TiledRange &tiles,
                                   bool isBackward, ValueRange initial) {
  SmallVector<Value> carried(initial);
  auto visitTail = [&] {
    loops.isBackward = false;
    if (tiles.hasTail)
      carried = loops.loop(tiles.wholeEnd, tiles.last, tiles.left,
                           /*masked=*/false, carried);
  };
  if (isBackward)
    visitTail();
  loops.isBackward = isBackward;
  carried = loops.loop(tiles.first, tiles.wholeEnd, tiles.full,
                       /*masked=*/false, carried);
  if (!isBackward)
    visitTail();
  return carried;
}

/// What is visible by `bounds`: masked tiles apart from those seen whole.
static SmallVector<Value> visitRanges(LoopBuilder &loops,
                                      const TiledRange &tiles,
                                      const StreamBounds &bounds, int64_t cut,
                                      bool joinsTail, ValueRange initial) {
  OpBuilder &builder = loops.builder;
  Location loc = loops.loc;
  SmallVector<Value> carried(initial);
  const VisibleKeys &keys = bounds.keys;
  Value whole = loops.index(tiles.wholeEnd);
  Value begin = loops.roundedDown(keys.begin, cut);
  if (!isConstantIntValue(tiles.first, 0))
    begin = loops.max(begin, loops.index(tiles.first));
  Value end = loops.min(loops.roundedUp(keys.end, cut), whole);
  Value fullBegin =
      loops.max(begin, loops.roundedUp(keys.fullBegin, loops.whole));
  Value fullEnd = loops.min(loops.roundedDown(keys.fullEnd, loops.whole), end);
  OpFoldResult frontEnd = begin;
  auto visitMasked = [&](OpFoldResult from, OpFoldResult to,
                         OpFoldResult size) {
    loops.tile = cut;
    carried = loops.loop(from, to, size, /*masked=*/true, carried);
    loops.tile = loops.whole;
  };
  OpFoldResult cutSize = builder.getIndexAttr(cut);
  bool hasFront = !matchPattern(keys.fullBegin, m_Zero());
  if (hasFront) {
    frontEnd = loops.min(fullBegin, end);
    if (!bounds.isBackward)
      visitMasked(begin, frontEnd, cutSize);
  }
  Value backBegin = loops.max(loops.index(frontEnd), fullEnd);
  auto visitWhole = [&] {
    carried =
        loops.loop(frontEnd, backBegin, tiles.full, /*masked=*/false, carried);
  };
  auto visitJoined = [&] {
    Value joined = loops.min(loops.roundedUp(keys.end, cut),
                             loops.roundedUp(loops.index(tiles.last), cut));
    visitMasked(backBegin, joined, OpFoldResult());
  };
  if (bounds.isBackward) {
    assert((joinsTail || !tiles.hasTail) &&
           "a tail alone is no multiple of a tile");
    loops.isBackward = true;
    if (tiles.hasTail)
      visitJoined();
    else
      visitMasked(backBegin, end, cutSize);
    visitWhole();
    if (hasFront)
      visitMasked(begin, frontEnd, cutSize);
    return carried;
  }
  visitWhole();
  if (tiles.hasTail && joinsTail) {
    visitJoined();
    return carried;
  }
  visitMasked(backBegin, end, cutSize);
  if (!tiles.hasTail)
    return carried;
  // The tail is visited if some row sees a key in it.
  Value seesTail = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sgt, keys.end, whole);
  Value tailEnd = arith::SelectOp::create(builder, loc, seesTail,
                                          loops.index(tiles.last), whole);
  return loops.loop(whole, tailEnd, tiles.left, /*masked=*/true, carried);
}

SmallVector<Value> mlir::smx::buildStreamLoops(
    OpBuilder &builder, Location loc, OpFoldResult extent, int64_t tile,
    int64_t cut, std::optional<StreamRange> range, const StreamBounds &bounds,
    bool joinsTail, ValueRange initial, StreamBody body) {
  LoopBuilder loops{builder,
                    loc,
                    extent,
                    /*whole=*/tile,
                    tile,
                    bounds.tiles,
                    /*isBackward=*/false,
                    bounds.hasFewTiles,
                    body};
  TiledRange tiles;
  tiles.first = range ? range->begin : builder.getIndexAttr(0);
  tiles.last = range ? range->end : extent;
  tiles.full = builder.getIndexAttr(tile);
  AffineExpr wholeTiles = loops.dim(0).floorDiv(tile) * tile;
  std::optional<int64_t> known = getConstantIntValue(extent);
  tiles.hasTail = bounds.hasTail && tile != 1 && (!known || *known % tile != 0);
  tiles.wholeEnd =
      tiles.hasTail ? loops.apply(wholeTiles, {tiles.last}) : tiles.last;
  tiles.left = loops.apply(loops.dim(0) - wholeTiles, {extent});
  if (bounds.ranged.empty())
    return visitAll(loops, tiles, bounds.isBackward, initial);
  return visitRanges(loops, tiles, bounds, bounds.tiles ? tile : cut, joinsTail,
                     initial);
}
