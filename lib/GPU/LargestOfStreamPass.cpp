//===- LargestOfStreamPass.cpp - the largest of a row that was streamed ---===//
//
// A thread has the columns c, c + n, c + 2n, .. of a row, tile by tile. Let M_c
// be its maximum: an element that is one of the k largest is not below the k-th
// largest M_c, so its thread is one of the few whose maximum is not. So a loop
// keeps maxima, which cost an instruction for each register, and only these
// few threads look at their elements again.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "MergingLoops.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_LARGESTOFSTREAMPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {

/// Puts maxima, and what they say, in the place of keys that are merged.
class RowOfMaxima {
public:
  explicit RowOfMaxima(MergedRow &row);

  void rewrite();

private:
  /// Less than every element, everywhere.
  Value leastOf(RankedTensorType type);
  /// What elements of `load` that are not `inside` count as; null if all are.
  Value nothingFor(LoadOp load, Value inside);
  /// The maxima of the elements of `load`.
  Value maximaOf(OpBuilder &b, LoadOp load, Value inside, Value nothing);
  /// Carries the maxima through the loop, from `start` on.
  Value carryMaxima(MergingLoop &merging, Value start);
  /// Ends the merge of keys in the loop: nobody reads them any more.
  static void stopMerging(MergingLoop &merging);
  /// The elements found, of the type of one.
  LargestOp find(Value ofRow);
  /// The keys of what was found.
  SmallVector<Value> keysOf(LargestOp largest);

  MergedRow &row;
  LoadOp load;
  OpBuilder builder;
  Location loc;
  RankedTensorType maxima, slice;
};

} // namespace

RowOfMaxima::RowOfMaxima(MergedRow &row)
    : row(row), load(row.tiles.load), builder(row.tiles.loop),
      loc(row.tiles.ranking.ranks.front().getLoc()) {
  Type element = getElementTypeOrSelf(load.getTile());
  auto striped = cast<StripedAttr>(
      getLayout(cast<RankedTensorType>(load.getTile().getType())));
  maxima = RankedTensorType::get(
      {1, striped.getColumnThreads() * striped.getVector()}, element, striped);
  slice = RankedTensorType::get(
      1, element, SliceAttr::get(builder.getContext(), 1, striped));
}

Value RowOfMaxima::leastOf(RankedTensorType type) {
  APFloat least = mlir::smx::extremeOf(cast<FloatType>(type.getElementType()),
                                       /*isLeast=*/true);
  return arith::ConstantOp::create(builder, loc, type,
                                   DenseElementsAttr::get(type, least));
}

Value RowOfMaxima::nothingFor(LoadOp load, Value inside) {
  return inside ? leastOf(cast<RankedTensorType>(load.getTile().getType()))
                : Value();
}

Value RowOfMaxima::maximaOf(OpBuilder &b, LoadOp load, Value inside,
                            Value nothing) {
  Value elements = load.getTile();
  if (inside)
    elements = arith::SelectOp::create(b, loc, inside, elements, nothing);
  return PartialReduceOp::create(b, loc, maxima, Combiner::Maximum, elements);
}

Value RowOfMaxima::carryMaxima(MergingLoop &merging, Value start) {
  IRRewriter rewriter(builder);
  builder.setInsertionPoint(merging.loop);
  Value inside = merging.ranking.all.inside,
        nothing = nothingFor(merging.load, inside);
  merging.loop = cast<scf::ForOp>(*merging.loop.replaceWithAdditionalYields(
      rewriter, start, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &b, Location, ArrayRef<BlockArgument> added) {
        Value part = maximaOf(b, merging.load, inside, nothing);
        return SmallVector<Value>{
            arith::MaximumFOp::create(b, loc, added[0], part)};
      }));
  builder.setInsertionPointAfter(merging.loop);
  return merging.loop.getResults().back();
}

void RowOfMaxima::stopMerging(MergingLoop &merging) {
  for (unsigned number : merging.carried)
    merging.loop.getBody()->getTerminator()->setOperand(
        number, merging.loop.getRegionIterArgs()[number]);
}

LargestOp RowOfMaxima::find(Value ofRow) {
  scf::ForOp loop = row.tiles.loop;
  SmallVector<Value> offsets(load.getOffsets());
  offsets.back() = loop.getLowerBound();
  int64_t aligned = load.getAligned(), extent;
  Value valid;
  if (row.part) {
    extent = row.part->extent;
    if (int64_t left = row.part->columnsOfLast()) {
      valid = arith::SubIOp::create(builder, loc, row.part->end,
                                    loop.getLowerBound());
      int64_t bytes = maxima.getElementTypeBitWidth() / 8;
      aligned = std::min(aligned, bytes * (left & -left));
    }
  } else {
    extent = *getConstantIntValue(loop.getUpperBound());
    if (row.rest)
      extent += row.rest->columns;
  }
  int64_t count = row.tiles.carried.size();
  return LargestOp::create(
      builder, loc, SmallVector<Type>(count, slice),
      SmallVector<Type>(count, slice.clone(builder.getIndexType())), ofRow,
      load.getSource(), offsets, valid, extent, aligned,
      /*ranks=*/IntegerAttr());
}

SmallVector<Value> RowOfMaxima::keysOf(LargestOp largest) {
  KeyBuilder keys(builder, load.getTile(), slice);
  auto index = slice.clone(builder.getIndexType());
  auto splat = [&](Value number) -> Value {
    return tensor::SplatOp::create(builder, loc, index, number);
  };
  int64_t count = row.tiles.carried.size();
  bool mayBeFewer = row.part && row.part->columnsOfLast() != 0 &&
                    row.part->columnsOfLast() < count;
  SmallVector<Value> found;
  for (auto [value, column] :
       llvm::zip_equal(largest.getValues(), largest.getColumns())) {
    Value place = column;
    // Places are those in the whole row.
    if (row.part)
      place = arith::AddIOp::create(builder, loc, column,
                                    splat(row.tiles.loop.getLowerBound()));
    Value key = keys.build(row.tiles.ranking.all.keys, value, place,
                           row.tiles.parts.place);
    if (mayBeFewer) {
      auto type = cast<RankedTensorType>(key.getType());
      auto element = cast<FloatType>(type.getElementType());
      Value none = arith::ConstantOp::create(
          builder, loc, type,
          DenseElementsAttr::get(
              type,
              APFloat::getInf(element.getFloatSemantics(), /*Negative=*/true)));
      Value isThere =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, column,
                                splat(largest.getValid()));
      key = arith::SelectOp::create(builder, loc, isThere, key, none);
    }
    found.push_back(key);
  }
  return found;
}

void RowOfMaxima::rewrite() {
  Value ofRow = carryMaxima(row.tiles, leastOf(maxima));
  MergingLoop *last = &row.tiles;
  if (row.part && row.part->tail) {
    last = &*row.part->tail;
    ofRow = carryMaxima(*last, ofRow);
  }
  if (row.rest) {
    builder.setInsertionPoint(row.rest->ranking.ranks.front());
    Value inside = row.rest->ranking.all.inside,
          nothing = nothingFor(row.rest->load, inside);
    Value part = maximaOf(builder, row.rest->load, inside, nothing);
    ofRow = arith::MaximumFOp::create(builder, loc, ofRow, part);
  }
  SmallVector<Value> ranks = keysOf(find(ofRow));
  stopMerging(row.tiles);
  if (last != &row.tiles)
    stopMerging(*last);
  if (row.rest)
    for (auto [merged, rank] : row.rest->merged)
      merged.replaceAllUsesWith(ranks[rank]);
  else
    for (auto [number, rank] : llvm::zip_equal(last->carried, ranks))
      last->loop.getResult(number).replaceAllUsesWith(rank);
}

namespace {
struct LargestOfStreamPass
    : mlir::smx::gpu::impl::LargestOfStreamPassBase<LargestOfStreamPass> {
  using LargestOfStreamPassBase::LargestOfStreamPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    // Loops read the same row by the same numbers.
    for (auto loop : kernel.getBody().front().getOps<scf::ForOp>())
      for (Operation &op : llvm::make_early_inc_range(*loop.getBody()))
        if (op.hasTrait<OpTrait::ConstantLike>())
          op.moveBefore(loop);
    uniteEqualOps(kernel);
    SmallVector<MergedRow, 1> found;
    for (auto loop : kernel.getBody().front().getOps<scf::ForOp>())
      for (Ranking &ranking : findRankings(*loop.getBody()))
        if (std::optional<MergedRow> merged = MergedRow::match(loop, ranking)) {
          found.push_back(*merged);
          break;
        }
    for (MergedRow &merged : found)
      RowOfMaxima(merged).rewrite();
    if (!found.empty()) {
      RewritePatternSet patterns(&getContext());
      scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
      if (failed(applyPatternsGreedily(kernel, std::move(patterns))))
        return signalPassFailure();
    }
  }
};
} // namespace
