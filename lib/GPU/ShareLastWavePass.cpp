//===- ShareLastWavePass.cpp - the last tiles of a walk, shared -----------===//

#include "ClearedCounts.h"
#include "SharedWave.h"
#include "WaveTile.h"

#include "smx/GPU/Passes.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SHARELASTWAVEPASS
#include "smx/GPU/Passes.h.inc"

//===----------------------------------------------------------------------===//
// The cost
//===----------------------------------------------------------------------===//

/// In rounds of the loop over keys: what a part's beginning and end take, and
/// the launch that clears the counts. Measured on an H200.
constexpr int64_t besidesPart = 6, besidesLaunch = 2;
/// Shorter tiles begin under the one before (smx-gpu-next-tile), which parts do
/// not.
constexpr int64_t leastRounds = 32;

/// In rounds: what a state takes to be stored, or to be read and merged.
static double costOfState(const WaveTile &tile) {
  // What one multiprocessor moves in a clock, while others compute, and
  // multiplies.
  constexpr double bytesOfClock = 40, productsOfClock = 1024;
  // A state is two values more than those of its columns.
  return tile.getRows() * (tile.getColumns() + 2) * sizeof(float) /
         bytesOfClock /
         (double(tile.getRows()) * tile.step * tile.getColumns() /
          productsOfClock);
}

/// What the slowest block takes for its piece, in rounds.
static double costOf(const WaveTile &tile, const SharedWave &wave) {
  KnownNumbers b;
  const double costOfOne = costOfState(tile);
  double slowest = 0;
  for (int64_t block = 0; block < wave.blocks; ++block) {
    auto begin = wave.beginOf(b, block), end = wave.beginOf(b, block + 1);
    double cost = 0;
    auto addPart = [&](int64_t number, int64_t from, int64_t to) {
      cost += besidesPart + to - from;
      int64_t states = from == 0
                           ? std::max<int64_t>(
                                 0, wave.endOfBlocksWith(b, number) - block - 1)
                           : 1;
      cost += states * costOfOne;
    };
    bool isOne = begin.tile == end.tile;
    addPart(begin.tile, begin.round, isOne ? end.round : wave.rounds);
    if (!isOne && end.round > 0)
      addPart(end.tile, 0, end.round);
    slowest = std::max(slowest, cost);
  }
  return slowest + besidesLaunch;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {
/// What the walk does in one of its steps.
struct Item {
  Value tile, firstKey, endKey;
  /// The blocks whose states belong to this one's.
  Value firstBlock, endBlock;
};

class WalkBuilder {
public:
  WalkBuilder(WaveTile &tile, const SharedWave &wave)
      : tile(tile), wave(wave), b(tile.walk.getLoc(), tile.walk) {}

  /// The kernel walks over items, and leaves the states of parts in arguments
  /// of these types, which are appended: references, sums, values and counts.
  void rewrite(TypeRange types);

private:
  /// The pieces of the block, and how far it walks.
  void numberPieces();
  Item numberItem();
  WalkState mergeStates(const Item &item);
  void storeState();

  WaveTile &tile;
  const SharedWave &wave;
  Indices b;
  SmallVector<Value> memory;
  /// The block among those that share, from the last one on: those that wait
  /// start after those that they wait for.
  Value sharer;
  SharedWave::Place<Value> begin, end;
};
} // namespace

void WalkBuilder::numberPieces() {
  b.setInsertionPoint(tile.walk);
  Value block = tile.walk.getLowerBound();
  sharer = b.minus(wave.blocks - 1, block);
  begin = wave.beginOf(b, sharer);
  end = wave.beginOf(b, b.plus(sharer, b.number(1)));
  // A second part is one of the next tile.
  Value isOne = b.isEqual(begin.tile, end.tile),
        hasNone = b.isEqual(end.round, b.number(0));
  Value count = b.choose(arith::OrIOp::create(b, isOne, hasNone),
                         b.number(wave.whole + wave.blocks),
                         b.number(wave.whole + 2 * wave.blocks));
  tile.walk.setUpperBound(count);
}

Item WalkBuilder::numberItem() {
  Value number = tile.walk.getInductionVar();
  b.setInsertionPointToStart(tile.walk.getBody());
  Operation *next = &tile.walk.getBody()->front();
  Value lastRound = b.number(wave.rounds);
  Value isFirst = b.isBelow(number, wave.whole + wave.blocks);
  Value ofShared = b.choose(isFirst, begin.tile, end.tile);
  Value isOne = b.isEqual(begin.tile, end.tile);
  Value firstEnd = b.choose(isOne, end.round, lastRound);
  Item item;
  item.tile = b.plus(ofShared, b.number(wave.whole));
  Value from = b.choose(isFirst, begin.round, b.number(0)),
        to = b.choose(isFirst, firstEnd, end.round);
  item.firstBlock = b.plus(sharer, b.number(1));
  item.endBlock = wave.endOfBlocksWith(b, ofShared);
  if (wave.whole) {
    Value isWhole = b.isBelow(number, wave.whole);
    item.tile = b.choose(isWhole, number, item.tile);
    from = b.choose(isWhole, b.number(0), from);
    to = b.choose(isWhole, lastRound, to);
    item.endBlock = b.choose(isWhole, item.firstBlock, item.endBlock);
  }
  item.firstKey = b.times(from, tile.step);
  item.endKey = b.times(to, tile.step);
  llvm::SmallPtrSet<Operation *, 32> own;
  for (Operation *op = &tile.walk.getBody()->front(); op != next;
       op = op->getNextNode())
    own.insert(op);
  number.replaceUsesWithIf(
      item.tile, [&](OpOperand &use) { return !own.contains(use.getOwner()); });
  return item;
}

/// Where a state is in memory, by the block that it is of.
static std::pair<SmallVector<Value>, SmallVector<int64_t>>
placeOfState(Indices &b, Value block, Type state) {
  SmallVector<Value> offsets{block};
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < cast<RankedTensorType>(state).getRank(); ++d) {
    offsets.push_back(b.number(0));
    dims.push_back(d + 1);
  }
  return {offsets, dims};
}

static int64_t alignmentOf(Type state) {
  return cast<RankedTensorType>(state).getRank() == 2 ? 16 : 0;
}

void WalkBuilder::storeState() {
  for (auto [state, place] : llvm::zip(tile.last.all(), memory)) {
    auto [offsets, dims] = placeOfState(b, sharer, state.getType());
    StoreOp::create(b, state, place, offsets, /*valid=*/ValueRange(),
                    /*slide=*/Value(), dims, alignmentOf(state.getType()));
  }
  AnnounceOp::create(b, memory.back(), sharer);
}

WalkState WalkBuilder::mergeStates(const Item &item) {
  auto loop = scf::ForOp::create(b, item.firstBlock, item.endBlock, b.number(1),
                                 tile.last.all());
  Indices::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value block = loop.getInductionVar();
  AwaitOp::create(b, memory.back(), block, tile.kernel.getWarps());
  SmallVector<Value> loaded;
  for (auto [state, place] : llvm::zip(tile.last.all(), memory)) {
    auto [offsets, dims] = placeOfState(b, block, state.getType());
    loaded.push_back(LoadOp::create(b, state.getType(), place, offsets,
                                    /*valid=*/ValueRange(),
                                    /*slide=*/Value(), dims,
                                    alignmentOf(state.getType()),
                                    /*again=*/false));
  }
  ValueRange carried = loop.getRegionIterArgs();
  WalkState merged =
      WalkState::merge(b, b.getLoc(),
                       {WalkState{carried[0], carried[1], carried[2]},
                        WalkState{loaded[0], loaded[1], loaded[2]}});
  scf::YieldOp::create(b, merged.all());
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
}

void WalkBuilder::rewrite(TypeRange types) {
  KernelOp kernel = tile.kernel;
  for (Type type : types)
    memory.push_back(kernel.appendArgument(type));
  numberPieces();
  Item item = numberItem();
  tile.cutKeys(item.firstKey, item.endKey);
  b.setInsertionPoint(tile.walk.getBody()->getTerminator());
  Value isBegin = b.isEqual(item.firstKey, b.number(0));
  auto branch = scf::IfOp::create(b, isBegin, /*withElseRegion=*/true);
  b.setInsertionPoint(branch.thenYield());
  WalkState last = mergeStates(item);
  for (Operation *op : tile.finish)
    op->moveBefore(branch.thenYield());
  for (auto [before, after] : llvm::zip_equal(tile.last.all(), last.all()))
    before.replaceUsesWithIf(after, [&](OpOperand &use) {
      return llvm::is_contained(tile.finish, use.getOwner());
    });
  b.setInsertionPoint(branch.elseYield());
  storeState();
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// Memory for the states of all blocks that share, and for their counts.
static SmallVector<Type> typesOfMemory(const WaveTile &tile, int64_t blocks) {
  Type element = tile.getValuesType().getElementType();
  auto rows = MemRefType::get({blocks, tile.getRows()}, element);
  auto values =
      MemRefType::get({blocks, tile.getRows(), tile.getColumns()}, element);
  auto counts =
      MemRefType::get({blocks}, IntegerType::get(element.getContext(), 32));
  return {rows, rows, values, counts};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ShareLastWavePass : impl::ShareLastWavePassBase<ShareLastWavePass> {
  using ShareLastWavePassBase::ShareLastWavePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"blocks", blocks}});
  }

  void runOnOperation() override {
    if (blocks == 0)
      return;
    for (auto [kernel, launch] : WaveTile::findWalks(getOperation()))
      share(kernel, launch);
  }

private:
  void share(KernelOp kernel, LaunchOp launch);
  /// Why the last tiles are not shared; empty if they are, as `wave` says.
  StringRef whyNot(WaveTile &tile, SharedWave &wave);
};
} // namespace

StringRef ShareLastWavePass::whyNot(WaveTile &tile, SharedWave &wave) {
  // The least share of the rounds of the whole walk that is worth it.
  constexpr double leastSaving = 0.01;
  // The block that begins a tile merges the states of all others, one after the
  // other; where these are many a launch does that faster
  // (smx-gpu-split-last-wave).
  constexpr double mostBlocksOfTile = 2.5;
  const int64_t shared = tile.count % blocks;
  wave = {tile.count - shared, shared, tile.rounds, blocks, besidesPart};
  // What wider queries take of registers leaves none for another state.
  constexpr int64_t mostColumns = 256;
  if (wave.tiles == 0)
    return "every wave is a whole one";
  if (tile.getColumnsOfQueries() > mostColumns)
    return "threads have no registers for the state of another block";
  if (tile.rounds < leastRounds)
    return "tiles have too few rounds";
  if (wave.tiles * mostBlocksOfTile < wave.blocks || !wave.isPossible())
    return "too many blocks would share a tile";
  // Such rounds were slower by more than the wave is worth.
  if (tile.readsForScores())
    return "rounds read numbers for scores";
  double waves = llvm::divideCeilSigned(tile.count, int64_t(blocks));
  double limit = besidesPart + tile.rounds * (1 - leastSaving * waves);
  return costOf(tile, wave) < limit ? "" : "it would not save enough";
}

void ShareLastWavePass::share(KernelOp kernel, LaunchOp launch) {
  Location loc = kernel.getLoc();
  auto options =
      remark::RemarkOpts::name("LastWave").category("smx-gpu-share-last-wave");
  StringRef reason;
  std::optional<WaveTile> tile = WaveTile::match(kernel, launch, reason);
  SharedWave wave;
  if (tile)
    reason = whyNot(*tile, wave);
  if (!reason.empty()) {
    remark::missed(loc, options)
        << ("the last wave is not shared: " + reason).str();
    return;
  }
  Indices host(loc, launch);
  SmallVector<Value> memory;
  for (Type type : typesOfMemory(*tile, wave.blocks))
    memory.push_back(memref::AllocOp::create(host, cast<MemRefType>(type)));
  clearCounts(launch, kernel, memory.back());
  WalkBuilder(*tile, wave).rewrite(ValueRange(memory).getTypes());
  launch.getGridXMutable().assign(host.number(wave.blocks));
  launch.getArgumentsMutable().append(memory);
  remark::passed(loc, options)
      << "the last tiles of the walk are shared by all blocks"
      << remark::metric("tiles", wave.tiles);
}

} // namespace mlir::smx::gpu
