//===- RisingTilesPass.cpp - tiles whose maxima rise are not guessed at ---===//
//
// References lead so that they move rarely. Where they follow in every round,
// they are the maxima: with n the next reference, a = n - m on average, and w
// rounds within which guesses would fail again,
//
//   r' = max(n, r)                  r' = max(m, r)
//   rises = any ((w - 1) n + m >    rises = any (m > r + (slack + a) / w)
//                (w - 1) r + (r + slack))
//
// are the same question, as r is the last maximum and a on the left, and the
// last maximum on the right.
//
//===----------------------------------------------------------------------===//

#include "CarriedValue.h"
#include "ScoreArithmetic.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_RISINGTILESPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// The rounds of a tile, of which each guesses its weights unless the maximum
/// is expected to move (smx-gpu-expect-move).
class GuessingRounds {
public:
  static std::optional<GuessingRounds> match(scf::ForOp loop);
  void rewrite(RewriterBase &rewriter);
  Location getLoc() { return loop.getLoc(); }

private:
  Value getLeft() { return isExpected.getLhs(); }
  bool matchBranches();
  bool matchMaximum();
  /// Nothing is guessed in the rounds.
  void expect(RewriterBase &rewriter);
  /// References are the maxima.
  void followMaxima(RewriterBase &rewriter);
  /// The maximum is computed under the second product.
  void takeMaximumEarly(RewriterBase &rewriter);

  scf::ForOp loop;
  arith::CmpIOp isExpected;
  /// Guesses, or does not; and the branch on whether the reference moves.
  scf::IfOp guess, answer;
  WaitOp waitForScores, waitForSum;
  /// The maximum of the scores, where the answer is yes.
  ReduceOp maximum;
};
} // namespace

std::optional<GuessingRounds> GuessingRounds::match(scf::ForOp loop) {
  GuessingRounds found;
  found.loop = loop;
  if (!found.matchBranches() || !found.matchMaximum())
    return std::nullopt;
  return found;
}

bool GuessingRounds::matchBranches() {
  for (auto branch : loop.getBody()->getOps<scf::IfOp>()) {
    isExpected = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!isExpected || !branch.elseBlock() || branch.getNumResults() == 0 ||
        isExpected.getPredicate() != arith::CmpIPredicate::sgt ||
        !llvm::is_contained(loop.getRegionIterArgs(), isExpected.getLhs()) ||
        !matchPattern(isExpected.getRhs(), m_Zero()) ||
        !matchPattern(branch.thenYield().getOperand(0), m_One()))
      continue;
    guess = branch;
    for (Operation *user : branch.getResult(0).getUsers())
      if ((answer = dyn_cast<scf::IfOp>(user)) &&
          answer->getBlock() == loop.getBody())
        return true;
  }
  return false;
}

/// Scores that are the product itself: others take registers beside both
/// products. Rounds of cut tiles hide some of theirs, and are few.
bool GuessingRounds::matchMaximum() {
  auto waits = llvm::to_vector(loop.getBody()->getOps<WaitOp>());
  auto products = llvm::to_vector(loop.getBody()->getOps<MmaAsyncOp>());
  if (waits.size() != 2 || products.size() != 2 ||
      waits[0].getToken() != products[0].getToken() ||
      waits[1].getToken() != products[1].getToken())
    return false;
  waitForScores = waits[0];
  waitForSum = waits[1];
  for (auto reduce : answer.thenBlock()->getOps<ReduceOp>())
    if (reduce.getTile() == waitForScores.getResult() &&
        reduce.getKind() == Combiner::MaxNum)
      maximum = reduce;
  return maximum != nullptr;
}

void GuessingRounds::expect(RewriterBase &rewriter) {
  // The rounds that are left end at 0 here, where they are no place: they are
  // halved, as a maximum of 0 and fewer would leave the uniform registers. What
  // is a place, in warps that none are left to, stays below 0.
  for (Operation *user : llvm::make_early_inc_range(getLeft().getUsers())) {
    rewriter.setInsertionPoint(user);
    auto compared = dyn_cast<arith::CmpIOp>(user);
    if (compared && compared.getPredicate() == arith::CmpIPredicate::sle)
      rewriter.replaceOpWithNewOp<arith::ConstantIntOp>(compared, /*value=*/0,
                                                        /*width=*/1);
    else if (auto fewer = dyn_cast<arith::SubIOp>(user);
             fewer && fewer.getLhs() == getLeft())
      rewriter.replaceOpWithNewOp<arith::ShRSIOp>(
          fewer, getLeft(),
          arith::ConstantIntOp::create(rewriter, fewer.getLoc(), /*value=*/1,
                                       /*width=*/32));
  }
  takeThen(rewriter, guess);
  takeThen(rewriter, answer);
}

/// a of n = alone ? m : m + constants; none if `next` is something else.
static std::optional<double> leadOf(arith::SelectOp next) {
  Value ahead = next.getFalseValue();
  double lead = 0;
  while (ahead != next.getTrueValue()) {
    auto sum = ahead.getDefiningOp<arith::AddFOp>();
    std::optional<double> constant =
        sum ? splatValue(sum.getRhs()) : std::optional<double>();
    if (!constant)
      return std::nullopt;
    lead += *constant;
    ahead = sum.getLhs();
  }
  return lead;
}

/// The comparison that tells how far `next` rises above `reference`.
static arith::CmpFOp comparisonOf(arith::SelectOp next, Value reference) {
  for (Operation *user : next->getUsers()) {
    auto sum = dyn_cast<math::FmaOp>(user);
    auto compared = sum && sum->hasOneUse()
                        ? dyn_cast<arith::CmpFOp>(*sum->user_begin())
                        : arith::CmpFOp();
    auto limit = compared ? compared.getRhs().getDefiningOp<math::FmaOp>()
                          : math::FmaOp();
    if (limit && compared.getLhs() == sum.getResult() &&
        compared.getPredicate() == arith::CmpFPredicate::OGT &&
        sum.getC() == next.getTrueValue() && limit.getA() == reference &&
        sum.getB() == limit.getB())
      return compared;
  }
  return {};
}

void GuessingRounds::followMaxima(RewriterBase &rewriter) {
  for (auto follow :
       llvm::make_early_inc_range(loop.getBody()->getOps<arith::MaxNumFOp>())) {
    Value reference = follow.getRhs();
    auto next = follow.getLhs().getDefiningOp<arith::SelectOp>();
    if (!next || !llvm::is_contained(loop.getRegionIterArgs(), reference))
      continue;
    std::optional<double> lead = leadOf(next);
    arith::CmpFOp compared = comparisonOf(next, reference);
    if (!lead || !compared)
      continue;
    auto right = compared.getRhs().getDefiningOp<math::FmaOp>();
    auto limit = right.getC().getDefiningOp<arith::AddFOp>();
    std::optional<double> more = splatValue(right.getB()),
                          slack = limit ? splatValue(limit.getRhs())
                                        : std::optional<double>();
    if (!more || !slack || limit.getLhs() != reference)
      continue;
    Location loc = compared.getLoc();
    Value maximum = next.getTrueValue();
    auto type = cast<RankedTensorType>(maximum.getType());
    rewriter.setInsertionPoint(compared);
    Value rise = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(
            type, rewriter.getFloatAttr(type.getElementType(),
                                        (*slack + *lead) / (*more + 1))));
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(
        compared, arith::CmpFPredicate::OGT, maximum,
        arith::AddFOp::create(rewriter, loc, reference, rise));
    rewriter.modifyOpInPlace(follow, [&] { follow.setOperand(0, maximum); });
  }
}

/// The rest would take registers beside both products that are not there.
void GuessingRounds::takeMaximumEarly(RewriterBase &rewriter) {
  rewriter.moveOpBefore(maximum, waitForSum);
  waitForScores.setPending(1);
}

void GuessingRounds::rewrite(RewriterBase &rewriter) {
  Location loc = loop.getLoc();
  // Groups without rows have their rounds in a loop behind.
  SmallVector<Operation *, 2> rounds{loop};
  if (auto idle = dyn_cast<scf::ForOp>(loop->getNextNode());
      idle && idle.getLowerBound() == loop.getUpperBound() &&
      idle.getNumResults() == 0)
    rounds.push_back(idle);
  rewriter.setInsertionPoint(loop);
  unsigned index = cast<BlockArgument>(getLeft()).getArgNumber() -
                   loop.getNumInductionVars();
  Value wasExpected =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                            loop.getInitArgs()[index], isExpected.getRhs());
  Value rises = AnyOfWarpsOp::create(rewriter, loc, wasExpected);
  auto branch = scf::IfOp::create(rewriter, loc, loop.getResultTypes(), rises,
                                  /*withElseRegion=*/true);
  rewriter.replaceAllUsesWith(loop.getResults(), branch.getResults());
  auto yieldFirst = [&](Block *block) {
    scf::ForOp first = *block->getOps<scf::ForOp>().begin();
    rewriter.setInsertionPointToEnd(block);
    scf::YieldOp::create(rewriter, loc, first.getResults());
    return first;
  };
  rewriter.setInsertionPointToStart(branch.thenBlock());
  for (Operation *op : rounds)
    rewriter.clone(*op);
  GuessingRounds rising = *match(yieldFirst(branch.thenBlock()));
  for (Operation *op : rounds)
    rewriter.moveOpBefore(op, branch.elseBlock(), branch.elseBlock()->end());
  yieldFirst(branch.elseBlock());
  rising.expect(rewriter);
  rising.followMaxima(rewriter);
  rising.takeMaximumEarly(rewriter);
}

namespace {
struct RisingTilesPass
    : mlir::smx::gpu::impl::RisingTilesPassBase<RisingTilesPass> {
  using RisingTilesPassBase::RisingTilesPassBase;

  void runOnOperation() override {
    SmallVector<GuessingRounds> found;
    getOperation().walk([&](RoleOp role) {
      role.walk([&](scf::ForOp loop) {
        if (std::optional<GuessingRounds> rounds = GuessingRounds::match(loop))
          found.push_back(*rounds);
      });
    });
    IRRewriter rewriter(&getContext());
    for (GuessingRounds &rounds : found) {
      remark::passed(rounds.getLoc(), remark::RemarkOpts::name("RisingTiles")
                                          .category("smx-gpu-rising-tiles"))
          << "a tile begins with the maximum in all rounds if that is expected "
             "to move";
      rounds.rewrite(rewriter);
    }
  }
};
} // namespace
