//===- DrawTilesPass.cpp - tiles for whichever block is ready -------------===//
//
// Block b of n that walk over tiles has tiles b, b + n, .. Where data say how
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
#include "SharedOperands.h"
#include "UnevenTiles.h"

#include "smx/GPU/Launches.h"
#include "smx/GPU/Passes.h"
#include "smx/GPU/SharedMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_DRAWTILESPASS
#include "smx/GPU/Passes.h.inc"

/// Numbers on their way: the next one is drawn while a tile is computed.
constexpr int64_t depthOfNumbers = 2;

namespace {
/// A kernel with a role that fetches and one that computes, which walk over the
/// same tiles.
struct RoleWalks {
  KernelOp kernel;
  LaunchOp launch;
  RoleOp fetch, compute;
  scf::ForOp fetchWalk, computeWalk;

  static std::optional<RoleWalks> match(KernelOp kernel, LaunchOp launch);
  /// True if blocks have several tiles, or may have, and would end apart.
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

std::optional<RoleWalks> RoleWalks::match(KernelOp kernel, LaunchOp launch) {
  RoleWalks found{kernel, launch, {}, {}, {}, {}};
  auto specialize = kernel.getBody().getOps<WarpSpecializeOp>();
  if (specialize.empty() || kernel.getCluster() != 1)
    return std::nullopt;
  for (RoleOp role : (*specialize.begin()).getBody().getOps<RoleOp>()) {
    scf::ForOp walk = walkOf(role);
    const bool puts = role.walk([](PutOp) { return WalkResult::interrupt(); })
                          .wasInterrupted();
    RoleOp &same = puts ? found.fetch : found.compute;
    // A channel has one role that puts, and one that gets.
    if (!walk || same)
      return std::nullopt;
    same = role;
    (puts ? found.fetchWalk : found.computeWalk) = walk;
  }
  return found.fetch && found.compute ? std::optional(found) : std::nullopt;
}

bool RoleWalks::areUneven() {
  std::optional<int64_t> tiles, blocks = getConstantIntValue(launch.getGridX());
  if (Value count = valueOfLaunch(launch, fetchWalk.getUpperBound()))
    tiles = getConstantIntValue(count);
  return !(tiles && blocks && *tiles <= *blocks) &&
         areTilesUneven(fetchWalk, tiles, blocks);
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
  Value countOfKernel = kernel.appendArgument(memory);
  OpBuilder builder(fetch->getParentOp());
  Value channel = MakeChannelOp::create(builder, loc, numbers);
  Value counts = fetch.capture(countOfKernel), drawn = fetch.capture(channel),
        got = compute.capture(channel);
  drawTiles(fetchWalk, [&](Indices &b) -> Value {
    return DrawOp::create(b, counts, b.number(0), drawn);
  });
  drawTiles(computeWalk, [&](Indices &b) -> Value {
    Value tile = GetOp::create(b, numbers.getStageType(), got);
    Value number = NumberInOp::create(b, tile);
    ReleaseOp::create(b, got);
    return number;
  });
}

namespace {
struct DrawTilesPass : impl::DrawTilesPassBase<DrawTilesPass> {
  using DrawTilesPassBase::DrawTilesPassBase;

  void runOnOperation() override {
    for (auto &[kernel, starts] : launchesIn(getOperation())) {
      std::optional<RoleWalks> walks =
          starts.size() == 1 ? RoleWalks::match(kernel, starts.front())
                             : std::nullopt;
      if (!walks || !walks->areUneven())
        continue;
      auto options =
          remark::RemarkOpts::name("DrawnTiles").category("smx-gpu-draw-tiles");
      const int64_t left = int64_t(kernel.getSharedLimit()) -
                           sharedOperandReserve - kernel.getSharedBytes();
      if (left < depthOfNumbers * sharedTileAlignment) {
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
