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

#include "CarriedValue.h"
#include "ChannelDepth.h"
#include "ComputeLoop.h"
#include "NumberSweep.h"

#include "smx/GPU/Captures.h"
#include "smx/GPU/Launches.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_NEXTTILEPASS
#include "smx/GPU/Passes.h.inc"

namespace {
/// What fetches: the head is copies of the first operand and of the first keys.
struct FetchLoop : TileWalk {
  static std::optional<FetchLoop> match(RoleOp role);
  /// True if every tile has a round, and all of them at most `most` on average.
  bool haveRounds(int64_t most);
  void cloneHead(OpBuilder &builder, const Place &place);
  /// Clones a copy of a round, and what it is computed from there.
  void clonePut(OpBuilder &builder, PutOp put, IRMapping mapping,
                Value counter);
  void rewrite();

  scf::ForOp round;
  /// In the order of a round.
  PutOp keys, values;
};
} // namespace

//===----------------------------------------------------------------------===//
// Fetching
//===----------------------------------------------------------------------===//

std::optional<FetchLoop> FetchLoop::match(RoleOp role) {
  std::optional<TileWalk> walk = TileWalk::match(role);
  if (!walk || !walk->tail.empty() || walk->rounds.size() != 1)
    return std::nullopt;
  FetchLoop found{*walk, cast<scf::ForOp>(walk->rounds.front()), {}, {}};
  if (found.round.getNumRegionIterArgs())
    return std::nullopt;
  for (Operation &op : found.round.getBody()->without_terminator()) {
    auto put = dyn_cast<PutOp>(op);
    if (!put && isNumber(&op))
      continue;
    if (!put || found.values)
      return std::nullopt;
    (found.keys ? found.values : found.keys) = put;
  }
  if (!found.values || llvm::any_of(found.head, [](Operation *op) {
        return !isa<PutOp>(op) && !isNumber(op);
      }))
    return std::nullopt;
  return found;
}

bool FetchLoop::haveRounds(int64_t most) {
  std::optional<RoundCount> count = countRounds(
      round.getLowerBound(), round.getUpperBound(), round.getStep());
  return count && count->least > 0 && count->mean <= most;
}

void FetchLoop::clonePut(OpBuilder &builder, PutOp put, IRMapping mapping,
                         Value counter) {
  mapping.map(round.getInductionVar(), counter);
  for (Operation &op : round.getBody()->without_terminator())
    if (&op == put || isNumber(&op))
      builder.clone(op, mapping);
}

void FetchLoop::cloneHead(OpBuilder &builder, const Place &place) {
  IRMapping mapping;
  enter(builder, mapping, place);
  for (Operation *op : head)
    builder.clone(*op, mapping);
  clonePut(builder, keys, mapping,
           mapping.lookupOrDefault(round.getLowerBound()));
}

void FetchLoop::rewrite() {
  OpBuilder builder(loops.front());
  Location loc = round.getLoc();
  cloneHead(builder, first());
  rebuild(builder, {}, [&](IRMapping &mapping, ValueRange) {
    cloneNumbers(builder, mapping);
    Value from = mapping.lookupOrDefault(round.getLowerBound());
    clonePut(builder, values, mapping, from);
    Value second = arith::AddIOp::create(
        builder, loc, from, mapping.lookupOrDefault(round.getStep()));
    auto others = cast<scf::ForOp>(builder.clone(*round, mapping));
    others.setLowerBound(second);
    cloneHead(builder, next(builder, mapping));
    return SmallVector<Value>();
  });
  erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

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
static int64_t countTilesOfBlock(LaunchOp launch, Value tiles) {
  // Blocks of a walk whose tiles are dealt, or that leaves the short tiles of
  // a window for last, have one of two numbers.
  if (auto either = tiles.getDefiningOp<arith::SelectOp>()) {
    auto one = getConstantIntValue(either.getTrueValue()),
         other = getConstantIntValue(either.getFalseValue());
    return one && other ? std::min(*one, *other) : 0;
  }
  Value ofLaunch = valueOfLaunch(launch, tiles);
  auto count = ofLaunch ? getConstantIntValue(ofLaunch) : std::nullopt;
  auto blocks = getConstantIntValue(launch.getGridX());
  return count && blocks && *blocks > 0 ? *count / *blocks : 0;
}

namespace {
struct NextTilePass : impl::NextTilePassBase<NextTilePass> {
  using NextTilePassBase::NextTilePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"rounds", rounds},
                                  {"tiles", tiles},
                                  {"cut-rounds", cutRounds},
                                  {"cut-columns", cutColumns},
                                  {"ahead-rounds", aheadRounds}});
  }

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

/// Leaves of a branch what runs for every tile.
static void inlineCertainBranches(KernelOp kernel) {
  SmallVector<scf::IfOp> certain;
  kernel.walk([&](scf::IfOp branch) {
    if (!branch.elseBlock() || !isa<scf::ForOp>(branch->getParentOp()))
      return;
    std::optional<NumberSweep> condition =
        NumberSweep::of(branch.getCondition());
    if (condition && condition->forAll([](ArrayRef<int64_t> values) {
          return values[0] != 0;
        }))
      certain.push_back(branch);
  });
  IRRewriter rewriter(kernel.getContext());
  for (scf::IfOp branch : certain)
    takeThen(rewriter, branch);
}

void NextTilePass::chain(KernelOp kernel, LaunchOp launch) {
  inlineCertainBranches(kernel);
  std::optional<FetchLoop> fetch;
  std::optional<ComputeLoop> compute;
  kernel.walk([&](RoleOp role) {
    if (std::optional<FetchLoop> found = FetchLoop::match(role))
      fetch = found;
    else
      compute = ComputeLoop::match(role);
  });
  if (!fetch || !compute || !belongTogether(*fetch, *compute) ||
      countTilesOfBlock(launch, compute->loops.front().getUpperBound()) < tiles)
    return;
  bool isCut = compute->mayNeedTerms();
  bool runsUnder = fetch->haveRounds(isCut ? cutRounds : rounds) &&
                   (!isCut || compute->leavesRegisters(cutColumns));
  if (!runsUnder && !fetch->haveRounds(aheadRounds))
    return;
  constexpr llvm::StringLiteral category = "smx-gpu-next-tile";
  auto options = remark::RemarkOpts::name("NextTile").category(category);
  // The first operand of the next tile comes while this one's is in use; else
  // its product would wait for it, and the last one behind that. The keys of
  // the next tile wait for it, too: they are fetched behind it.
  if (!doubleStages(kernel, channelOf(compute->getRows.getChannel()))) {
    remark::missed(kernel.getLoc(), options)
        << "shared memory does not hold the rows of two tiles";
    return;
  }
  if (!runsUnder) {
    remark::passed(kernel.getLoc(), options)
        << "the rows of the next tile are fetched beside those of this one";
    return;
  }
  compute->rewrite();
  fetch->rewrite();
  remark::passed(kernel.getLoc(), options)
      << "the first product of a tile of rows runs under the last one of the "
         "tile before";
}

} // namespace mlir::smx::gpu
