//===- OverlappedRounds.cpp - rounds of products that overlap -------------===//

#include "OverlappedRounds.h"

#include "FiniteColumns.h"
#include "LoopPair.h"
#include "Multiples.h"
#include "TileEnds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx::gpu {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

OverlappedRounds::Product OverlappedRounds::issueScores() {
  OpBuilder &b = code.getBuilder();
  auto product = MmaAsyncOp::create(
      b, scores.getLoc(), code.convert(scores.getResult().getType()),
      TokenType::get(b.getContext()), code.mapping.lookup(scores.getA()),
      code.mapping.lookup(scores.getB()), code.mapping.lookup(scores.getAcc()),
      scores.getTransposeB(), /*zero=*/true, /*unless=*/Value());
  return {product.getResult(), product.getToken()};
}

/// A branch whose sides compute what it gives.
static ValueRange makeBranch(OpBuilder &b, Location loc, TypeRange types,
                             Value condition,
                             function_ref<SmallVector<Value>()> then,
                             function_ref<SmallVector<Value>()> otherwise) {
  OpBuilder::InsertionGuard guard(b);
  auto branch =
      scf::IfOp::create(b, loc, types, condition, /*withElseRegion=*/true);
  for (auto [block, side] : {std::pair(branch.thenBlock(), then),
                             std::pair(branch.elseBlock(), otherwise)}) {
    b.setInsertionPointToStart(block);
    SmallVector<Value> results = side();
    scf::YieldOp::create(b, loc, results);
  }
  return branch.getResults();
}

Value OverlappedRounds::askForTerms(const State &state) {
  if (!state.isCut)
    return {};
  OpBuilder &b = code.getBuilder();
  Location loc = sum.getLoc();
  code.clone(*getValues);
  auto look = [&]() -> SmallVector<Value> {
    return {NotFiniteOp::create(b, loc, b.getI1Type(),
                                code.mapping.lookup(sum.getB()))};
  };
  auto none = [&]() -> SmallVector<Value> {
    return {arith::ConstantOp::create(b, loc, b.getBoolAttr(false))};
  };
  return makeBranch(b, loc, b.getI1Type(), state.isCut, look, none)[0];
}

Value OverlappedRounds::addTerms(const State &state,
                                 function_ref<Value()> counter, Value acc) {
  IRMapping ofRound = code.mapping;
  code.mapping.map(sum.getA(), state.weights);
  code.mapping.map(sum.getAcc(), acc);
  // Here, and only here, the places of the tile are asked for again.
  code.mapping.map(loop.getInductionVar(), counter());
  for (Operation *op : places)
    code.clone(*op);
  for (Operation &op : cutSum.thenBlock()->without_terminator())
    code.clone(op);
  Value result = code.mapping.lookup(cutSum.thenYield().getOperand(0));
  result.getDefiningOp<MmaOp>().setTerms(true);
  code.mapping = ofRound;
  return result;
}

OverlappedRounds::Product OverlappedRounds::issueSum(const State &state,
                                                     Value areTerms) {
  OpBuilder &b = code.getBuilder();
  if (!state.isCut)
    code.clone(*getValues);
  Value acc = state.carried[accumulator];
  auto product = MmaAsyncOp::create(
      b, sum.getLoc(), acc.getType(), TokenType::get(b.getContext()),
      state.weights, code.mapping.lookup(sum.getB()), acc, sum.getTransposeB(),
      /*zero=*/false, areTerms);
  return {product.getResult(), product.getToken()};
}

Value OverlappedRounds::wait(Location loc, Product product, int64_t pending) {
  return WaitOp::create(code.getBuilder(), loc, product.second, product.first,
                        pending);
}

void OverlappedRounds::rescale(Value acc) {
  Value carried = loop.getRegionIterArgs()[accumulator];
  code.mapping.map(carried, acc);
  // Rows times factors: where the reference of none moves, nothing is done.
  if (rescaling.size() == 1)
    if (auto product = dyn_cast<arith::MulFOp>(rescaling.front())) {
      bool isLeft = product.getLhs() == carried;
      Value other = isLeft ? product.getRhs() : product.getLhs();
      auto factors = code.mapping.lookup(other).getDefiningOp<BroadcastOp>();
      if (factors && getSlice(factors.getValues().getType()).getDim() == 1) {
        Value scaled = RescaleOp::create(code.getBuilder(), product.getLoc(),
                                         acc, factors.getValues());
        code.mapping.map(product.getResult(), scaled);
        return;
      }
    }
  for (Operation *op : rescaling)
    code.clone(*op);
}

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

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

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
  auto withTerms = [&](Value acc) -> Value {
    auto terms = [&]() -> SmallVector<Value> {
      return {addTerms(state, before, acc)};
    };
    auto asItIs = [&]() -> SmallVector<Value> { return {acc}; };
    return makeBranch(b, loc, acc.getType(), areTerms, terms, asItIs)[0];
  };
  // Where products are under way nothing else writes what they add to.
  Value done;
  bool isFinished = false;
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
      code.passTurn(loc);
      code.mapping.map(scores.getResult(), wait(scores.getLoc(), product, 1));
      // A branch between the comparisons of a mask and what these select packs
      // all of them into registers and back: the sum's is before the mask.
      if (areTerms && isCut)
        done = wait(loc, running, 0);
    } else if (!isOfSum(&op)) {
      code.clone(op);
      if (done && !isFinished && isa<ReleaseOp>(op))
        finish();
    }
  }
  if (!done)
    done = wait(loc, running, 0);
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

Value OverlappedRounds::lastCounter() {
  int64_t step = *getConstantIntValue(loop.getStep());
  AffineExpr begin, end;
  bindDims(loop.getContext(), begin, end);
  bool areAligned = isMultipleOf(loop.getLowerBound(), step) &&
                    isMultipleOf(loop.getUpperBound(), step);
  AffineExpr last =
      areAligned ? end - step : begin + (end - begin - 1).floorDiv(step) * step;
  return affine::AffineApplyOp::create(
      code.getBuilder(), loop.getLoc(), AffineMap::get(2, 0, last),
      code.lookup({loop.getLowerBound(), loop.getUpperBound()}));
}

Value OverlappedRounds::addApart(const State &state) {
  OpBuilder &b = code.getBuilder();
  Location loc = sum.getLoc();
  code.clone(*getValues);
  Value acc = state.carried[accumulator];
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(acc.getType()));
  auto issued = MmaAsyncOp::create(
      b, loc, acc.getType(), TokenType::get(b.getContext()), state.weights,
      code.mapping.lookup(sum.getB()), zeros, sum.getTransposeB(),
      /*zero=*/true, /*unless=*/Value());
  Value product = wait(loc, {issued.getResult(), issued.getToken()}, 0);
  auto terms = [&]() -> SmallVector<Value> {
    return {addTerms(
        state, [&] { return lastCounter(); }, acc)};
  };
  auto asItIs = [&]() -> SmallVector<Value> {
    return {arith::AddFOp::create(b, loc, acc, product)};
  };
  return makeBranch(b, loc, acc.getType(), hasOddColumn(b, loc, product), terms,
                    asItIs)[0];
}

SmallVector<Value> OverlappedRounds::emitLast(const State &state) {
  SmallVector<Value> results(state.carried);
  Value &acc = results[accumulator];
  // Where rounds of every kind ask, the last one does as they do.
  if (firstCut && code.getShape().splitsRounds && code.getShape().sumsApart) {
    acc = addApart(state);
    code.clone(*releaseValues);
    return results;
  }
  Value areTerms = askForTerms(state);
  auto multiply = [&]() -> SmallVector<Value> {
    auto product = issueSum(state, /*areTerms=*/Value());
    return {wait(sum.getLoc(), product, 0)};
  };
  auto terms = [&]() -> SmallVector<Value> {
    return {addTerms(
        state, [&] { return lastCounter(); }, acc)};
  };
  // Alone, the unit takes over no accumulator from two sides.
  acc = areTerms ? makeBranch(code.getBuilder(), loop.getLoc(), acc.getType(),
                              areTerms, terms, multiply)[0]
                 : multiply().front();
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
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, first, end);
  auto branch = scf::IfOp::create(b, loc, code.convert(loop.getResultTypes()),
                                  isAny, /*withElseRegion=*/true);
  SmallVector<Value> none = code.lookup(loop.getInitArgs());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    State state = emitFirst();
    Value second = arith::AddIOp::create(b, loc, first, step);
    if (firstCut && code.getShape().splitsRounds) {
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
