//===- OverlappedLoop.cpp - products that run under other work ------------===//

#include "OverlappedLoop.h"

#include "LoopPair.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx::gpu {

/// The one release of a channel in a block, or null.
static ReleaseOp releaseOf(Block *block, Value channel) {
  ReleaseOp found;
  for (auto release : block->getOps<ReleaseOp>())
    if (release.getChannel() == channel) {
      if (found)
        return {};
      found = release;
    }
  return found;
}

/// The product that is the last thing of a block but for its terminator.
static MmaOp lastProductOf(Block *block) {
  if (!block || block->without_terminator().empty())
    return {};
  auto product = dyn_cast<MmaOp>(block->getTerminator()->getPrevNode());
  return product && product->getResults() == block->back().getOperands()
             ? product
             : MmaOp();
}

bool OverlappedLoop::matchCutSum() {
  MmaOp cut = lastProductOf(cutSum.thenBlock());
  if (!getConstantIntValue(loop.getStep()) || !cut || !cut.getGuarded() ||
      cut.getB() != sum.getB() || cut.getAcc() != sum.getAcc() ||
      cut.getTransposeB() != sum.getTransposeB() ||
      !llvm::all_of(
          cutSum.thenBlock()->without_terminator(),
          [&](Operation &op) { return &op == cut || isMemoryEffectFree(&op); }))
    return false;
  // Computed again in the round after, from the counter alone.
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> worklist{cutSum.getCondition()};
  auto isOfBody = [&](Value value) {
    return value.getParentBlock() == loop.getBody();
  };
  cutSum.getThenRegion().walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isOfBody(operand) && !llvm::is_contained(sum->getOperands(), operand))
        worklist.push_back(operand);
  });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (value == loop.getInductionVar() || !isOfBody(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || !isMemoryEffectFree(op) || op->getNumRegions())
      return false;
    needed.insert(op);
    llvm::append_range(worklist, op->getOperands());
  }
  places = needed.takeVector();
  llvm::sort(places,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  matchFirstCut();
  return true;
}

void OverlappedLoop::matchFirstCut() {
  auto isCut = cutSum.getCondition().getDefiningOp<arith::CmpIOp>();
  int64_t step = *getConstantIntValue(loop.getStep());
  if (isCut && isCut.getPredicate() == arith::CmpIPredicate::sge &&
      isCut.getLhs() == loop.getInductionVar() &&
      loop.isDefinedOutsideOfLoop(isCut.getRhs()) &&
      isMultipleOf(isCut.getRhs(), step) &&
      isMultipleOf(loop.getLowerBound(), step))
    firstCut = isCut.getRhs();
}

std::optional<OverlappedLoop> OverlappedLoop::match(scf::ForOp loop) {
  Block *body = loop.getBody();
  OverlappedLoop result;
  result.loop = loop;
  auto products = llvm::to_vector(body->getOps<MmaOp>());
  for (auto branch : body->getOps<scf::IfOp>())
    if (MmaOp whole = lastProductOf(branch.elseBlock());
        whole && !result.cutSum) {
      result.cutSum = branch;
      products.push_back(whole);
    }
  if (products.size() != 2 || llvm::any_of(*body, [&](Operation &op) {
        return op.getNumRegions() && &op != result.cutSum &&
               !isMemoryEffectFree(&op);
      }))
    return std::nullopt;
  result.scores = products[0];
  result.sum = products[1];
  if (result.cutSum && !result.matchCutSum())
    return std::nullopt;
  auto keys = result.scores.getB().getDefiningOp<GetOp>();
  result.getValues = result.sum.getB().getDefiningOp<GetOp>();
  if (!keys || !result.getValues || keys->getBlock() != body ||
      result.getValues->getBlock() != body ||
      keys.getChannel() == result.getValues.getChannel())
    return std::nullopt;
  result.releaseValues = releaseOf(body, result.getValues.getChannel());
  if (!result.releaseValues || !releaseOf(body, keys.getChannel()))
    return std::nullopt;
  // The unit has no guard, and an accumulator of zeros is none.
  if (result.scores.getGuarded() || result.sum.getGuarded() ||
      !matchPattern(result.scores.getAcc(), m_AnyZeroFloat()) ||
      !loop.isDefinedOutsideOfLoop(result.scores.getA()) ||
      !isa<RankedTensorType>(result.sum.getA().getType()) ||
      loop.isDefinedOutsideOfLoop(result.sum.getA()))
    return std::nullopt;

  // The sum is carried, and nothing else looks at it.
  Value sum = result.cutSum ? result.cutSum.getResult(0)
                            : Value(result.sum.getResult());
  if (!sum.hasOneUse() || !isa<scf::YieldOp>(*sum.user_begin()))
    return std::nullopt;
  result.accumulator = sum.use_begin()->getOperandNumber();
  SmallVector<Value> worklist{loop.getRegionIterArgs()[result.accumulator]};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (user == result.sum || result.rescaling.contains(user) ||
          (result.cutSum && result.cutSum->isProperAncestor(user)))
        continue;
      if (!isMemoryEffectFree(user) || user->getNumResults() != 1)
        return std::nullopt;
      result.rescaling.insert(user);
      worklist.push_back(user->getResult(0));
    }
  // In the order of the block.
  SmallVector<Operation *> ordered = result.rescaling.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  result.rescaling.insert(ordered.begin(), ordered.end());
  if (result.sum.getAcc() != loop.getRegionIterArgs()[result.accumulator] &&
      !result.rescaling.contains(result.sum.getAcc().getDefiningOp()))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

std::pair<Value, Value> OverlappedLoop::issueScores(GroupCode &code) {
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

Value OverlappedLoop::askForTerms(GroupCode &code, const State &state) {
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

Value OverlappedLoop::addTerms(GroupCode &code, const State &state,
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

std::pair<Value, Value>
OverlappedLoop::issueSum(GroupCode &code, const State &state, Value areTerms) {
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

static Value wait(GroupCode &code, Location loc,
                  std::pair<Value, Value> product, int64_t pending) {
  return WaitOp::create(code.getBuilder(), loc, product.second, product.first,
                        pending);
}

void OverlappedLoop::rescale(GroupCode &code, Value acc) {
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

OverlappedLoop::State OverlappedLoop::nextState(GroupCode &code) {
  State state;
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
    state.carried.push_back(
        code.mapping.lookup(i == accumulator ? sum.getAcc() : value));
  state.weights = code.mapping.lookup(sum.getA());
  if (cutSum)
    state.isCut = code.mapping.lookup(cutSum.getCondition());
  return state;
}

SmallVector<Value> OverlappedLoop::State::values() const {
  SmallVector<Value> all(carried);
  all.push_back(weights);
  if (isCut)
    all.push_back(isCut);
  return all;
}

OverlappedLoop::State OverlappedLoop::stateOf(ValueRange values) {
  unsigned count = loop.getNumResults();
  return {SmallVector<Value>(values.take_front(count)), values[count],
          values.size() > count + 1 ? values[count + 1] : Value()};
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

OverlappedLoop::State OverlappedLoop::emitFirst(GroupCode &code) {
  code.mapping.map(loop.getInductionVar(),
                   code.mapping.lookup(loop.getLowerBound()));
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    code.mapping.map(argument, code.mapping.lookup(init));
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == scores) {
      code.takeTurn(scores.getLoc());
      auto product = issueScores(code);
      code.passTurn(scores.getLoc());
      code.mapping.map(scores.getResult(),
                       wait(code, scores.getLoc(), product, 0));
    } else if (!isOfSum(&op)) {
      code.clone(op);
    }
  }
  // Nothing has been added yet: zeros stay zeros.
  Value init = code.mapping.lookup(loop.getInitArgs()[accumulator]);
  if (matchPattern(init, m_AnyZeroFloat()))
    code.mapping.map(sum.getAcc(), init);
  else
    rescale(code, init);
  return nextState(code);
}

OverlappedLoop::State OverlappedLoop::emitRound(GroupCode &code,
                                                const State &state,
                                                std::optional<bool> isCut) {
  Location loc = sum.getLoc();
  OpBuilder &b = code.getBuilder();
  std::pair<Value, Value> running;
  Value areTerms;
  auto before = [&]() -> Value {
    return arith::SubIOp::create(b, loc,
                                 code.mapping.lookup(loop.getInductionVar()),
                                 code.mapping.lookup(loop.getStep()));
  };
  auto withTerms = [&](Value acc) -> Value {
    auto terms = [&]() -> SmallVector<Value> {
      return {addTerms(code, state, before, acc)};
    };
    auto asItIs = [&]() -> SmallVector<Value> { return {acc}; };
    return makeBranch(b, loc, acc.getType(), areTerms, terms, asItIs)[0];
  };
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isCut && op.getResults() == ValueRange(cutSum.getCondition())) {
      code.mapping.map(
          cutSum.getCondition(),
          arith::ConstantOp::create(b, loc, b.getBoolAttr(*isCut)));
    } else if (&op == scores) {
      areTerms = askForTerms(code, state);
      // Where every round asks, beside the other question.
      State summed = state;
      if (areTerms && !isCut)
        summed.carried[accumulator] = withTerms(state.carried[accumulator]);
      code.takeTurn(loc);
      auto product = issueScores(code);
      running = issueSum(code, summed, areTerms);
      code.passTurn(loc);
      code.mapping.map(scores.getResult(),
                       wait(code, scores.getLoc(), product, 1));
    } else if (!isOfSum(&op)) {
      code.clone(op);
    }
  }
  Value done = wait(code, loc, running, 0);
  // Where products are under way nothing else writes what they add to.
  if (areTerms && isCut)
    done = withTerms(done);
  code.clone(*releaseValues);
  rescale(code, done);
  return nextState(code);
}

Value OverlappedLoop::lastCounter(GroupCode &code) {
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

SmallVector<Value> OverlappedLoop::emitLast(GroupCode &code,
                                            const State &state) {
  SmallVector<Value> results(state.carried);
  Value areTerms = askForTerms(code, state);
  Value &acc = results[accumulator];
  auto multiply = [&]() -> SmallVector<Value> {
    auto product = issueSum(code, state, /*areTerms=*/Value());
    return {wait(code, sum.getLoc(), product, 0)};
  };
  auto terms = [&]() -> SmallVector<Value> {
    return {addTerms(
        code, state, [&] { return lastCounter(code); }, acc)};
  };
  // Alone, the unit takes over no accumulator from two sides.
  acc = areTerms ? makeBranch(code.getBuilder(), loop.getLoc(), acc.getType(),
                              areTerms, terms, multiply)[0]
                 : multiply().front();
  code.clone(*releaseValues);
  return results;
}

OverlappedLoop::State OverlappedLoop::emitRounds(GroupCode &code, Value from,
                                                 Value to, const State &state,
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
  State after = emitRound(code, before, isCut);
  if (!before.isCut)
    after.isCut = {};
  scf::YieldOp::create(b, loc, after.values());
  return stateOf(rounds.getResults());
}

OverlappedLoop::State OverlappedLoop::emitWholeRounds(GroupCode &code,
                                                      Value from, Value to,
                                                      const State &state) {
  // Where the first tile is cut there are none: they leave what it says.
  State whole = state;
  whole.isCut = {};
  whole = emitRounds(code, from, to, whole, /*isCut=*/false);
  whole.isCut = state.isCut;
  return whole;
}

void OverlappedLoop::emit(GroupCode &code) {
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
    State state = emitFirst(code);
    Value second = arith::AddIOp::create(b, loc, first, step);
    if (firstCut && code.getShape().splitsRounds) {
      Value middle = code.mapping.lookup(firstCut);
      state = emitWholeRounds(code, second, middle, state);
      second = arith::MaxSIOp::create(b, loc, second, middle);
      state = emitRounds(code, second, end, state, /*isCut=*/true);
    } else {
      state = emitRounds(code, second, end, state, /*isCut=*/std::nullopt);
    }
    // The scores are all there: the next ones' operand may come.
    code.releaseOperandsOf(*loop);
    scf::YieldOp::create(b, loc, emitLast(code, state));
    b.setInsertionPointToStart(branch.elseBlock());
    code.releaseOperandsOf(*loop);
    scf::YieldOp::create(b, loc, none);
  }
  code.mapping.map(loop.getResults(), branch.getResults());
}

} // namespace mlir::smx::gpu
