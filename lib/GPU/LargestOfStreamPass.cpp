//===- LargestOfStreamPass.cpp - the largest of a row that was streamed ---===//
//
// A thread has the columns c, c + n, c + 2n, .. of a row, tile by tile. Let M_c
// be its maximum: an element that is one of the k largest is not below the k-th
// largest M_c, so its thread is one of the few whose maximum is not. So a loop
// keeps maxima, which cost an instruction for each register, and only these
// few threads look at their elements again.
//
// What they look at comes from memory once more: a row is read as a whole
// before its end is reached, and the caches keep a part only of all that are
// under way. Let m be the maximum of a round:
//
//   m > most:  start = the round's;  second = max(second, min(m, most))
//   most = max(most, m)
//
// Where `second` is below the k-th largest, one round has all that counts.
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
  static constexpr int64_t fewestRounds = 8;

  /// Less than every element, everywhere.
  Value leastOf(RankedTensorType type);
  /// What elements of `load` that are not `inside` count as; null if all are.
  Value nothingFor(LoadOp load, Value inside);
  /// Maxima of columns; and of each thread its own, where the round of it
  /// starts, and what no number of another one is above. Not where a row ends
  /// in a loop of its own, nor of few rounds, which are not much to read again:
  /// blocks of short rows have no registers left.
  using Maxima = SmallVector<Value>;
  Maxima nothingYet();
  /// Of the loop; and columns of one.
  int64_t countRounds();
  int64_t tileColumns() {
    return cast<RankedTensorType>(load.getTile().getType()).getDimSize(1);
  }
  /// Those of all so far, `before`, and of the elements of `load`, which start
  /// at `column`.
  Maxima advance(OpBuilder &b, ValueRange before, LoadOp load, Value inside,
                 Value nothing, Value column);
  /// Carries the maxima through the loop, from `start` on.
  Maxima carryMaxima(MergingLoop &merging, const Maxima &start);
  /// Ends the merge of keys in the loop: nobody reads them any more.
  static void stopMerging(MergingLoop &merging);
  /// The elements found, of the type of one.
  LargestOp find(const Maxima &ofRow);
  /// The keys of what was found.
  SmallVector<Value> keysOf(LargestOp largest);

  MergedRow &row;
  LoadOp load;
  OpBuilder builder;
  Location loc;
  RankedTensorType maxima, slice, ofThreads;
  StripedAttr layoutOfThreads;
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
  const int64_t threads = striped.getColumnThreads();
  layoutOfThreads = StripedAttr::get(builder.getContext(), threads,
                                     /*columnThreads=*/1, striped.getVector());
  ofThreads = RankedTensorType::get(
      threads, element,
      SliceAttr::get(builder.getContext(), 1, layoutOfThreads));
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

int64_t RowOfMaxima::countRounds() {
  scf::ForOp loop = row.tiles.loop;
  int64_t extent =
      row.part ? row.part->extent : *getConstantIntValue(loop.getUpperBound());
  return extent / tileColumns();
}

RowOfMaxima::Maxima RowOfMaxima::nothingYet() {
  Maxima nothing{leastOf(maxima)};
  if ((row.part && row.part->tail) || countRounds() < fewestRounds)
    return nothing;
  Value least = leastOf(ofThreads);
  auto starts = ofThreads.clone(builder.getI32Type());
  Value zero = arith::ConstantOp::create(
      builder, loc, starts,
      DenseElementsAttr::get(starts, builder.getI32IntegerAttr(0)));
  nothing.append({least, zero, least});
  return nothing;
}

RowOfMaxima::Maxima RowOfMaxima::advance(OpBuilder &b, ValueRange before,
                                         LoadOp load, Value inside,
                                         Value nothing, Value column) {
  Value elements = load.getTile();
  if (inside)
    elements = arith::SelectOp::create(b, loc, inside, elements, nothing);
  Value part =
      PartialReduceOp::create(b, loc, maxima, Combiner::Maximum, elements);
  Maxima next{arith::MaximumFOp::create(b, loc, before[0], part)};
  if (before.size() == 1)
    return next;
  Value most = before[1], second = before[3];
  auto reduced = cast<RankedTensorType>(elements.getType());
  int64_t threads = ofThreads.getDimSize(0);
  auto parts = RankedTensorType::get({threads, reduced.getDimSize(1) / threads},
                                     reduced.getElementType(), layoutOfThreads);
  Value ofRound =
      ReduceOp::create(b, loc, ofThreads, Combiner::MaxNum,
                       PartsOp::create(b, loc, parts, elements), /*dim=*/1);
  Value start = arith::IndexCastOp::create(
      b, loc, b.getI32Type(),
      arith::SubIOp::create(b, loc, column, row.tiles.loop.getLowerBound()));
  start =
      tensor::SplatOp::create(b, loc, ofThreads.clone(b.getI32Type()), start);
  Value isMost =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, ofRound, most);
  next.push_back(arith::MaxNumFOp::create(b, loc, most, ofRound));
  next.push_back(arith::SelectOp::create(b, loc, isMost, start, before[2]));
  next.push_back(arith::MaxNumFOp::create(
      b, loc, second, arith::MinNumFOp::create(b, loc, most, ofRound)));
  return next;
}

RowOfMaxima::Maxima RowOfMaxima::carryMaxima(MergingLoop &merging,
                                             const Maxima &start) {
  IRRewriter rewriter(builder);
  builder.setInsertionPoint(merging.loop);
  Value inside = merging.ranking.all.inside,
        nothing = nothingFor(merging.load, inside);
  merging.loop = cast<scf::ForOp>(*merging.loop.replaceWithAdditionalYields(
      rewriter, start, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &b, Location, ArrayRef<BlockArgument> added) {
        Value column = added.front().getOwner()->getArgument(0);
        SmallVector<Value> before(added.begin(), added.end());
        return advance(b, before, merging.load, inside, nothing, column);
      }));
  builder.setInsertionPointAfter(merging.loop);
  return Maxima(merging.loop.getResults().take_back(start.size()));
}

void RowOfMaxima::stopMerging(MergingLoop &merging) {
  for (unsigned number : merging.carried)
    merging.loop.getBody()->getTerminator()->setOperand(
        number, merging.loop.getRegionIterArgs()[number]);
}

LargestOp RowOfMaxima::find(const Maxima &ofRow) {
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
  const bool hasRounds = ofRow.size() > 1;
  Value none;
  return LargestOp::create(
      builder, loc, SmallVector<Type>(count, slice),
      SmallVector<Type>(count, slice.clone(builder.getIndexType())), ofRow[0],
      load.getSource(), offsets, valid, hasRounds ? ofRow[2] : none,
      hasRounds ? ofRow[3] : none, extent, aligned,
      hasRounds ? tileColumns() : 0,
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
  Maxima ofRow = carryMaxima(row.tiles, nothingYet());
  MergingLoop *last = &row.tiles;
  if (row.part && row.part->tail) {
    last = &*row.part->tail;
    ofRow = carryMaxima(*last, ofRow);
  }
  if (row.rest) {
    builder.setInsertionPoint(row.rest->ranking.ranks.front());
    Value inside = row.rest->ranking.all.inside,
          nothing = nothingFor(row.rest->load, inside);
    ofRow = advance(builder, ofRow, row.rest->load, inside, nothing,
                    row.tiles.loop.getUpperBound());
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
