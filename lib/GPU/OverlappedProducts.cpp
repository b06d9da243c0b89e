//===- OverlappedProducts.cpp - the two products of overlapped rounds -----===//

#include "FiniteColumns.h"
#include "Multiples.h"
#include "OverlappedRounds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::smx::gpu {

OverlappedRounds::Product OverlappedRounds::issueScores() {
  OpBuilder &b = code.getBuilder();
  auto product = MmaAsyncOp::create(
      b, scores.getLoc(), code.convert(scores.getResult().getType()),
      TokenType::get(b.getContext()), code.mapping.lookup(scores.getA()),
      code.mapping.lookup(scores.getB()), code.mapping.lookup(scores.getAcc()),
      scores.getTransposeB(), /*zero=*/true, /*unless=*/Value());
  return {product.getResult(), product.getToken()};
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

//===----------------------------------------------------------------------===//
// Sums term by term
//===----------------------------------------------------------------------===//

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

Value OverlappedRounds::addWhereTerms(const State &state,
                                      function_ref<Value()> counter, Value acc,
                                      Value areTerms) {
  auto terms = [&]() -> SmallVector<Value> {
    return {addTerms(state, counter, acc)};
  };
  auto asItIs = [&]() -> SmallVector<Value> { return {acc}; };
  return makeBranch(code.getBuilder(), sum.getLoc(), acc.getType(), areTerms,
                    terms, asItIs)[0];
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

Value OverlappedRounds::addLast(const State &state) {
  Value areTerms = askForTerms(state), acc = state.carried[accumulator];
  auto multiply = [&]() -> SmallVector<Value> {
    auto product = issueSum(state, /*areTerms=*/Value());
    return {wait(sum.getLoc(), product, 0)};
  };
  if (!areTerms)
    return multiply().front();
  auto terms = [&]() -> SmallVector<Value> {
    return {addTerms(
        state, [&] { return lastCounter(); }, acc)};
  };
  // Alone, the unit takes over no accumulator from two sides.
  return makeBranch(code.getBuilder(), loop.getLoc(), acc.getType(), areTerms,
                    terms, multiply)[0];
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

} // namespace mlir::smx::gpu
