//===- SplitLastWavePass.cpp - the last tiles of a walk in parts ----------===//

#include "WaveMerge.h"

#include "smx/GPU/Passes.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SPLITLASTWAVEPASS
#include "smx/GPU/Passes.h.inc"

//===----------------------------------------------------------------------===//
// The cost
//===----------------------------------------------------------------------===//

/// In rounds of the loop over keys: what the parts of the last tiles take, and
/// their merge. Measured on an H200.
static double costOf(const WaveTile &tile, const WaveCut &cut, int64_t blocks) {
  // Rounds that a part's beginning and end take, and a launch that has little
  // to do.
  constexpr double besidesPart = 5, besidesLaunch = 3;
  // What all multiprocessors move in a clock; and what one multiplies.
  constexpr double bytesOfClock = 2600, productsOfClock = 1024;
  double clocksOfRound =
      double(tile.getRows()) * tile.step * tile.getColumns() / productsOfClock;
  // A state is two values more than those of its columns, written and read.
  double bytes = double(cut.tiles) * cut.parts * tile.getRows() *
                 (tile.getColumns() + 2) * sizeof(float) * 2;
  double waves = llvm::divideCeilSigned(cut.tiles * cut.parts, blocks);
  return waves * (cut.rounds + besidesPart) + besidesLaunch +
         bytes / bytesOfClock / clocksOfRound;
}

/// So many parts of each tile, none of them empty; nothing if that is not
/// possible.
static std::optional<WaveCut> cutInto(int64_t parts, const WaveTile &tile,
                                      int64_t whole, int64_t tiles) {
  WaveCut cut{whole, tiles, parts, llvm::divideCeilSigned(tile.rounds, parts)};
  if (llvm::divideCeilSigned(tile.rounds, cut.rounds) != parts ||
      !WaveMerge::of(tile, cut))
    return std::nullopt;
  return cut;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {
/// Numbers of an item of the walk.
struct WholeOrPart {
  /// A truth; null where no tile is whole.
  Value isWhole;
  Value tile, cutTile, part, firstKey, endKey;
};

class CutWalkBuilder {
public:
  CutWalkBuilder(WaveTile &tile, const WaveCut &cut)
      : tile(tile), cut(cut), builder(tile.walk), loc(tile.walk.getLoc()) {}

  /// The kernel walks over items, and leaves the states of parts in arguments
  /// of these types, which are appended.
  void rewrite(TypeRange states);

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  WholeOrPart numberItem();
  void storeState(const WholeOrPart &item, ValueRange memory);

  WaveTile &tile;
  const WaveCut &cut;
  OpBuilder builder;
  Location loc;
};
} // namespace

WholeOrPart CutWalkBuilder::numberItem() {
  Value number = tile.walk.getInductionVar();
  Value whole = constant(cut.whole), parts = constant(cut.parts);
  Value keysOfPart = constant(cut.rounds * tile.step);
  Value first = tile.keys.getLowerBound(), end = tile.keys.getUpperBound();
  builder.setInsertionPointToStart(tile.walk.getBody());
  WholeOrPart item;
  Value ofCut = cut.whole
                    ? Value(arith::SubIOp::create(builder, loc, number, whole))
                    : number;
  item.cutTile = arith::DivUIOp::create(builder, loc, ofCut, parts);
  item.part = arith::RemUIOp::create(builder, loc, ofCut, parts);
  item.tile = item.cutTile;
  item.firstKey = arith::MulIOp::create(builder, loc, item.part, keysOfPart);
  item.endKey = arith::AddIOp::create(builder, loc, item.firstKey, keysOfPart);
  item.endKey = arith::MinUIOp::create(builder, loc, item.endKey, end);
  if (cut.whole) {
    item.isWhole = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, number, whole);
    auto choose = [&](Value ofWhole, Value ofPart) -> Value {
      return arith::SelectOp::create(builder, loc, item.isWhole, ofWhole,
                                     ofPart);
    };
    item.tile = choose(
        number, arith::AddIOp::create(builder, loc, item.cutTile, whole));
    item.firstKey = choose(first, item.firstKey);
    item.endKey = choose(end, item.endKey);
  }
  number.replaceUsesWithIf(item.tile, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user != ofCut.getDefiningOp() && user != item.tile.getDefiningOp() &&
           user != item.cutTile.getDefiningOp() &&
           user != item.part.getDefiningOp() &&
           (!item.isWhole || user != item.isWhole.getDefiningOp());
  });
  return item;
}

void CutWalkBuilder::storeState(const WholeOrPart &item, ValueRange memory) {
  Value zero = constant(0);
  for (auto [state, place] : llvm::zip_equal(tile.last.all(), memory)) {
    SmallVector<Value> offsets{item.cutTile, item.part, zero};
    SmallVector<int64_t> dims{2};
    bool isValues = cast<MemRefType>(place.getType()).getRank() == 4;
    if (isValues) {
      offsets.push_back(zero);
      dims.push_back(3);
    }
    StoreOp::create(builder, loc, state, place, offsets,
                    /*valid=*/ValueRange(), /*slide=*/Value(), dims,
                    isValues ? 16 : 0);
  }
}

void CutWalkBuilder::rewrite(TypeRange states) {
  KernelOp kernel = tile.kernel;
  SmallVector<Value> memory;
  for (Type type : states)
    memory.push_back(kernel.appendArgument(type));
  WholeOrPart item = numberItem();
  tile.cutKeys(item.firstKey, item.endKey);
  builder.setInsertionPoint(tile.walk.getBody()->getTerminator());
  if (!item.isWhole) {
    for (Operation *op : llvm::reverse(tile.finish))
      op->erase();
    return storeState(item, memory);
  }
  auto branch =
      scf::IfOp::create(builder, loc, item.isWhole, /*withElseRegion=*/true);
  for (Operation *op : tile.finish)
    op->moveBefore(branch.thenYield());
  builder.setInsertionPoint(branch.elseYield());
  storeState(item, memory);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct SplitLastWavePass : impl::SplitLastWavePassBase<SplitLastWavePass> {
  using SplitLastWavePassBase::SplitLastWavePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"blocks", blocks}, {"parts", parts}});
  }

  void runOnOperation() override {
    if (blocks == 0)
      return;
    for (auto [kernel, launch] : WaveTile::findWalks(getOperation()))
      split(kernel, launch);
  }

private:
  void split(KernelOp kernel, LaunchOp launch);
  /// The best way to cut the last tiles, if it is one that pays.
  std::optional<WaveCut> choose(const WaveTile &tile);
};
} // namespace

std::optional<WaveCut> SplitLastWavePass::choose(const WaveTile &tile) {
  const int64_t cutTiles = tile.count % blocks, whole = tile.count - cutTiles;
  if (parts != 0)
    return cutInto(parts, tile, whole, cutTiles);
  // The least share of the rounds of the whole walk that is worth it.
  constexpr double leastSaving = 0.015;
  double limit =
      tile.rounds - leastSaving * tile.rounds *
                        llvm::divideCeilSigned(tile.count, int64_t(blocks));
  std::optional<WaveCut> best;
  for (int64_t number = 2; number <= tile.rounds; ++number) {
    std::optional<WaveCut> cut = cutInto(number, tile, whole, cutTiles);
    if (!cut || costOf(tile, *cut, blocks) >= limit)
      continue;
    limit = costOf(tile, *cut, blocks);
    best = cut;
  }
  return best;
}

void SplitLastWavePass::split(KernelOp kernel, LaunchOp launch) {
  Location loc = kernel.getLoc();
  auto options =
      remark::RemarkOpts::name("LastWave").category("smx-gpu-split-last-wave");
  StringRef reason;
  std::optional<WaveTile> tile = WaveTile::match(kernel, launch, reason);
  if (tile && tile->count % blocks == 0)
    reason = "every wave is a whole one";
  std::optional<WaveCut> cut;
  if (reason.empty()) {
    cut = choose(*tile);
    if (!cut)
      reason = "its parts and their merge would not save enough";
  }
  if (!cut) {
    remark::missed(loc, options)
        << ("the last wave stays whole: " + reason).str();
    return;
  }
  WaveMerge merge = *WaveMerge::of(*tile, *cut);
  OpBuilder host(launch);
  SmallVector<Value> memory;
  for (MemRefType type : {merge.getMemoryOfRows(), merge.getMemoryOfRows(),
                          merge.getMemoryOfValues()})
    memory.push_back(memref::AllocOp::create(host, loc, type));
  merge.build(launch, memory);
  CutWalkBuilder(*tile, *cut).rewrite(ValueRange(memory).getTypes());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(host, loc, value);
  };
  launch.getArgumentsMutable()[tile->tilesArgument].assign(
      constant(cut->getItems()));
  launch.getGridXMutable().assign(
      constant(std::min<int64_t>(blocks, cut->getItems())));
  launch.getArgumentsMutable().append(memory);
  remark::passed(loc, options)
      << "the last tiles of the walk are cut along the keys, and merged"
      << remark::metric("tiles", cut->tiles)
      << remark::metric("parts", cut->parts)
      << remark::metric("rounds", cut->rounds);
}

} // namespace mlir::smx::gpu
