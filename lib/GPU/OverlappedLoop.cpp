//===- OverlappedLoop.cpp - products that run under other work ------------===//

#include "OverlappedLoop.h"

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

std::optional<OverlappedLoop> OverlappedLoop::match(scf::ForOp loop) {
  Block *body = loop.getBody();
  auto products = llvm::to_vector(body->getOps<MmaOp>());
  if (products.size() != 2 ||
      llvm::any_of(*body, [](Operation &op) { return op.getNumRegions(); }))
    return std::nullopt;
  OverlappedLoop result;
  result.loop = loop;
  result.scores = products[0];
  result.sum = products[1];
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
  Value sum = result.sum.getResult();
  if (!sum.hasOneUse() || !isa<scf::YieldOp>(*sum.user_begin()))
    return std::nullopt;
  result.accumulator = sum.use_begin()->getOperandNumber();
  SmallVector<Value> worklist{loop.getRegionIterArgs()[result.accumulator]};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (user == result.sum || result.rescaling.contains(user))
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
      scores.getTransposeB(), /*zero=*/true);
  return {product.getResult(), product.getToken()};
}

std::pair<Value, Value> OverlappedLoop::issueSum(GroupCode &code, Value weights,
                                                 Value acc) {
  OpBuilder &b = code.getBuilder();
  code.clone(*getValues);
  auto product = MmaAsyncOp::create(
      b, sum.getLoc(), acc.getType(), TokenType::get(b.getContext()), weights,
      code.mapping.lookup(sum.getB()), acc, sum.getTransposeB(),
      /*zero=*/false);
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

SmallVector<Value> OverlappedLoop::nextState(GroupCode &code) {
  SmallVector<Value> state;
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
    state.push_back(
        code.mapping.lookup(i == accumulator ? sum.getAcc() : value));
  state.push_back(code.mapping.lookup(sum.getA()));
  return state;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

SmallVector<Value> OverlappedLoop::emitFirst(GroupCode &code) {
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

SmallVector<Value> OverlappedLoop::emitRound(GroupCode &code, Value weights) {
  Location loc = sum.getLoc();
  std::pair<Value, Value> running;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == scores) {
      code.takeTurn(loc);
      auto product = issueScores(code);
      running =
          issueSum(code, weights,
                   code.mapping.lookup(loop.getRegionIterArgs()[accumulator]));
      code.passTurn(loc);
      code.mapping.map(scores.getResult(),
                       wait(code, scores.getLoc(), product, 1));
    } else if (!isOfSum(&op)) {
      code.clone(op);
    }
  }
  Value done = wait(code, loc, running, 0);
  code.clone(*releaseValues);
  rescale(code, done);
  return nextState(code);
}

SmallVector<Value> OverlappedLoop::emitLast(GroupCode &code, ValueRange state) {
  auto product = issueSum(code, state.back(), state[accumulator]);
  SmallVector<Value> results(state.drop_back());
  results[accumulator] = wait(code, sum.getLoc(), product, 0);
  code.clone(*releaseValues);
  return results;
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
    SmallVector<Value> state = emitFirst(code);
    Value second = arith::AddIOp::create(b, loc, first, step);
    auto rounds = scf::ForOp::create(b, loc, second, end, step, state);
    {
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(rounds.getBody());
      code.mapping.map(loop.getInductionVar(), rounds.getInductionVar());
      ValueRange carried = rounds.getRegionIterArgs();
      code.mapping.map(loop.getRegionIterArgs(), carried.drop_back());
      scf::YieldOp::create(b, loc, emitRound(code, carried.back()));
    }
    // The scores are all there: the next ones' operand may come.
    code.releaseOperandsOf(*loop);
    scf::YieldOp::create(b, loc, emitLast(code, rounds.getResults()));
    b.setInsertionPointToStart(branch.elseBlock());
    code.releaseOperandsOf(*loop);
    scf::YieldOp::create(b, loc, none);
  }
  code.mapping.map(loop.getResults(), branch.getResults());
}

} // namespace mlir::smx::gpu
