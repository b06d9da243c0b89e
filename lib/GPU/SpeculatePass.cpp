//===- SpeculatePass.cpp - weights before the maximum is known ------------===//

#include "ScoreArithmetic.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SPECULATEPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// Where a loop decides whether its reference moves, and what follows from it.
///
///   r' = m > r + slack ? n : r,   g = |r'| = inf ? 0 : r',
///   a = exp2(min(r - g, 0)),   p = exp2(s c - g),   l' = l a + sum p
///
/// n is m, or beyond it by what a reference that moves again leads.
/// c may be a choice of two numbers for each row: |g| > limit ? c1 : c2. Then
/// weights are computed by c2, and are no answer where |r| is above the limit.
class Decision {
public:
  static std::optional<Decision> match(scf::ForOp loop);
  void rewrite();

private:
  bool collect();
  Value boundOfSums(OpBuilder &builder);
  bool isForSums(Operation *op);
  /// The limit that decides if `op` is the choice of a factor, or null.
  Value limitOf(Operation *op);
  /// True in tiles whose sums are no answer.
  Value isNoAnswer(OpBuilder &builder, Value sums);
  /// Waits for the product that runs under the softmax when its scores are
  /// there: a thread that may compute weights twice has no registers for the
  /// operand of that product for longer. ptxas still starts on the scores
  /// between the two waits.
  void waitEarly();

  Block *body;
  /// r.
  BlockArgument carried;
  arith::SelectOp follow, guard;
  math::Exp2Op factor;
  RescaleOp rescale;
  /// The waits for what is rescaled, and for the scores.
  WaitOp sumDone, scoresDone;
  /// The sums of weights that show how large they are.
  PartialReduceOp sums;
  /// The limit of references by which factors are chosen, if they are.
  Value limit;
  double slack;
  /// What is computed from the reference, in order.
  llvm::SetVector<Operation *> dependent;
  /// What dependent ops have for others.
  SmallVector<Value> results;
};
} // namespace

/// Registers of a thread that the awaited product takes.
static int64_t registersOf(WaitOp wait) {
  return getRegisterCount(cast<RankedTensorType>(wait.getTile().getType()));
}

/// The use of `value` as the guard takes it: 0 where it is infinite.
static arith::SelectOp guardOf(Value value) {
  for (Operation *user : value.getUsers())
    if (auto guard = dyn_cast<arith::SelectOp>(user);
        guard && behindGuard(guard) == value)
      return guard;
  return {};
}

/// The wait for a product that is added term by term instead in some rounds.
static WaitOp waitOf(Value tile) {
  if (auto branch = tile.getDefiningOp<scf::IfOp>())
    tile =
        branch.elseYield().getOperand(cast<OpResult>(tile).getResultNumber());
  return tile.getDefiningOp<WaitOp>();
}

std::optional<Decision> Decision::match(scf::ForOp loop) {
  Decision found;
  found.body = loop.getBody();
  for (auto [argument, next] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    found.carried = argument;
    found.follow = next.getDefiningOp<arith::SelectOp>();
    if (!found.follow || found.follow->getBlock() != found.body ||
        found.follow.getFalseValue() != argument)
      continue;
    auto isFar = found.follow.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!isFar || isFar.getPredicate() != arith::CmpFPredicate::OGT)
      continue;
    auto bound = isFar.getRhs().getDefiningOp<arith::AddFOp>();
    if (!bound || bound.getLhs() != argument)
      continue;
    std::optional<double> slack = splatValue(bound.getRhs());
    found.guard = guardOf(found.follow);
    if (!slack || !found.guard)
      continue;
    found.slack = *slack;
    if (found.collect())
      return found;
  }
  return std::nullopt;
}

/// False if something that depends on the reference is needed too early, or is
/// no plain arithmetic.
bool Decision::collect() {
  dependent.clear();
  results.clear();
  sums = {};
  limit = {};
  factor = {};
  rescale = {};
  sumDone = {};
  scoresDone = {};
  dependent.insert(follow);
  for (Operation &op :
       llvm::make_range(std::next(follow->getIterator()), body->end())) {
    if (llvm::none_of(op.getOperands(), [&](Value operand) {
          return dependent.contains(operand.getDefiningOp());
        }))
      continue;
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (!isMemoryEffectFree(&op) || op.getNumRegions() || rescale ||
        op.getNumResults() != 1)
      return false;
    dependent.insert(&op);
    if (Value next = limitOf(&op)) {
      if (limit && limit != next)
        return false;
      limit = next;
    }
    rescale = dyn_cast<RescaleOp>(op);
    if (auto reduced = dyn_cast<PartialReduceOp>(op)) {
      if (sums)
        return false;
      sums = reduced;
    }
  }
  if (!rescale)
    return false;
  factor = rescale.getFactors().getDefiningOp<math::Exp2Op>();
  sumDone = waitOf(rescale.getTile());
  for (auto wait : body->getOps<WaitOp>())
    if (wait != sumDone && wait->isBeforeInBlock(follow))
      scoresDone = wait;
  if (!factor || !sumDone || !scoresDone || !sums ||
      sums.getKind() != Combiner::Add ||
      !sums.getTile().getDefiningOp<math::Exp2Op>() ||
      !dependent.contains(factor))
    return false;
  // Products of so many more columns than weights take longer than these, with
  // the maximum first or not.
  if (2 * registersOf(scoresDone) < registersOf(sumDone))
    return false;
  auto difference =
      withoutBound(factor.getOperand()).getDefiningOp<arith::SubFOp>();
  if (!difference || difference.getLhs() != carried ||
      difference.getRhs() != guard)
    return false;
  for (Operation *op : dependent) {
    auto isElsewhere = [&](Operation *user) {
      return !dependent.contains(user);
    };
    if (llvm::any_of(op->getUsers(), isElsewhere))
      results.push_back(op->getResult(0));
  }
  // The weights can be asked only where nothing else reads them early.
  Operation *last = dependent.back();
  return llvm::all_of(results, [&](Value result) {
    return llvm::all_of(result.getUsers(), [&](Operation *user) {
      return dependent.contains(user) || last->isBeforeInBlock(user);
    });
  });
}

/// What a sum is at most if none of its weights is above 2^slack.
Value Decision::boundOfSums(OpBuilder &builder) {
  RankedTensorType tile = sums.getTile().getType(),
                   part = sums.getResult().getType();
  double terms = double(tile.getDimSize(1)) / double(part.getDimSize(1));
  auto value = DenseElementsAttr::get(
      part,
      builder.getFloatAttr(part.getElementType(), std::exp2(slack) * terms));
  return arith::ConstantOp::create(builder, sums.getLoc(), value);
}

Value Decision::isNoAnswer(OpBuilder &builder, Value computed) {
  Location loc = sums.getLoc();
  // Not a number is not small, either.
  Value isLarge = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UGT,
                                        computed, boundOfSums(builder));
  if (!limit)
    return isLarge;
  auto inParts = [&](Value rows) {
    return builder.createOrFold<BroadcastOp>(loc, computed.getType(), rows);
  };
  Value magnitude = math::AbsFOp::create(builder, loc, inParts(carried));
  Value isFar = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                      magnitude, inParts(limit));
  return arith::OrIOp::create(builder, loc, isLarge, isFar);
}

Value Decision::limitOf(Operation *op) {
  auto choice = dyn_cast<arith::SelectOp>(op);
  if (!choice || !splatValue(choice.getTrueValue()) ||
      !splatValue(choice.getFalseValue()))
    return {};
  auto isFar = choice.getCondition().getDefiningOp<arith::OrIOp>();
  if (!isFar)
    return {};
  auto isAbove = isFar.getLhs().getDefiningOp<arith::CmpFOp>(),
       isBelow = isFar.getRhs().getDefiningOp<arith::CmpFOp>();
  if (!isAbove || isAbove.getPredicate() != arith::CmpFPredicate::OGT ||
      isAbove.getLhs() != guard || !isBelow ||
      isBelow.getPredicate() != arith::CmpFPredicate::OGT ||
      isBelow.getRhs() != guard)
    return {};
  std::optional<double> above = splatValue(isAbove.getRhs()),
                        below = splatValue(isBelow.getLhs());
  return above && below && *above == -*below ? isAbove.getRhs() : Value();
}

void Decision::waitEarly() {
  if (sumDone->isBeforeInBlock(follow))
    return;
  // Else exponentials take less time than the products, and nothing is won by
  // them beside these.
  if (registersOf(scoresDone) < registersOf(sumDone))
    scoresDone.setPending(0);
  SmallVector<Operation *> moved{sumDone};
  for (Operation *op = sumDone->getNextNode(); isa<ReleaseOp, scf::IfOp>(op);
       op = op->getNextNode())
    moved.push_back(op);
  Operation *place = scoresDone;
  // What hides scores stays between the two waits, which other arithmetic then
  // may cross.
  while (isa<ReleaseOp, scf::IfOp>(place->getNextNode()))
    place = place->getNextNode();
  for (Operation *op : moved) {
    op->moveAfter(place);
    place = op;
  }
}

/// True if the sums, or the narrow weights, are computed from it.
bool Decision::isForSums(Operation *op) {
  return op == sums || isa<arith::TruncFOp>(op) ||
         llvm::any_of(op->getUsers(), [&](Operation *user) {
           return dependent.contains(user) && isForSums(user);
         });
}

void Decision::rewrite() {
  waitEarly();
  Operation *last = dependent.back();
  OpBuilder builder(body, std::next(last->getIterator()));
  Location loc = follow.getLoc();
  // By the old reference; its factor is 1.
  auto factors = cast<RankedTensorType>(factor.getType());
  Value one = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          factors, builder.getFloatAttr(factors.getElementType(), 1)));
  IRMapping kept;
  kept.map(follow.getResult(), carried);
  kept.map(guard.getResult(), carried);
  kept.map(factor.getResult(), one);
  kept.map(rescale.getResult(), rescale.getTile());
  SmallVector<Operation *> later;
  for (Operation *op : dependent) {
    if (kept.contains(op->getResult(0)))
      continue;
    if (limitOf(op)) {
      kept.map(op->getResult(0), cast<arith::SelectOp>(op).getFalseValue());
      continue;
    }
    if (auto broadcast = dyn_cast<BroadcastOp>(op);
        broadcast && isForSums(op)) {
      // A broadcast of what is the same in all rows is a constant.
      kept.map(broadcast.getResult(),
               builder.createOrFold<BroadcastOp>(
                   loc, broadcast.getType(),
                   kept.lookupOrDefault(broadcast.getValues())));
      continue;
    }
    // What the question does not need can wait for the answer, but weights that
    // are not made narrow at once take registers.
    if (isForSums(op))
      builder.clone(*op, kept);
    else
      later.push_back(op);
  }
  Value moves = AnyOp::create(
      builder, loc, isNoAnswer(builder, kept.lookup(sums.getResult())));
  auto branch = scf::IfOp::create(builder, loc, ValueRange(results).getTypes(),
                                  moves, /*withElseRegion=*/true);
  for (auto [result, chosen] : llvm::zip(results, branch.getResults()))
    result.replaceUsesWithIf(chosen, [&](OpOperand &use) {
      return !dependent.contains(use.getOwner());
    });
  OpBuilder otherwise = branch.getElseBodyBuilder();
  for (Operation *op : later)
    otherwise.clone(*op, kept);
  scf::YieldOp::create(otherwise, loc,
                       llvm::map_to_vector(results, [&](Value value) {
                         return kept.lookup(value);
                       }));
  // The decision itself, and what is computed for it alone, such as the
  // maximum.
  SmallVector<Operation *> before;
  for (Operation &op : llvm::make_range(body->begin(), branch->getIterator()))
    before.push_back(&op);
  for (Operation *op : llvm::reverse(before)) {
    auto isOfBranch = [&](Operation *user) {
      return branch.getThenRegion().isAncestor(user->getParentRegion());
    };
    bool isDecision =
        dependent.contains(op) ||
        (!op->use_empty() && isMemoryEffectFree(op) &&
         !op->hasTrait<OpTrait::ConstantLike>() && op->getNumRegions() == 0 &&
         llvm::all_of(op->getUsers(), isOfBranch));
    if (isDecision)
      op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  }
  OpBuilder inBranch = branch.getThenBodyBuilder();
  scf::YieldOp::create(inBranch, loc, results);
}

namespace {
struct SpeculatePass : mlir::smx::gpu::impl::SpeculatePassBase<SpeculatePass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      std::optional<Decision> decision = Decision::match(loop);
      if (!decision)
        continue;
      decision->rewrite();
      remark::passed(
          loop.getLoc(),
          remark::RemarkOpts::name("Speculate").category("smx-gpu-speculate"))
          << "weights are computed before it is known whether the reference "
             "moves";
    }
  }
};
} // namespace
