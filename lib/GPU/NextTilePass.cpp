//===- NextTilePass.cpp - scores of the next tile under this one's end ----===//
//
// A loop over tiles of rows has a head (its first product, and weights), rounds
// that a loop of their own runs, and a tail (the last product, and the result):
//
//   for t { head(t); rounds(t); tail(t) }
//   head(first); for t { rounds(t); tail(t) with head(next(t)) in it }
//
// After the last tile the head is once more that of this tile, whose weights
// nothing reads: so both roles go without a condition.
//
//===----------------------------------------------------------------------===//

#include "ChannelDepth.h"

#include "smx/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_NEXTTILEPASS
#include "smx/GPU/Passes.h.inc"

namespace {
/// The loop over tiles of a role, and its parts.
struct TileLoop {
  static std::optional<TileLoop> match(RoleOp role);

  /// Clones what is computed from the number of the tile alone.
  void cloneNumbers(OpBuilder &builder, IRMapping &mapping);
  /// The tile after `tile`, or this one again after the last.
  Value next(OpBuilder &builder, Value tile);

  scf::ForOp tiles, rounds;
  SmallVector<Operation *> head, tail;
};

/// What fetches: the head is copies of the first operand and of the first keys.
struct FetchLoop : TileLoop {
  static std::optional<FetchLoop> match(RoleOp role);
  /// Rounds of every tile.
  int64_t countRounds();
  void cloneHead(OpBuilder &builder, Value tile, Value first);
  void rewrite();

  /// In the order of a round.
  PutOp keys, values;
};

/// What computes.
struct ComputeLoop : TileLoop {
  static std::optional<ComputeLoop> match(RoleOp role);
  void rewrite();

  MmaAsyncOp scores, sum;
  WaitOp scoresDone, sumDone;
  GetOp getRows, getKeys;
  ReleaseOp releaseRows;
  /// What the rounds and the tail have of the head, but for numbers.
  llvm::SetVector<Value> carried;

private:
  template <typename Between>
  SmallVector<Value> cloneHead(OpBuilder &builder, Value tile, Between between);
};
} // namespace

static bool isNumber(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::none_of(op->getResultTypes(),
                       [](Type type) { return isa<RankedTensorType>(type); });
}

std::optional<TileLoop> TileLoop::match(RoleOp role) {
  auto loops = llvm::to_vector(role.getBody().getOps<scf::ForOp>());
  if (loops.size() != 1 || loops[0].getNumRegionIterArgs())
    return std::nullopt;
  TileLoop found;
  found.tiles = loops[0];
  for (Operation &op : found.tiles.getBody()->without_terminator()) {
    auto inner = dyn_cast<scf::ForOp>(op);
    if (inner && !found.rounds)
      found.rounds = inner;
    else if (op.getNumRegions())
      return std::nullopt;
    else
      (found.rounds ? found.tail : found.head).push_back(&op);
  }
  if (!found.rounds)
    return std::nullopt;
  return found;
}

void TileLoop::cloneNumbers(OpBuilder &builder, IRMapping &mapping) {
  for (Operation *op : head)
    if (isNumber(op))
      builder.clone(*op, mapping);
}

Value TileLoop::next(OpBuilder &builder, Value tile) {
  Location loc = tiles.getLoc();
  Value after = arith::AddIOp::create(builder, loc, tile, tiles.getStep());
  Value isTile = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       after, tiles.getUpperBound());
  return arith::SelectOp::create(builder, loc, isTile, after, tile);
}

//===----------------------------------------------------------------------===//
// Fetching
//===----------------------------------------------------------------------===//

std::optional<FetchLoop> FetchLoop::match(RoleOp role) {
  std::optional<TileLoop> loop = TileLoop::match(role);
  if (!loop || !loop->tail.empty() || loop->rounds.getNumRegionIterArgs())
    return std::nullopt;
  FetchLoop found{*loop, {}, {}};
  for (Operation &op : found.rounds.getBody()->without_terminator()) {
    auto put = dyn_cast<PutOp>(op);
    if (!put)
      return std::nullopt;
    if (found.values)
      return std::nullopt;
    (found.keys ? found.values : found.keys) = put;
  }
  if (!found.values || llvm::any_of(found.head, [](Operation *op) {
        return !isa<PutOp>(op) && !isNumber(op);
      }))
    return std::nullopt;
  if (found.countRounds() < 1)
    return std::nullopt;
  return found;
}

int64_t FetchLoop::countRounds() {
  std::optional<APInt> count = rounds.getStaticTripCount();
  return count ? count->getSExtValue() : 0;
}

void FetchLoop::cloneHead(OpBuilder &builder, Value tile, Value first) {
  IRMapping mapping;
  mapping.map(tiles.getInductionVar(), tile);
  for (Operation *op : head)
    builder.clone(*op, mapping);
  mapping.map(rounds.getInductionVar(), first);
  builder.clone(*keys, mapping);
}

void FetchLoop::rewrite() {
  OpBuilder builder(tiles);
  Location loc = tiles.getLoc();
  Value first = arith::ConstantIndexOp::create(
      builder, loc, *getConstantIntValue(rounds.getLowerBound()));
  cloneHead(builder, tiles.getLowerBound(), first);
  auto loop = scf::ForOp::create(builder, loc, tiles.getLowerBound(),
                                 tiles.getUpperBound(), tiles.getStep());
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping mapping;
  mapping.map(tiles.getInductionVar(), loop.getInductionVar());
  cloneNumbers(builder, mapping);
  IRMapping ofFirst = mapping;
  ofFirst.map(rounds.getInductionVar(), first);
  builder.clone(*values, ofFirst);
  Value second = arith::AddIOp::create(
      builder, loc, first, mapping.lookupOrDefault(rounds.getStep()));
  auto others = cast<scf::ForOp>(builder.clone(*rounds, mapping));
  others.setLowerBound(second);
  cloneHead(builder, next(builder, loop.getInductionVar()), first);
  tiles.erase();
}

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

/// The one op of a kind, or null.
template <typename OpTy>
static OpTy onlyOf(ArrayRef<Operation *> ops) {
  OpTy found;
  for (Operation *op : ops)
    if (auto candidate = dyn_cast<OpTy>(op)) {
      if (found)
        return {};
      found = candidate;
    }
  return found;
}

std::optional<ComputeLoop> ComputeLoop::match(RoleOp role) {
  std::optional<TileLoop> loop = TileLoop::match(role);
  if (!loop)
    return std::nullopt;
  ComputeLoop found;
  static_cast<TileLoop &>(found) = *loop;
  found.scores = onlyOf<MmaAsyncOp>(found.head);
  found.scoresDone = onlyOf<WaitOp>(found.head);
  found.sum = onlyOf<MmaAsyncOp>(found.tail);
  found.sumDone = onlyOf<WaitOp>(found.tail);
  if (!found.scores || !found.scoresDone || !found.sum || !found.sumDone)
    return std::nullopt;
  found.getRows = found.scores.getA().getDefiningOp<GetOp>();
  found.getKeys = found.scores.getB().getDefiningOp<GetOp>();
  if (!found.getRows || !found.getKeys)
    return std::nullopt;
  // What scores have from memory takes registers beside the last product's.
  if (llvm::any_of(found.head, [](Operation *op) {
        return !isMemoryEffectFree(op) &&
               !isa<GetOp, ReleaseOp, TakeTurnOp, PassTurnOp, MmaAsyncOp,
                    WaitOp>(op);
      }))
    return std::nullopt;
  for (Operation *op : found.tail)
    if (auto release = dyn_cast<ReleaseOp>(op))
      if (release.getChannel() == found.getRows.getChannel())
        found.releaseRows = release;
  if (!found.releaseRows || !found.releaseRows->isBeforeInBlock(found.sum))
    return std::nullopt;
  for (Operation *op : found.head)
    for (Value result : op->getResults())
      if (!isNumber(op))
        for (Operation *user : result.getUsers())
          if (!llvm::is_contained(found.head, user))
            found.carried.insert(result);
  return found;
}

/// Clones the head for `tile` and returns what is carried of it; `between` is
/// called with its product, and with the wait for that.
template <typename Between>
SmallVector<Value> ComputeLoop::cloneHead(OpBuilder &builder, Value tile,
                                          Between between) {
  IRMapping mapping;
  mapping.map(tiles.getInductionVar(), tile);
  for (Operation *op : head) {
    Operation *copy = builder.clone(*op, mapping);
    if (op == scores || op == scoresDone)
      between(copy);
  }
  return llvm::map_to_vector(
      carried, [&](Value value) { return mapping.lookup(value); });
}

void ComputeLoop::rewrite() {
  OpBuilder builder(tiles);
  Location loc = tiles.getLoc();
  SmallVector<Value> state =
      cloneHead(builder, tiles.getLowerBound(), [](Operation *) {});
  auto loop = scf::ForOp::create(builder, loc, tiles.getLowerBound(),
                                 tiles.getUpperBound(), tiles.getStep(), state);
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping mapping;
  mapping.map(tiles.getInductionVar(), loop.getInductionVar());
  for (auto [value, argument] : llvm::zip(carried, loop.getRegionIterArgs()))
    mapping.map(value, argument);
  cloneNumbers(builder, mapping);
  builder.clone(*rounds, mapping);
  auto last = llvm::find(tail, sum.getOperation());
  for (Operation *op : llvm::make_range(tail.begin(), last))
    builder.clone(*op, mapping);
  // Products end in the order in which they are issued.
  SmallVector<Value> following = cloneHead(
      builder, next(builder, loop.getInductionVar()), [&](Operation *copy) {
        if (auto wait = dyn_cast<WaitOp>(copy))
          wait.setPending(1);
        else
          builder.clone(*sum, mapping);
      });
  for (Operation *op : llvm::make_range(std::next(last), tail.end()))
    builder.clone(*op, mapping);
  scf::YieldOp::create(builder, loc, following);
  builder.setInsertionPointAfter(loop);
  builder.clone(*releaseRows);
  tiles.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The channel that a role has captured.
static MakeChannelOp channelOf(Value captured) {
  auto argument = cast<BlockArgument>(captured);
  auto role = cast<RoleOp>(argument.getOwner()->getParentOp());
  return role.getCaptures()[argument.getArgNumber()]
      .getDefiningOp<MakeChannelOp>();
}

/// True if one role fetches what the other one begins with.
static bool belongTogether(FetchLoop &fetch, ComputeLoop &compute) {
  MakeChannelOp rows = channelOf(compute.getRows.getChannel());
  return channelOf(fetch.keys.getChannel()) ==
             channelOf(compute.getKeys.getChannel()) &&
         llvm::all_of(fetch.head, [&](Operation *op) {
           auto put = dyn_cast<PutOp>(op);
           return !put || channelOf(put.getChannel()) == rows;
         });
}

/// Tiles that a block walks over at least, or 0 where that is not known.
static int64_t countTilesOfBlock(LaunchOp launch, RoleOp role, Value tiles) {
  auto captured = dyn_cast<BlockArgument>(tiles);
  if (!captured || captured.getOwner() != &role.getBody().front())
    return 0;
  auto argument =
      dyn_cast<BlockArgument>(role.getCaptures()[captured.getArgNumber()]);
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
    return 0;
  auto count =
      getConstantIntValue(launch.getArguments()[argument.getArgNumber()]);
  auto blocks = getConstantIntValue(launch.getGridX());
  return count && blocks && *blocks > 0 ? *count / *blocks : 0;
}

namespace {
struct NextTilePass : impl::NextTilePassBase<NextTilePass> {
  using NextTilePassBase::NextTilePassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    getOperation().walk([&](LaunchOp launch) {
      if (auto kernel = symbols.lookup<KernelOp>(launch.getKernel()))
        chain(kernel, launch);
    });
  }

  void chain(KernelOp kernel, LaunchOp launch);
};
} // namespace

void NextTilePass::chain(KernelOp kernel, LaunchOp launch) {
  std::optional<FetchLoop> fetch;
  std::optional<ComputeLoop> compute;
  RoleOp computing;
  kernel.walk([&](RoleOp role) {
    if (std::optional<FetchLoop> found = FetchLoop::match(role))
      fetch = found;
    else if ((compute = ComputeLoop::match(role)))
      computing = role;
  });
  if (!fetch || !compute || !belongTogether(*fetch, *compute) ||
      fetch->countRounds() > rounds ||
      countTilesOfBlock(launch, computing, compute->tiles.getUpperBound()) <
          tiles)
    return;
  constexpr llvm::StringLiteral category = "smx-gpu-next-tile";
  auto options = remark::RemarkOpts::name("NextTile").category(category);
  // The first operand of the next tile comes while this one's is in use; else
  // its product would wait for it, and the last one behind that.
  if (!doubleStages(kernel, channelOf(compute->getRows.getChannel()))) {
    remark::missed(kernel.getLoc(), options)
        << "shared memory does not hold the rows of two tiles";
    return;
  }
  compute->rewrite();
  fetch->rewrite();
  remark::passed(kernel.getLoc(), options)
      << "the first product of a tile of rows runs under the last one of the "
         "tile before";
}

} // namespace mlir::smx::gpu
