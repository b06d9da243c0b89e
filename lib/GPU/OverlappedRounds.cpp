//===- OverlappedRounds.cpp - rounds of products that overlap -------------===//

#include "OverlappedRounds.h"

#include "LoopPair.h"
#include "TileEnds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx::gpu {

OverlappedRounds::State OverlappedRounds::nextState() {
  State state;
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
    state.carried.push_back(
        code.mapping.lookup(i == accumulator ? sum.getAcc() : value));
  state.weights = code.mapping.lookup(sum.getA());
  if (cutSum)
    state.isCut = code.mapping.lookup(cutSum.getCondition());
  return state;
}

SmallVector<Value> OverlappedRounds::State::values() const {
  SmallVector<Value> all(carried);
  all.push_back(weights);
  if (isCut)
    all.push_back(isCut);
  return all;
}

OverlappedRounds::State OverlappedRounds::stateOf(ValueRange values) {
  unsigned count = loop.getNumResults();
  return {SmallVector<Value>(values.take_front(count)), values[count],
          values.size() > count + 1 ? values[count + 1] : Value()};
}

OverlappedRounds::State OverlappedRounds::emitFirst() {
  code.mapping.map(loop.getInductionVar(),
                   code.mapping.lookup(loop.getLowerBound()));
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    code.mapping.map(argument, code.mapping.lookup(init));
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == scores) {
      code.takeTurn(scores.getLoc());
      auto product = issueScores();
      code.passTurn(scores.getLoc());
      code.mapping.map(scores.getResult(), wait(scores.getLoc(), product, 0));
    } else if (!isOfSum(&op)) {
      code.clone(op);
    }
  }
  // Nothing has been added yet: zeros stay zeros.
  Value init = code.mapping.lookup(loop.getInitArgs()[accumulator]);
  if (matchPattern(init, m_AnyZeroFloat()))
    code.mapping.map(sum.getAcc(), init);
  else
    rescale(init);
  releaseTerms();
  return nextState();
}

OverlappedRounds::State OverlappedRounds::emitRound(const State &state,
                                                    std::optional<bool> isCut) {
  Location loc = sum.getLoc();
  OpBuilder &b = code.getBuilder();
  Product running;
  Value areTerms;
  auto before = [&]() -> Value {
    return arith::SubIOp::create(b, loc,
                                 code.mapping.lookup(loop.getInductionVar()),
                                 code.mapping.lookup(loop.getStep()));
  };
  auto withTerms = [&](Value acc) {
    return addWhereTerms(state, before, acc, areTerms);
  };
  // Where products are under way nothing else writes what they add to.
  Value done;
  bool isFinished = false;
  auto waitForSum = [&] {
    done = wait(loc, running, 0);
    if (code.keepsTurn())
      code.passTurn(loc);
  };
  auto finish = [&] {
    if (areTerms && isCut)
      done = withTerms(done);
    code.clone(*releaseValues);
    isFinished = true;
  };
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isCut && op.getResults() == ValueRange(cutSum.getCondition())) {
      code.mapping.map(
          cutSum.getCondition(),
          arith::ConstantOp::create(b, loc, b.getBoolAttr(*isCut)));
    } else if (&op == scores) {
      areTerms = askForTerms(state);
      // Where every round asks, beside the other question.
      State summed = state;
      if (areTerms && !isCut)
        summed.carried[accumulator] = withTerms(state.carried[accumulator]);
      code.takeTurn(loc);
      auto product = issueScores();
      running = issueSum(summed, areTerms);
      if (!code.keepsTurn())
        code.passTurn(loc);
      code.mapping.map(scores.getResult(), wait(scores.getLoc(), product, 1));
      // A branch between the comparisons of a mask and what these select packs
      // all of them into registers and back: the sum's is before the mask.
      if (areTerms && isCut)
        waitForSum();
    } else if (!isOfSum(&op)) {
      code.clone(op);
      if (isFinished || !isa<ReleaseOp>(op))
        continue;
      if (code.keepsTurn() && running.first && !done)
        waitForSum();
      if (done)
        finish();
    }
  }
  if (!done)
    waitForSum();
  if (!isFinished)
    finish();
  rescale(done);
  releaseTerms();
  State after = nextState();
  if (isCut && *isCut && code.getShape().asksApart)
    if (Value ofGroup = isCutForGroup())
      after.isCut = ofGroup;
  return after;
}

Value OverlappedRounds::isCutForGroup() {
  Block *branch = cutSum.thenBlock();
  auto product = cutSum.thenYield().getOperand(0).getDefiningOp<MmaOp>();
  auto marked = product.getA().getDefiningOp<arith::SelectOp>();
  // Tiles of as many keys as the groups have rows are cut for nearly all.
  RankedTensorType tile = scores.getResult().getType();
  if (!marked || marked->getBlock() != branch ||
      tile.getDimSize(1) >= tile.getDimSize(0))
    return {};
  IRMapping ofRound = code.mapping;
  for (Operation &op : branch->without_terminator())
    if (&op != product && &op != marked)
      code.clone(op);
  OpBuilder &b = code.getBuilder();
  Location loc = cutSum.getLoc();
  Value mask = code.mapping.lookup(marked.getCondition());
  code.mapping = ofRound;
  Value seesAll = TileEnds(b).truthOf(mask).isEvery;
  if (!seesAll)
    return {};
  Value isTrue = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, loc, seesAll, isTrue);
}

void OverlappedRounds::releaseTerms() {
  code.releaseOperandsOf(*loop.getBody()->getTerminator());
}

SmallVector<Value> OverlappedRounds::emitLast(const State &state) {
  SmallVector<Value> results(state.carried);
  // Where rounds of every kind ask, the last one does as they do.
  results[accumulator] = splitsRounds() && code.getShape().sumsApart
                             ? addApart(state)
                             : addLast(state);
  code.clone(*releaseValues);
  return results;
}

OverlappedRounds::State
OverlappedRounds::emitRounds(Value from, Value to, const State &state,
                             std::optional<bool> isCut) {
  OpBuilder &b = code.getBuilder();
  OpBuilder::InsertionGuard guard(b);
  Location loc = loop.getLoc();
  Value step = code.mapping.lookup(loop.getStep());
  auto rounds = scf::ForOp::create(b, loc, from, to, step, state.values());
  b.setInsertionPointToStart(rounds.getBody());
  code.mapping.map(loop.getInductionVar(), rounds.getInductionVar());
  State before = stateOf(rounds.getRegionIterArgs());
  code.mapping.map(loop.getRegionIterArgs(), before.carried);
  State after = emitRound(before, isCut);
  if (!before.isCut)
    after.isCut = {};
  scf::YieldOp::create(b, loc, after.values());
  return stateOf(rounds.getResults());
}

OverlappedRounds::State OverlappedRounds::emitWholeRounds(Value from, Value to,
                                                          const State &state) {
  // Where the first tile is cut there are none: they leave what it says.
  State whole = state;
  whole.isCut = {};
  whole = emitRounds(from, to, whole, /*isCut=*/false);
  whole.isCut = state.isCut;
  return whole;
}

void OverlappedRounds::emit() {
  OpBuilder &b = code.getBuilder();
  Location loc = loop.getLoc();
  Value first = code.mapping.lookup(loop.getLowerBound()),
        end = code.mapping.lookup(loop.getUpperBound()),
        step = code.mapping.lookup(loop.getStep());
  Value isAny =
      hasRounds(loop)
          ? Value(arith::ConstantOp::create(b, loc, b.getBoolAttr(true)))
          : arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, first,
                                  end);
  auto branch = scf::IfOp::create(b, loc, code.convert(loop.getResultTypes()),
                                  isAny, /*withElseRegion=*/true);
  SmallVector<Value> none = code.lookup(loop.getInitArgs());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    State state = emitFirst();
    Value second = arith::AddIOp::create(b, loc, first, step);
    if (splitsRounds()) {
      Value middle = code.mapping.lookup(firstCut);
      if (!isAtLeast(loop.getUpperBound(), firstCut))
        middle = arith::MinSIOp::create(b, loc, middle, end);
      state = emitWholeRounds(second, middle, state);
      second = arith::MaxSIOp::create(b, loc, second, middle);
      state = emitRounds(second, end, state, /*isCut=*/true);
    } else {
      state = emitRounds(second, end, state, /*isCut=*/std::nullopt);
    }
    // The scores are all there: the next ones' operand may come.
    code.releaseOperandsOf(*loop);
    scf::YieldOp::create(b, loc, emitLast(state));
    b.setInsertionPointToStart(branch.elseBlock());
    code.releaseOperandsOf(*loop);
    scf::YieldOp::create(b, loc, none);
  }
  code.mapping.map(loop.getResults(), branch.getResults());
}

} // namespace mlir::smx::gpu
