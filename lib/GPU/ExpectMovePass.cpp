//===- ExpectMovePass.cpp - maxima that rise once rise again --------------===//
//
// A round that guesses its weights and finds them too large computes them
// twice. Where that happened lately the guess is left out:
//
//   guess; if (any too large) move else keep
//   if (left > 0) large = true else { guess; large = any too large }
//   if (large) { move; left = moved or guessed ? n : left - 1 }
//   else { keep; left = 0 }
//
//===----------------------------------------------------------------------===//

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

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
  void rewrite(RewriterBase &rewriter, int64_t rounds);
  Location getLoc() { return loop.getLoc(); }

private:
  bool matchMove();
  /// What is computed for the question, and for the branch where the answer is
  /// no, after the products are done; in order.
  void collectGuess();
  void guardGuess(RewriterBase &rewriter, Value isExpected);
  /// The rounds that are left, as both sides of the branch know them.
  Value countRounds(RewriterBase &rewriter, Value left, int64_t rounds);

  scf::ForOp loop;
  AnyOp question;
  scf::IfOp answer;
  /// Rows whose reference moves, where the answer is yes.
  Value isFar;
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

/// Finds r' = far ? m : r, which is kept where the answer is no.
bool GuessingLoop::matchMove() {
  for (auto [argument, next] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto result = dyn_cast<OpResult>(next);
    if (!result || result.getOwner() != answer)
      continue;
    unsigned index = result.getResultNumber();
    auto follow =
        answer.thenYield().getOperand(index).getDefiningOp<arith::SelectOp>();
    if (!follow || follow->getBlock() != answer.thenBlock() ||
        follow.getFalseValue() != argument ||
        answer.elseYield().getOperand(index) != argument ||
        !isa<RankedTensorType>(follow.getCondition().getType()))
      continue;
    isFar = follow.getCondition();
    return true;
  }
  return false;
}

void GuessingLoop::collectGuess() {
  llvm::SetVector<Operation *> collected;
  collected.insert(question);
  auto isForGuess = [&](Operation *user) {
    return collected.contains(user) ||
           answer.getElseRegion().isAncestor(user->getParentRegion());
  };
  for (Operation *op = question->getPrevNode(); op && !isa<WaitOp>(op);
       op = op->getPrevNode())
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
        !op->hasTrait<OpTrait::ConstantLike>() &&
        llvm::all_of(op->getUsers(), isForGuess))
      collected.insert(op);
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

Value GuessingLoop::countRounds(RewriterBase &rewriter, Value left,
                                int64_t rounds) {
  Location loc = answer.getLoc();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(rewriter, loc, left.getType(), value);
  };
  Operation *yield = answer.thenYield();
  rewriter.setInsertionPoint(yield);
  Value moved = AnyOp::create(rewriter, loc, isFar);
  Value wasGuessed = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq, left, number(0));
  Value again = arith::OrIOp::create(rewriter, loc, moved, wasGuessed);
  Value fewer = arith::SubIOp::create(rewriter, loc, left, number(1));
  Value next =
      arith::SelectOp::create(rewriter, loc, again, number(rounds), fewer);
  rewriter.modifyOpInPlace(yield, [&] { yield->insertOperands(0, next); });
  yield = answer.elseYield();
  rewriter.setInsertionPoint(yield);
  Value none = number(0);
  rewriter.modifyOpInPlace(yield, [&] { yield->insertOperands(0, none); });
  // The same branch, with one result more.
  SmallVector<Type> types{left.getType()};
  llvm::append_range(types, answer.getResultTypes());
  rewriter.setInsertionPoint(answer);
  auto branch = scf::IfOp::create(rewriter, loc, types, answer.getCondition(),
                                  /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  branch.getThenRegion().takeBody(answer.getThenRegion());
  branch.getElseRegion().takeBody(answer.getElseRegion());
  rewriter.replaceOp(answer, branch.getResults().drop_front());
  answer = branch;
  return branch.getResult(0);
}

void GuessingLoop::rewrite(RewriterBase &rewriter, int64_t rounds) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value none = arith::ConstantIntOp::create(rewriter, loc, /*value=*/0,
                                            /*width=*/32);
  auto makeYields = [](OpBuilder &, Location,
                       ArrayRef<BlockArgument> arguments) {
    return SmallVector<Value>(arguments.begin(), arguments.end());
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, none, /*replaceInitOperandUsesInLoop=*/false, makeYields));
  Value left = loop.getRegionIterArgs().back();
  rewriter.setInsertionPoint(guess.front());
  Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
  Value isExpected = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ne, left, zero);
  guardGuess(rewriter, isExpected);
  Value next = countRounds(rewriter, left, rounds);
  Operation *yield = loop.getBody()->getTerminator();
  rewriter.modifyOpInPlace(
      yield, [&] { yield->setOperand(yield->getNumOperands() - 1, next); });
}

namespace {
struct ExpectMovePass
    : mlir::smx::gpu::impl::ExpectMovePassBase<ExpectMovePass> {
  using ExpectMovePassBase::ExpectMovePassBase;

  void runOnOperation() override {
    if (rounds <= 0)
      return;
    SmallVector<GuessingLoop> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (std::optional<GuessingLoop> found = GuessingLoop::match(loop))
        loops.push_back(*found);
    });
    IRRewriter rewriter(&getContext());
    for (GuessingLoop &loop : loops) {
      remark::passed(loop.getLoc(), remark::RemarkOpts::name("ExpectMove")
                                        .category("smx-gpu-expect-move"))
          << ("after a move the next " + Twine(rounds) +
              " rounds begin with the maximum")
                 .str();
      loop.rewrite(rewriter, rounds);
    }
  }
};
} // namespace
