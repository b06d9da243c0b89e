//===- DrawTilesPass.cpp - tiles for whichever block is ready -------------===//
//
// Blocks that walk over tiles have every so-manyth of them. Where data say how
// many rounds a tile takes, some blocks have long tiles by chance, and the
// others wait: tiles of packed documents take 1.3 to 1.4 times what they would
// if all blocks ended at once. So may those of a mask that is known, such as
// chunks. So blocks draw the next tile when they have fetched the last one.
//
//   for t = block; t < tiles; t += blocks     round(t)
//   t = block; while t < tiles                round(t);  t = blocks + draw
//
//===----------------------------------------------------------------------===//

#include "ClearedCounts.h"
#include "Indices.h"
#include "NumberSweep.h"
#include "SharedOperands.h"

#include "smx/GPU/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_DRAWTILESPASS
#include "smx/GPU/Passes.h.inc"

/// Numbers on their way: the next one is drawn while a tile is computed.
constexpr int64_t depthOfNumbers = 2;
/// Bytes of shared memory for a number: tiles are that far apart.
constexpr int64_t bytesOfNumber = 1024;

namespace {
/// A kernel whose roles all walk over the same tiles.
struct RoleWalks {
  KernelOp kernel;
  LaunchOp launch;
  /// The role that fetches, and the others, with their loops.
  RoleOp fetch;
  scf::ForOp fetchLoop;
  SmallVector<std::pair<RoleOp, scf::ForOp>> others;

  static std::optional<RoleWalks> match(KernelOp kernel, LaunchOp launch);
  /// Tiles and blocks on the host; none if that is open.
  std::optional<int64_t> countTiles();
  std::optional<int64_t> countBlocks() {
    return getConstantIntValue(launch.getGridX());
  }
  /// True if it is known that no block has a second tile.
  bool haveOneTileEach();
  /// True if data say how many rounds tiles have, or if it is known that blocks
  /// that have every so-manyth one end apart.
  bool areUneven();
  void rewrite();
};
} // namespace

/// The loop of a role over tiles from the block's number on, or null.
static scf::ForOp walkOf(RoleOp role) {
  using ::mlir::gpu::Dimension;
  auto loops = llvm::to_vector(role.getBody().getOps<scf::ForOp>());
  if (loops.size() != 1)
    return {};
  auto first = loops[0].getLowerBound().getDefiningOp<::mlir::gpu::BlockIdOp>();
  auto stride = loops[0].getStep().getDefiningOp<::mlir::gpu::GridDimOp>();
  if (!first || !stride || first.getDimension() != Dimension::x ||
      stride.getDimension() != Dimension::x)
    return {};
  // A tile that looks at the next one would look at another one.
  bool looksAhead = llvm::any_of(stride->getUsers(), [&](Operation *user) {
    return loops[0]->isProperAncestor(user);
  });
  return looksAhead ? scf::ForOp() : loops[0];
}

/// True if something in memory says how many rounds a loop in a tile has.
static bool dependsOnData(scf::ForOp walk) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return walk->isProperAncestor(op); };
  auto isOfData = [&](Value bound) {
    llvm::SetVector<Operation *> slice;
    return succeeded(getBackwardSlice(bound, &slice, options)) &&
           llvm::any_of(slice, llvm::IsaPred<memref::LoadOp>);
  };
  return walk.getBody()
      ->walk([&](scf::ForOp loop) {
        return isOfData(loop.getLowerBound()) || isOfData(loop.getUpperBound())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<RoleWalks> RoleWalks::match(KernelOp kernel, LaunchOp launch) {
  RoleWalks found{kernel, launch, {}, {}, {}};
  auto specialize = kernel.getBody().getOps<WarpSpecializeOp>();
  if (specialize.empty() || kernel.getCluster() != 1)
    return std::nullopt;
  for (RoleOp role : (*specialize.begin()).getBody().getOps<RoleOp>()) {
    scf::ForOp walk = walkOf(role);
    if (!walk)
      return std::nullopt;
    bool puts = role.walk([](PutOp) { return WalkResult::interrupt(); })
                    .wasInterrupted();
    if (!puts) {
      found.others.emplace_back(role, walk);
    } else if (found.fetch) {
      return std::nullopt;
    } else {
      found.fetch = role;
      found.fetchLoop = walk;
    }
  }
  // A channel has one role that gets from it.
  if (!found.fetch || found.others.size() != 1)
    return std::nullopt;
  return found;
}

std::optional<int64_t> RoleWalks::countTiles() {
  auto ofRole = dyn_cast<BlockArgument>(fetchLoop.getUpperBound());
  auto ofKernel =
      ofRole
          ? dyn_cast<BlockArgument>(fetch.getCaptures()[ofRole.getArgNumber()])
          : BlockArgument();
  return ofKernel ? getConstantIntValue(
                        launch.getArguments()[ofKernel.getArgNumber()])
                  : std::nullopt;
}

bool RoleWalks::haveOneTileEach() {
  std::optional<int64_t> tiles = countTiles(), blocks = countBlocks();
  return tiles && blocks && *tiles <= *blocks;
}

/// Tiles of a row, if nothing but the place in it, number % tiles, decides the
/// bounds.
static std::optional<int64_t> countTilesOfRow(scf::ForOp walk,
                                              ArrayRef<Value> bounds) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return walk->isProperAncestor(op); };
  llvm::SetVector<Operation *> slice;
  for (Value bound : bounds)
    if (failed(getBackwardSlice(bound, &slice, options)))
      return std::nullopt;
  std::optional<int64_t> count;
  for (Operation *op : slice) {
    if (!llvm::is_contained(op->getOperands(), walk.getInductionVar()))
      continue;
    auto place = dyn_cast<arith::RemUIOp>(op);
    std::optional<int64_t> tiles =
        place ? getConstantIntValue(place.getRhs()) : std::nullopt;
    if (!tiles || (count && count != tiles))
      return std::nullopt;
    count = tiles;
  }
  return count;
}

/// Rounds of the tiles of a row of tiles, in order; none if they follow from
/// anything but the place in it.
static SmallVector<int64_t> roundsOfTiles(scf::ForOp walk) {
  SmallVector<Value> bounds;
  SmallVector<int64_t> steps;
  for (auto loop : walk.getBody()->getOps<scf::ForOp>()) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!step || !loop.getBody()->getOps<scf::ForOp>().empty())
      return {};
    steps.push_back(*step);
    llvm::append_values(bounds, loop.getLowerBound(), loop.getUpperBound());
  }
  std::optional<int64_t> tiles = countTilesOfRow(walk, bounds);
  std::optional<NumberSweep> sweep =
      tiles ? NumberSweep::of(bounds) : std::nullopt;
  SmallVector<int64_t> rounds;
  if (sweep)
    sweep->forAll([&](ArrayRef<int64_t> values) {
      int64_t sum = 0;
      for (auto [i, step] : llvm::enumerate(steps))
        if (values[2 * i] < values[2 * i + 1])
          sum += llvm::divideCeil(values[2 * i + 1] - values[2 * i], step);
      rounds.push_back(sum);
      return true;
    });
  return static_cast<int64_t>(rounds.size()) == tiles ? rounds
                                                      : SmallVector<int64_t>();
}

bool RoleWalks::areUneven() {
  if (dependsOnData(fetchLoop))
    return true;
  // What the beginning and the end of a tile take, in rounds; and what drawing
  // is to gain, as it takes a launch more.
  constexpr int64_t besidesRounds = 2;
  constexpr double leastGain = 1.1;
  std::optional<int64_t> tiles = countTiles(), blocks = countBlocks();
  SmallVector<int64_t> rounds = roundsOfTiles(fetchLoop);
  const auto ofRow = static_cast<int64_t>(rounds.size());
  if (!tiles || !blocks || ofRow < 2 || *tiles % ofRow != 0)
    return false;
  SmallVector<int64_t> ofBlocks(*blocks, 0);
  for (int64_t tile = 0; tile < *tiles; ++tile)
    ofBlocks[tile % *blocks] += rounds[tile % ofRow] + besidesRounds;
  const int64_t all =
      std::accumulate(ofBlocks.begin(), ofBlocks.end(), int64_t(0));
  return *llvm::max_element(ofBlocks) * *blocks >
         leastGain * static_cast<double>(all);
}

/// The loop goes on with `blocks` and what `draw` gives, as long as that is a
/// tile.
static void drawTiles(scf::ForOp loop, function_ref<Value(Indices &)> draw) {
  Indices b(loop.getLoc(), loop);
  Value tiles = loop.getUpperBound(), blocks = loop.getStep();
  SmallVector<Value> begin{loop.getLowerBound()};
  llvm::append_range(begin, loop.getInitArgs());
  auto before = [&](OpBuilder &builder, Location loc, ValueRange values) {
    Value isTile = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, values.front(), tiles);
    scf::ConditionOp::create(builder, loc, isTile, values);
  };
  auto drawn =
      scf::WhileOp::create(b, ValueRange(begin).getTypes(), begin, before,
                           [&](OpBuilder &, Location, ValueRange) {});
  Block *round = drawn.getAfterBody();
  b.setInsertionPointToStart(round);
  // The condition is not seen by an analysis of ranges.
  SmallVector<Value> values(round->getArguments());
  values.front() =
      arith::MinSIOp::create(b, values.front(), b.minus(tiles, b.number(1)));
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  SmallVector<Value> yielded(yield.getOperands());
  for (auto [argument, value] :
       llvm::zip_equal(loop.getBody()->getArguments(), values)) {
    argument.replaceAllUsesWith(value);
    llvm::replace(yielded, Value(argument), value);
  }
  yield.erase();
  round->getOperations().splice(round->end(), loop.getBody()->getOperations());
  b.setInsertionPointToEnd(round);
  yielded.insert(yielded.begin(), b.plus(blocks, draw(b)));
  scf::YieldOp::create(b, yielded);
  loop.replaceAllUsesWith(drawn.getResults().drop_front());
  loop.erase();
}

void RoleWalks::rewrite() {
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  Type i32 = IntegerType::get(context, 32);
  auto memory = MemRefType::get({1}, i32);
  auto numbers =
      ChannelType::get(context, {1, 1}, i32, /*swizzle=*/0, depthOfNumbers);
  Indices host(loc, launch);
  Value count = memref::AllocOp::create(host, memory);
  clearCounts(launch, kernel, count);
  launch.getArgumentsMutable().append(count);
  Value countOfKernel = kernel.getBody().addArgument(memory, loc);
  kernel.setFunctionType(
      host.getFunctionType(kernel.getBody().front().getArgumentTypes(), {}));
  OpBuilder builder(fetch->getParentOp());
  Value channel = MakeChannelOp::create(builder, loc, numbers);
  auto capture = [&](RoleOp role, Value value) -> Value {
    role.getCapturesMutable().append(value);
    return role.getBody().addArgument(value.getType(), loc);
  };
  Value counts = capture(fetch, countOfKernel),
        filled = capture(fetch, channel);
  drawTiles(fetchLoop, [&](Indices &b) -> Value {
    return DrawOp::create(b, counts, b.number(0), filled);
  });
  for (auto [role, loop] : others) {
    Value read = capture(role, channel);
    drawTiles(loop, [&](Indices &b) -> Value {
      Value tile = GetOp::create(b, numbers.getStageType(), read);
      Value number = NumberInOp::create(b, tile);
      ReleaseOp::create(b, read);
      return number;
    });
  }
}

namespace {
struct DrawTilesPass : impl::DrawTilesPassBase<DrawTilesPass> {
  using DrawTilesPassBase::DrawTilesPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::MapVector<KernelOp, SmallVector<LaunchOp>> launches;
    getOperation().walk([&](LaunchOp launch) {
      if (auto kernel = symbols.lookup<KernelOp>(launch.getKernel()))
        launches[kernel].push_back(launch);
    });
    for (auto &[kernel, starts] : launches) {
      std::optional<RoleWalks> walks =
          starts.size() == 1 ? RoleWalks::match(kernel, starts.front())
                             : std::nullopt;
      if (!walks || walks->haveOneTileEach() || !walks->areUneven())
        continue;
      auto options =
          remark::RemarkOpts::name("DrawnTiles").category("smx-gpu-draw-tiles");
      const int64_t left = int64_t(kernel.getSharedLimit()) -
                           sharedOperandReserve - kernel.getSharedBytes();
      if (left < depthOfNumbers * bytesOfNumber) {
        remark::missed(kernel.getLoc(), options)
            << "shared memory has no room for the numbers of tiles"
            << remark::metric("left", left);
        continue;
      }
      walks->rewrite();
      remark::passed(kernel.getLoc(), options)
          << "blocks draw their tiles, which have different numbers of rounds";
    }
  }
};
} // namespace

} // namespace mlir::smx::gpu
