//===- ExpectMovePass.cpp - maxima that rise once rise again --------------===//
//
// A round that guesses its weights and finds them too large computes them
// twice. Where that happened twice within few rounds, w, the guess is left out:
//
//   guess; if (any too large) move else keep
//   if (left > 0) large = true else { guess; large = any too large }
//   if (large) {
//     r' = max(n, r)
//     again = left > 0 ? any ((w - 1) n + m > (w - 1) r + (r + slack))
//                      : j + left <= w
//     left = again ? most : left > 0 ? left - 1 : -j
//   } else keep
//
// j is the place of the round, so that rounds that keep count nothing. Rows of
// a warp move together: each would have a round of its own else. The next
// reference is n, the maximum m or beyond it; from one failed guess to the next
// m rises by n - m + slack. If references follow in every round, a rise is
// n - r, and w of them are as much where guesses would fail every w rounds.
//
// A reference that leads moves less often than that while maxima rise slowly.
// Rows of one input often rise alike: a loop over other keys of the same rows,
// and then the next rows, begin with the `left` of the one before.
//
//===----------------------------------------------------------------------===//

#include "CarriedValue.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"

#include <optional>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_EXPECTMOVEPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// A loop whose rounds guess, and what it has for that.
class GuessingLoop {
public:
  static std::optional<GuessingLoop> match(scf::ForOp loop);
  /// A second move within `window` rounds has `rounds` of them begin with the
  /// maximum. The rounds that are left at first are those that `before` left,
  /// or none.
  void rewrite(RewriterBase &rewriter, int64_t window, int64_t rounds,
               scf::ForOp before);
  scf::ForOp getLoop() { return loop; }
  Location getLoc() { return loop.getLoc(); }
  /// Columns of a tile of weights whose scores have numbers that are looked up;
  /// 0 if none have.
  int64_t countColumnsLookedUp();

private:
  bool matchMove();
  /// What is computed for the question, and for the branch where the answer is
  /// no, after the products are done; in order.
  void collectGuess();
  void guardGuess(RewriterBase &rewriter, Value isExpected);
  /// Where the answer is yes, the references of all rows of a warp move that
  /// can.
  void moveTogether(RewriterBase &rewriter, int64_t window);
  /// The rounds that are left, as both sides of the branch know them.
  Value countRounds(RewriterBase &rewriter, Value left, int64_t window,
                    int64_t rounds);

  scf::ForOp loop;
  AnyOp question;
  scf::IfOp answer;
  /// The next reference of each row, where the answer is yes.
  arith::SelectOp follow;
  /// True if a reference rises so far that guesses would fail again within the
  /// window.
  Value rises;
  SmallVector<Operation *> guess;
};
} // namespace

std::optional<GuessingLoop> GuessingLoop::match(scf::ForOp loop) {
  GuessingLoop found;
  found.loop = loop;
  for (auto branch : loop.getBody()->getOps<scf::IfOp>()) {
    auto question = branch.getCondition().getDefiningOp<AnyOp>();
    if (!question || question->getBlock() != loop.getBody() ||
        !question->hasOneUse() || !branch.elseBlock() ||
        branch.getNumResults() == 0)
      continue;
    found.question = question;
    found.answer = branch;
    if (!found.matchMove())
      continue;
    found.collectGuess();
    return found;
  }
  return std::nullopt;
}

/// Finds r' = far ? n : r, which is kept where the answer is no.
bool GuessingLoop::matchMove() {
  for (auto [argument, next] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto result = dyn_cast<OpResult>(next);
    if (!result || result.getOwner() != answer)
      continue;
    unsigned index = result.getResultNumber();
    follow =
        answer.thenYield().getOperand(index).getDefiningOp<arith::SelectOp>();
    if (!follow || follow->getBlock() != answer.thenBlock() ||
        follow.getFalseValue() != argument ||
        answer.elseYield().getOperand(index) != argument ||
        !follow.getCondition().getDefiningOp<arith::CmpFOp>())
      continue;
    return true;
  }
  return false;
}

/// True if `read` gives the same at `later`, an op behind it in its block.
static bool isSameAt(ReadOp read, Operation *later) {
  auto tile = read.getShared().getDefiningOp<GetOp>();
  for (Operation *op = read->getNextNode(); op != later;
       op = op->getNextNode()) {
    auto release = dyn_cast<ReleaseOp>(op);
    bool isElsewhere = release
                           ? tile && release.getChannel() != tile.getChannel()
                           : isa<GetOp, ReadOp>(op) || isMemoryEffectFree(op);
    if (!isElsewhere)
      return false;
  }
  return true;
}

void GuessingLoop::collectGuess() {
  llvm::SetVector<Operation *> collected;
  collected.insert(question);
  auto isForGuess = [&](Operation *user) {
    return collected.contains(user) ||
           answer.getElseRegion().isAncestor(user->getParentRegion());
  };
  for (Operation *op = question->getPrevNode(); op && !isa<WaitOp>(op);
       op = op->getPrevNode()) {
    auto read = dyn_cast<ReadOp>(op);
    if ((read ? isSameAt(read, question) : isMemoryEffectFree(op)) &&
        op->getNumRegions() == 0 && !op->hasTrait<OpTrait::ConstantLike>() &&
        llvm::all_of(op->getUsers(), isForGuess))
      collected.insert(op);
  }
  guess.assign(collected.rbegin(), collected.rend());
}

void GuessingLoop::guardGuess(RewriterBase &rewriter, Value isExpected) {
  Location loc = question.getLoc();
  SmallVector<Value> results{question.getIsAny()};
  for (Operation *op : guess)
    for (Value result : op->getResults())
      if (op != question &&
          llvm::any_of(result.getUsers(), [&](Operation *user) {
            return answer->isProperAncestor(user);
          }))
        results.push_back(result);
  rewriter.setInsertionPoint(answer);
  auto guarded =
      scf::IfOp::create(rewriter, loc, ValueRange(results).getTypes(),
                        isExpected, /*withElseRegion=*/true);
  for (auto [value, guess] : llvm::zip(results, guarded.getResults()))
    rewriter.replaceUsesWithIf(value, guess, [&](OpOperand &use) {
      return answer->isAncestor(use.getOwner());
    });
  rewriter.setInsertionPointToEnd(guarded.thenBlock());
  // Nothing reads what was not guessed.
  SmallVector<Value> none{
      arith::ConstantIntOp::create(rewriter, loc, /*value=*/1, /*width=*/1)};
  for (Value result : llvm::drop_begin(results))
    none.push_back(arith::ConstantOp::create(
        rewriter, loc,
        cast<TypedAttr>(rewriter.getZeroAttr(result.getType()))));
  scf::YieldOp::create(rewriter, loc, none);
  rewriter.setInsertionPointToEnd(guarded.elseBlock());
  auto yield = scf::YieldOp::create(rewriter, loc, results);
  for (Operation *op : guess)
    rewriter.moveOpBefore(op, yield);
}

void GuessingLoop::moveTogether(RewriterBase &rewriter, int64_t window) {
  Location loc = follow.getLoc();
  Value reference = follow.getFalseValue(), next = follow.getTrueValue();
  auto isFar = follow.getCondition().getDefiningOp<arith::CmpFOp>();
  rewriter.setInsertionPoint(follow);
  auto type = cast<RankedTensorType>(next.getType());
  Value more = arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(
          type, rewriter.getFloatAttr(type.getElementType(), window - 1)));
  Value risesFar = arith::CmpFOp::create(
      rewriter, loc, arith::CmpFPredicate::OGT,
      math::FmaOp::create(rewriter, loc, next, more, isFar.getLhs()),
      math::FmaOp::create(rewriter, loc, reference, more, isFar.getRhs()));
  rises = AnyOp::create(rewriter, loc, risesFar);
  rewriter.replaceOpWithNewOp<arith::MaxNumFOp>(follow, next, reference);
}

Value GuessingLoop::countRounds(RewriterBase &rewriter, Value left,
                                int64_t window, int64_t rounds) {
  Location loc = answer.getLoc();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(rewriter, loc, left.getType(), value);
  };
  auto toNumber = [&](Value index) -> Value {
    return arith::IndexCastOp::create(rewriter, loc, left.getType(), index);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(rewriter, loc, condition, yes, no);
  };
  auto addResult = [&](Operation *yield, Value next) {
    rewriter.modifyOpInPlace(
        yield, [&] { yield->insertOperands(yield->getNumOperands(), next); });
  };
  Operation *yield = answer.thenYield();
  rewriter.setInsertionPoint(yield);
  Value wasGuessed = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::sle, left, number(0));
  // The place of a move is kept as a number that is not positive; that of
  // another tile of rows may be behind this one.
  Value place = toNumber(loop.getInductionVar());
  Value distance = arith::AddIOp::create(rewriter, loc, place, left);
  Value most = arith::MulIOp::create(rewriter, loc, toNumber(loop.getStep()),
                                     number(window));
  Value isSoon = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule,
                                       distance, most);
  Value minus = arith::SubIOp::create(rewriter, loc, number(0), place);
  Value fewer = arith::SubIOp::create(rewriter, loc, left, number(1));
  addResult(yield, select(select(wasGuessed, isSoon, rises), number(rounds),
                          select(wasGuessed, minus, fewer)));
  addResult(answer.elseYield(), left);
  answer = withResult(rewriter, answer, left.getType());
  return answer.getResults().back();
}

void GuessingLoop::rewrite(RewriterBase &rewriter, int64_t window,
                           int64_t rounds, scf::ForOp before) {
  Location loc = loop.getLoc();
  Operation *outermost = loop;
  while (isa<scf::ForOp, scf::IfOp>(outermost->getParentOp()))
    outermost = outermost->getParentOp();
  rewriter.setInsertionPoint(outermost);
  Value none = arith::ConstantIntOp::create(rewriter, loc, /*value=*/0,
                                            /*width=*/32);
  // The last yield is replaced below.
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, before ? before.getResults().back() : none,
      /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>(arguments);
      }));
  Value left = loop.getRegionIterArgs().back();
  rewriter.setInsertionPoint(guess.front());
  Value isExpected = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::sgt, left, none);
  guardGuess(rewriter, isExpected);
  moveTogether(rewriter, window);
  Value next = countRounds(rewriter, left, window, rounds);
  Operation *yield = loop.getBody()->getTerminator();
  rewriter.modifyOpInPlace(
      yield, [&] { yield->setOperand(yield->getNumOperands() - 1, next); });
}

int64_t GuessingLoop::countColumnsLookedUp() {
  int64_t most = 0;
  for (auto gather : loop.getBody()->getOps<GatherOp>())
    if (auto tile = dyn_cast<RankedTensorType>(gather.getType());
        tile && tile.getRank() == 2)
      most = std::max(most, tile.getDimSize(1));
  return most;
}

namespace {
struct ExpectMovePass
    : mlir::smx::gpu::impl::ExpectMovePassBase<ExpectMovePass> {
  using ExpectMovePassBase::ExpectMovePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(context, {{"rounds", rounds},
                                             {"window", window, /*least=*/1},
                                             {"columns", columns}});
  }

  void runOnOperation() override {
    if (rounds == 0)
      return;
    SmallVector<GuessingLoop> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (std::optional<GuessingLoop> found = GuessingLoop::match(loop);
          found && found->countColumnsLookedUp() <= columns)
        loops.push_back(*found);
    });
    IRRewriter rewriter(&getContext());
    scf::ForOp first, last;
    for (GuessingLoop &loop : loops) {
      if (last && last->getBlock() != loop.getLoop()->getBlock()) {
        carryOn(rewriter, first, last);
        last = {};
      }
      remark::passed(loop.getLoc(), remark::RemarkOpts::name("ExpectMove")
                                        .category("smx-gpu-expect-move"))
          << ("after two moves within " + Twine(window) + " rounds the next " +
              Twine(rounds) + " begin with the maximum")
                 .str();
      loop.rewrite(rewriter, window, rounds, last);
      if (!last)
        first = loop.getLoop();
      last = loop.getLoop();
    }
    if (last)
      carryOn(rewriter, first, last);
  }
};
} // namespace
