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
#include "NumberSweep.h"
#include "TileWalk.h"

#include "smx/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

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

/// What computes.
struct ComputeLoop : TileWalk {
  static std::optional<ComputeLoop> match(RoleOp role);
  void rewrite();
  /// True if the sum of weights has at most so many columns, and not every
  /// round asks whether its tile is cut.
  bool leavesRegisters(int64_t columns) {
    return sum.getAcc().getType().getDimSize(1) <= columns &&
           llvm::count_if(rounds, llvm::IsaPred<scf::ForOp>) > 1;
  }

  MmaAsyncOp scores, sum;
  WaitOp scoresDone, sumDone;
  /// Adds the last product term by term instead, where its then side runs. May
  /// be null.
  scf::IfOp terms;
  GetOp getRows, getKeys;
  ReleaseOp releaseRows;
  /// What the rounds and the tail have of the head, but for numbers.
  llvm::SetVector<Value> carried;

private:
  bool matchSum();
  /// Where the last product stands.
  Operation *placeOfSum() { return terms ? terms : sum.getOperation(); }
  template <typename Between>
  SmallVector<Value> cloneHead(OpBuilder &builder, const Place &place,
                               Between between);
  void finishSum(OpBuilder &builder, IRMapping &mapping);
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

bool ComputeLoop::matchSum() {
  sum = onlyOf<MmaAsyncOp>(tail);
  sumDone = onlyOf<WaitOp>(tail);
  auto isOfTerms = [](Operation &op) {
    return isMemoryEffectFree(&op) || isa<MmaOp>(op);
  };
  for (Operation *op : tail) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || !branch.elseBlock() || sum)
      continue;
    auto product = dyn_cast<MmaAsyncOp>(branch.elseBlock()->front());
    auto done =
        dyn_cast_or_null<WaitOp>(product ? product->getNextNode() : nullptr);
    if (!done || done.getTile() != product.getResult() ||
        !isa<scf::YieldOp>(done->getNextNode()) ||
        branch.getNumResults() != 1 ||
        branch.elseYield().getOperand(0) != done.getResult() ||
        !llvm::all_of(*branch.thenBlock(), isOfTerms))
      continue;
    sum = product;
    sumDone = done;
    terms = branch;
  }
  return sum && sumDone && !sum.getUnless() && sumDone.getPending() == 0;
}

std::optional<ComputeLoop> ComputeLoop::match(RoleOp role) {
  std::optional<TileWalk> walk = TileWalk::match(role);
  if (!walk)
    return std::nullopt;
  ComputeLoop found;
  static_cast<TileWalk &>(found) = *walk;
  found.scores = onlyOf<MmaAsyncOp>(found.head);
  found.scoresDone = onlyOf<WaitOp>(found.head);
  if (!found.scores || !found.scoresDone || !found.matchSum())
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
  if (!found.releaseRows ||
      !found.releaseRows->isBeforeInBlock(found.placeOfSum()))
    return std::nullopt;
  for (Operation *op : found.head)
    for (Value result : op->getResults())
      if (!isNumber(op))
        for (Operation *user : result.getUsers())
          if (!found.isOfHead(user))
            found.carried.insert(result);
  return found;
}

/// Clones the head for the tile at `place` and returns what is carried of it;
/// `between` is called with its product, and with the wait for that.
template <typename Between>
SmallVector<Value> ComputeLoop::cloneHead(OpBuilder &builder,
                                          const Place &place, Between between) {
  IRMapping mapping;
  enter(builder, mapping, place);
  for (Operation *op : head) {
    Operation *copy = builder.clone(*op, mapping);
    if (op == scores || op == scoresDone)
      between(copy);
  }
  return llvm::map_to_vector(
      carried, [&](Value value) { return mapping.lookup(value); });
}

void ComputeLoop::finishSum(OpBuilder &builder, IRMapping &mapping) {
  Value done = builder.clone(*sumDone, mapping)->getResult(0);
  IRMapping ofTerms = mapping;
  ofTerms.map(sum.getAcc(), done);
  auto branch = scf::IfOp::create(
      builder, terms.getLoc(), terms.getResultTypes(),
      mapping.lookupOrDefault(terms.getCondition()), /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (Operation &op : *terms.thenBlock())
      builder.clone(op, ofTerms);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, terms.getLoc(), done);
  }
  mapping.map(terms.getResults(), branch.getResults());
}

void ComputeLoop::rewrite() {
  OpBuilder builder(loops.front());
  SmallVector<Value> state = cloneHead(builder, first(), [](Operation *) {});
  auto walk = [&](IRMapping &mapping, ValueRange arguments) {
    for (auto [value, argument] : llvm::zip(carried, arguments))
      mapping.map(value, argument);
    cloneNumbers(builder, mapping);
    for (Operation *op : rounds)
      builder.clone(*op, mapping);
    auto last = llvm::find(tail, placeOfSum());
    for (Operation *op : llvm::make_range(tail.begin(), last))
      builder.clone(*op, mapping);
    // Products end in the order in which they are issued.
    SmallVector<Value> following =
        cloneHead(builder, next(builder, mapping), [&](Operation *copy) {
          if (auto wait = dyn_cast<WaitOp>(copy))
            return wait.setPending(1);
          auto product = cast<MmaAsyncOp>(builder.clone(*sum, mapping));
          if (terms)
            product.getUnlessMutable().assign(
                mapping.lookupOrDefault(terms.getCondition()));
        });
    if (terms)
      finishSum(builder, mapping);
    for (Operation *op : llvm::make_range(std::next(last), tail.end()))
      builder.clone(*op, mapping);
    return following;
  };
  rebuild(builder, state, walk);
  builder.clone(*releaseRows);
  erase();
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
  for (scf::IfOp branch : certain) {
    scf::YieldOp yield = branch.thenYield();
    SmallVector<Value> results(yield.getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(branch.thenBlock(), branch);
    rewriter.replaceOp(branch, results);
  }
}

void NextTilePass::chain(KernelOp kernel, LaunchOp launch) {
  inlineCertainBranches(kernel);
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
      !fetch->haveRounds(compute->terms ? cutRounds : rounds) ||
      (compute->terms && !compute->leavesRegisters(cutColumns)) ||
      countTilesOfBlock(launch, computing,
                        compute->loops.front().getUpperBound()) < tiles)
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
