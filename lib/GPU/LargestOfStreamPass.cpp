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
#include "KeyNetwork.h"
#include "Rankings.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_LARGESTOFSTREAMPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {

/// The rest of a row behind a loop, and where its keys are merged with those of
/// the loop.
struct RestOfRow {
  Ranking ranking;
  LoadOp load;
  /// Columns of the tile that are in the row.
  int64_t columns;
  /// What has a rank of the whole row.
  SmallVector<std::pair<Value, size_t>> merged;
};

/// A loop, and the keys of its tiles that it merges with those before.
struct MergingLoop {
  scf::ForOp loop;
  Ranking ranking;
  /// The numbers of what it carries for each rank.
  SmallVector<unsigned> carried;
  LoadOp load;
  mlir::smx::KeyParts parts;
  std::optional<RestOfRow> rest;

  static std::optional<MergingLoop> match(scf::ForOp loop, Ranking ranking);
  /// What is carried for ranks is read for nothing but what is carried for
  /// them.
  bool isMergedAlone();
  int64_t columns() { return *getConstantIntValue(loop.getUpperBound()); }
  std::optional<RestOfRow> matchRest(const Ranking &keys);
  bool isMerged(RestOfRow &rest);
  void rewrite();
};

} // namespace

/// Where a row is read tile by tile, the loop from its start to its end.
static LoadOp loadOfTiles(Value scores, scf::ForOp loop) {
  auto load = scores.getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != loop.getBody() || !load.getValid().empty() ||
      load.getOffsets().back() != loop.getInductionVar() ||
      !llvm::all_of(load.getOffsets().drop_back(), [&](Value offset) {
        return loop.isDefinedOutsideOfLoop(offset);
      }))
    return {};
  auto tile = cast<RankedTensorType>(load.getTile().getType());
  auto memory = cast<MemRefType>(load.getSource().getType());
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep()),
                         upper = getConstantIntValue(loop.getUpperBound());
  bool isRow = tile.getRank() == 2 && tile.getDimSize(0) == 1 &&
               load.getDims()[1] == memory.getRank() - 1;
  if (!isRow || !lower || !step || !upper || *lower != 0 ||
      *step != tile.getDimSize(1) || *upper % *step != 0)
    return {};
  return load;
}

static bool isColumn(Value places) {
  auto position = places.getDefiningOp<PositionOp>();
  return position && position.getDim() == 1;
}

static bool isSplatOf(Value tile, int64_t number) {
  SplatElementsAttr splat;
  return matchPattern(tile, m_Constant(&splat)) &&
         splat.getSplatValue<APInt>() == number;
}

/// The sum of columns and of what `isFirst` is true for.
static bool arePlacesFrom(Value places,
                          llvm::function_ref<bool(Value)> isFirst) {
  auto sum = places.getDefiningOp<arith::AddIOp>();
  return sum && ((isFirst(sum.getLhs()) && isColumn(sum.getRhs())) ||
                 (isFirst(sum.getRhs()) && isColumn(sum.getLhs())));
}

std::optional<MergingLoop> MergingLoop::match(scf::ForOp loop,
                                              Ranking ranking) {
  std::optional<mlir::smx::KeyParts> parts =
      mlir::smx::matchKey(ranking.all.keys);
  size_t count = ranking.ranks.size();
  Value scores =
      parts && !ranking.all.inside ? scoresOf(*parts, count) : Value();
  LoadOp load = scores ? loadOfTiles(scores, loop) : LoadOp();
  if (!load || !KeyBuilder::canBuild(ranking.all.keys, scores))
    return std::nullopt;
  MergingLoop found{loop, ranking, {}, load, *parts, std::nullopt};
  // What starts as nothing and is of the keys' type.
  Type type = ranking.ranks.front().getResult().getType();
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (argument.getType() == type && isNothing(loop.getInitArgs()[number]))
      found.carried.push_back(number);
  if (found.carried.size() != count)
    return std::nullopt;
  if (!arePlacesFrom(parts->place, [&](Value operand) {
        auto splat = operand.getDefiningOp<tensor::SplatOp>();
        return splat && splat.getInput() == loop.getInductionVar();
      }))
    return std::nullopt;
  KeyNetwork network(count);
  for (size_t rank = 0; rank < count; ++rank) {
    network.setOfFirst(loop.getRegionIterArgs()[found.carried[rank]], rank);
    network.setOfSecond(ranking.ranks[rank].getResult(), rank);
  }
  ValueRange yielded = loop.getYieldedValues();
  for (size_t rank = 0; rank < count; ++rank)
    if (network.rankOf(yielded[found.carried[rank]]) != rank)
      return std::nullopt;
  if (!found.isMergedAlone())
    return std::nullopt;
  for (Ranking &keys : findRankings(*loop->getBlock()))
    if (!found.rest)
      found.rest = found.matchRest(keys);
  return found;
}

std::optional<RestOfRow> MergingLoop::matchRest(const Ranking &keys) {
  std::optional<mlir::smx::KeyParts> ofRest =
      mlir::smx::matchKey(keys.all.keys);
  if (!ofRest || keys.ranks.size() != carried.size())
    return std::nullopt;
  Value scores = scoresOf(*ofRest, keys.ranks.size());
  auto next = scores ? scores.getDefiningOp<LoadOp>() : LoadOp();
  if (!next || next.getSource() != load.getSource() ||
      next.getDims() != load.getDims() ||
      next.getAligned() != load.getAligned() ||
      next.getOffsets().drop_back() != load.getOffsets().drop_back() ||
      getConstantIntValue(next.getOffsets().back()) != columns() ||
      getLayout(cast<RankedTensorType>(scores.getType())) !=
          getLayout(cast<RankedTensorType>(load.getTile().getType())))
    return std::nullopt;
  if (!arePlacesFrom(ofRest->place, [&](Value operand) {
        return isSplatOf(operand, columns());
      }))
    return std::nullopt;
  RestOfRow found{
      keys, next, cast<RankedTensorType>(scores.getType()).getDimSize(1), {}};
  if (!next.getValid().empty()) {
    std::optional<int64_t> valid = getConstantIntValue(next.getValid().back());
    auto inside = keys.all.inside
                      ? keys.all.inside.getDefiningOp<arith::CmpIOp>()
                      : arith::CmpIOp();
    if (!valid || !inside ||
        inside.getPredicate() != arith::CmpIPredicate::slt ||
        !isColumn(inside.getLhs()) || !isSplatOf(inside.getRhs(), *valid))
      return std::nullopt;
    found.columns = *valid;
  } else if (keys.all.inside) {
    return std::nullopt;
  }
  if (!isMerged(found))
    return std::nullopt;
  return found;
}

/// What is made of the keys of both parts is a network, of which nothing but
/// ranks of the row comes out.
bool MergingLoop::isMerged(RestOfRow &rest) {
  KeyNetwork network(carried.size());
  llvm::SetVector<Value> keys;
  for (auto [rank, number] : llvm::enumerate(carried)) {
    Value ofLoop = loop.getResult(number),
          ofRest = rest.ranking.ranks[rank].getResult();
    network.setOfFirst(ofLoop, rank);
    network.setOfSecond(ofRest, rank);
    keys.insert(ofLoop);
    keys.insert(ofRest);
  }
  auto isCompared = [&](Value value, Value with) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      auto compare = dyn_cast<arith::CmpFOp>(user);
      return compare && compare.getRhs() == with;
    });
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    if (std::optional<size_t> rank = network.rankOf(keys[i])) {
      rest.merged.push_back({keys[i], *rank});
      continue;
    }
    for (Operation *user : keys[i].getUsers()) {
      if (isa<arith::MaxNumFOp, arith::SelectOp>(user) &&
          network.has(user->getResult(0))) {
        keys.insert(user->getResult(0));
        continue;
      }
      // What is chosen by, and the search for the next one of the rest.
      bool isCondition = isa<arith::CmpFOp>(user) &&
                         llvm::all_of(user->getUsers(), [&](Operation *choice) {
                           return isa<arith::SelectOp>(choice) &&
                                  network.has(choice->getResult(0));
                         });
      if (!isCondition &&
          !(isa<BroadcastOp>(user) &&
            isCompared(user->getResult(0), rest.ranking.all.keys)))
        return false;
    }
  }
  return !rest.merged.empty();
}

bool MergingLoop::isMergedAlone() {
  llvm::SetVector<Value> values;
  for (unsigned number : carried)
    values.insert(loop.getRegionIterArgs()[number]);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (user == loop.getBody()->getTerminator()) {
        if (!llvm::is_contained(carried, use.getOperandNumber()))
          return false;
        continue;
      }
      if (user->getNumRegions() != 0 || !isMemoryEffectFree(user))
        return false;
      values.insert_range(user->getResults());
    }
  return true;
}

void MergingLoop::rewrite() {
  auto tile = cast<RankedTensorType>(load.getTile().getType());
  auto striped = cast<StripedAttr>(getLayout(tile));
  Type element = tile.getElementType();
  auto maxima = RankedTensorType::get(
      {1, striped.getColumnThreads() * striped.getVector()}, element, striped);
  OpBuilder builder(loop);
  Location loc = ranking.ranks.front().getLoc();
  auto leastOf = [&](RankedTensorType type) -> Value {
    APFloat least =
        mlir::smx::extremeOf(cast<FloatType>(element), /*isLeast=*/true);
    return arith::ConstantOp::create(builder, loc, type,
                                     DenseElementsAttr::get(type, least));
  };
  Value least = leastOf(maxima);
  IRRewriter rewriter(builder);
  auto wider = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, least, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &b, Location, ArrayRef<BlockArgument> added) {
        Value part = PartialReduceOp::create(b, loc, maxima, Combiner::Maximum,
                                             load.getTile());
        return SmallVector<Value>{
            arith::MaximumFOp::create(b, loc, added[0], part)};
      }));
  loop = wider;
  builder.setInsertionPointAfter(loop);
  Value ofRow = loop.getResults().back();
  int64_t extent = columns();
  if (rest) {
    builder.setInsertionPoint(rest->ranking.ranks.front());
    Value elements = rest->load.getTile();
    if (Value inside = rest->ranking.all.inside) {
      Value nothing = leastOf(cast<RankedTensorType>(elements.getType()));
      elements =
          arith::SelectOp::create(builder, loc, inside, elements, nothing);
    }
    Value part = PartialReduceOp::create(builder, loc, maxima,
                                         Combiner::Maximum, elements);
    ofRow = arith::MaximumFOp::create(builder, loc, ofRow, part);
    extent += rest->columns;
  }
  int64_t count = carried.size();
  auto slice = RankedTensorType::get(
      1, element, SliceAttr::get(builder.getContext(), 1, striped));
  SmallVector<Value> offsets(load.getOffsets());
  offsets.back() = loop.getLowerBound();
  auto largest = LargestOp::create(
      builder, loc, SmallVector<Type>(count, slice),
      SmallVector<Type>(count, slice.clone(builder.getIndexType())), ofRow,
      load.getSource(), offsets, extent, load.getAligned(),
      /*ranks=*/IntegerAttr());
  KeyBuilder keys(builder, load.getTile(), slice);
  SmallVector<Value> ranks;
  for (auto [number, value, column] :
       llvm::zip_equal(carried, largest.getValues(), largest.getColumns())) {
    ranks.push_back(keys.build(ranking.all.keys, value, column, parts.place));
    // What was merged is not read any more.
    loop.getBody()->getTerminator()->setOperand(
        number, loop.getRegionIterArgs()[number]);
  }
  if (rest)
    for (auto [merged, rank] : rest->merged)
      merged.replaceAllUsesWith(ranks[rank]);
  else
    for (auto [number, rank] : llvm::zip_equal(carried, ranks))
      loop.getResult(number).replaceAllUsesWith(rank);
}

namespace {
struct LargestOfStreamPass
    : mlir::smx::gpu::impl::LargestOfStreamPassBase<LargestOfStreamPass> {
  using LargestOfStreamPassBase::LargestOfStreamPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    uniteEqualOps(kernel);
    IRRewriter rewriter(&getContext());
    SmallVector<MergingLoop, 1> found;
    for (auto loop : kernel.getBody().front().getOps<scf::ForOp>())
      for (Ranking &ranking : findRankings(*loop.getBody()))
        if (std::optional<MergingLoop> merging =
                MergingLoop::match(loop, ranking)) {
          found.push_back(*merging);
          break;
        }
    for (MergingLoop &merging : found)
      merging.rewrite();
    if (!found.empty()) {
      RewritePatternSet patterns(&getContext());
      scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
      if (failed(applyPatternsGreedily(kernel, std::move(patterns))))
        return signalPassFailure();
    }
  }
};
} // namespace
