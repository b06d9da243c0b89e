//===- MergingLoops.cpp - loops that merge keys of tiles ------------------===//

#include "MergingLoops.h"

#include "KeyNetwork.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::smx::gpu;

//===----------------------------------------------------------------------===//
// Tiles of a row
//===----------------------------------------------------------------------===//

/// What reads the tile of the row from where each round of the loop is.
static LoadOp loadOfTiles(Value scores, scf::ForOp loop) {
  auto load = scores.getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != loop.getBody() ||
      load.getOffsets().back() != loop.getInductionVar() ||
      !llvm::all_of(load.getOffsets().drop_back(), [&](Value offset) {
        return loop.isDefinedOutsideOfLoop(offset);
      }))
    return {};
  auto tile = cast<RankedTensorType>(load.getTile().getType());
  auto memory = cast<MemRefType>(load.getSource().getType());
  bool isRow = tile.getRank() == 2 && tile.getDimSize(0) == 1 &&
               load.getDims()[1] == memory.getRank() - 1;
  return isRow ? load : LoadOp();
}

/// Both read the same row, and threads have the same of its tiles.
static bool readSameRow(LoadOp load, LoadOp next) {
  return next.getSource() == load.getSource() &&
         next.getDims() == load.getDims() &&
         next.getAligned() == load.getAligned() &&
         next.getOffsets().drop_back() == load.getOffsets().drop_back() &&
         getLayout(cast<RankedTensorType>(next.getTile().getType())) ==
             getLayout(cast<RankedTensorType>(load.getTile().getType()));
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

/// How many columns of a tile are in the row; none if `inside`, which may be
/// null, says something else than the load.
static std::optional<int64_t> columnsInRow(LoadOp load, Value inside) {
  if (load.getValid().empty()) {
    auto tile = cast<RankedTensorType>(load.getTile().getType());
    return inside ? std::nullopt : std::optional(tile.getDimSize(1));
  }
  std::optional<int64_t> valid = getConstantIntValue(load.getValid().back());
  auto compare =
      inside ? inside.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!valid || !compare ||
      compare.getPredicate() != arith::CmpIPredicate::slt ||
      !isColumn(compare.getLhs()) || !isSplatOf(compare.getRhs(), *valid))
    return std::nullopt;
  return valid;
}

//===----------------------------------------------------------------------===//
// Merges
//===----------------------------------------------------------------------===//

/// What is carried for ranks is read for nothing but what is carried for them.
static bool isMergedAlone(MergingLoop &tiles) {
  scf::ForOp loop = tiles.loop;
  llvm::SetVector<Value> values;
  for (unsigned number : tiles.carried)
    values.insert(loop.getRegionIterArgs()[number]);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (user == loop.getBody()->getTerminator()) {
        if (!llvm::is_contained(tiles.carried, use.getOperandNumber()))
          return false;
        continue;
      }
      if (user->getNumRegions() != 0 || !isMemoryEffectFree(user))
        return false;
      values.insert_range(user->getResults());
    }
  return true;
}

/// A loop that carries keys by these numbers.
static std::optional<MergingLoop> matchLoop(scf::ForOp loop, Ranking ranking,
                                            ArrayRef<unsigned> carried) {
  std::optional<mlir::smx::KeyParts> parts =
      mlir::smx::matchKey(ranking.all.keys);
  size_t count = ranking.ranks.size();
  Value scores =
      parts && carried.size() == count ? scoresOf(*parts, count) : Value();
  LoadOp load = scores ? loadOfTiles(scores, loop) : LoadOp();
  std::optional<int64_t> columns =
      load ? columnsInRow(load, ranking.all.inside) : std::nullopt;
  if (!columns || !KeyBuilder::canBuild(ranking.all.keys, scores) ||
      !arePlacesFrom(parts->place, [&](Value operand) {
        auto splat = operand.getDefiningOp<tensor::SplatOp>();
        return splat && splat.getInput() == loop.getInductionVar();
      }))
    return std::nullopt;
  KeyNetwork network(count);
  for (size_t rank = 0; rank < count; ++rank) {
    network.setOfFirst(loop.getRegionIterArgs()[carried[rank]], rank);
    network.setOfSecond(ranking.ranks[rank].getResult(), rank);
  }
  ValueRange yielded = loop.getYieldedValues();
  for (size_t rank = 0; rank < count; ++rank)
    if (network.rankOf(yielded[carried[rank]]) != rank)
      return std::nullopt;
  MergingLoop found{loop, ranking,  llvm::to_vector(carried),
                    load, *columns, *parts};
  return isMergedAlone(found) ? std::optional(found) : std::nullopt;
}

/// What is made of the keys of both parts is a network, of which nothing but
/// ranks of the row comes out.
static bool isMerged(MergingLoop &tiles, RestOfRow &rest) {
  KeyNetwork network(tiles.carried.size());
  llvm::SetVector<Value> keys;
  for (auto [rank, number] : llvm::enumerate(tiles.carried)) {
    Value ofLoop = tiles.loop.getResult(number),
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

static std::optional<RestOfRow> matchRest(MergingLoop &tiles, int64_t first,
                                          Ranking keys) {
  std::optional<mlir::smx::KeyParts> ofRest =
      mlir::smx::matchKey(keys.all.keys);
  if (!ofRest || keys.ranks.size() != tiles.carried.size())
    return std::nullopt;
  Value scores = scoresOf(*ofRest, keys.ranks.size());
  auto next = scores ? scores.getDefiningOp<LoadOp>() : LoadOp();
  if (!next || !readSameRow(tiles.load, next) ||
      getConstantIntValue(next.getOffsets().back()) != first ||
      !arePlacesFrom(ofRest->place,
                     [&](Value operand) { return isSplatOf(operand, first); }))
    return std::nullopt;
  std::optional<int64_t> columns = columnsInRow(next, keys.all.inside);
  if (!columns)
    return std::nullopt;
  RestOfRow found{keys, next, *columns, {}};
  return isMerged(tiles, found) ? std::optional(found) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Parts of rows
//===----------------------------------------------------------------------===//

/// The part from `begin`, a multiple of its extent, to `end`.
static std::optional<PartOfRow> partOf(Value begin, Value end) {
  auto product = begin.getDefiningOp<arith::MulIOp>();
  auto earlier = end.getDefiningOp<arith::MinSIOp>();
  auto next = earlier ? earlier.getLhs().getDefiningOp<arith::AddIOp>()
                      : arith::AddIOp();
  if (!product || !next)
    return std::nullopt;
  std::optional<int64_t> extent = getConstantIntValue(product.getRhs()),
                         row = getConstantIntValue(earlier.getRhs());
  if (!extent || !row || *extent <= 0 || *row <= 0 || next.getLhs() != begin ||
      getConstantIntValue(next.getRhs()) != extent)
    return std::nullopt;
  return PartOfRow{*extent, *row, end, std::nullopt};
}

/// What `value` is if it is the last multiple of `step` that is not above that.
static Value roundedDown(Value value, int64_t step) {
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getMapOperands().size() != 1)
    return {};
  AffineMap map = apply.getAffineMap();
  MLIRContext *context = apply.getContext();
  AffineExpr x = map.getNumDims() == 1 ? getAffineDimExpr(0, context)
                                       : getAffineSymbolExpr(0, context);
  return map.getResult(0) == x.floorDiv(step) * step ? apply.getMapOperands()[0]
                                                     : Value();
}

/// The loop over what is left behind whole tiles.
static std::optional<MergingLoop> matchTail(MergingLoop &tiles, Value end) {
  scf::ForOp loop = tiles.loop;
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    auto next = dyn_cast<scf::ForOp>(op);
    if (!next || next.getLowerBound() != loop.getUpperBound() ||
        next.getUpperBound() != end || next.getStep() != loop.getStep())
      continue;
    SmallVector<unsigned> carried;
    for (unsigned number : tiles.carried) {
      Value keys = loop.getResult(number);
      if (!keys.hasOneUse() || keys.use_begin()->getOwner() != next)
        return std::nullopt;
      carried.push_back(keys.use_begin()->getOperandNumber() -
                        next.getNumControlOperands());
    }
    for (Ranking &ranking : findRankings(*next.getBody()))
      if (std::optional<MergingLoop> tail = matchLoop(next, ranking, carried))
        return readSameRow(tiles.load, tail->load) ? tail : std::nullopt;
  }
  return std::nullopt;
}

static std::optional<PartOfRow> matchPart(MergingLoop &tiles) {
  scf::ForOp loop = tiles.loop;
  Value begin = loop.getLowerBound(), end = loop.getUpperBound();
  int64_t step = tiles.columns;
  Value endOfRow = roundedDown(end, step);
  std::optional<PartOfRow> part = partOf(begin, endOfRow ? endOfRow : end);
  if (!part || part->extent % step != 0)
    return std::nullopt;
  if (!endOfRow)
    return part->row % step == 0 ? part : std::nullopt;
  part->tail = matchTail(tiles, endOfRow);
  // It has one round at most.
  if (!part->tail || part->tail->columns != part->row % step)
    return std::nullopt;
  return part;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

std::optional<MergedRow> MergedRow::match(scf::ForOp loop, Ranking ranking) {
  // What starts as nothing and is of the keys' type.
  Type type = ranking.ranks.front().getResult().getType();
  SmallVector<unsigned> carried;
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (argument.getType() == type && isNothing(loop.getInitArgs()[number]))
      carried.push_back(number);
  std::optional<MergingLoop> tiles = matchLoop(loop, ranking, carried);
  if (!tiles || !tiles->load.getValid().empty() ||
      getConstantIntValue(loop.getStep()) != tiles->columns)
    return std::nullopt;
  MergedRow found{*tiles, std::nullopt, std::nullopt};
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound());
  if (!lower || !upper) {
    found.part = matchPart(*tiles);
    return found.part ? std::optional(found) : std::nullopt;
  }
  if (*lower != 0 || *upper % tiles->columns != 0)
    return std::nullopt;
  for (Ranking &keys : findRankings(*loop->getBlock()))
    if (!found.rest)
      found.rest = matchRest(*tiles, *upper, keys);
  return found;
}
