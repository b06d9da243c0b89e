//===- PartialLoops.cpp - loops with a state for each thread --------------===//
//
// In a loop over tiles of a row, the step
//
//   m' = max(m, max x),  l' = l exp(m - m') + sum exp(x - m')
//
// is that of the algebra whatever part of the row the state (m, l) is of. So
// each thread may take it with what it holds of the tiles, and asks no other
// one; they merge once, after the loop, within warps and then among them. The
// same holds for squares that are added up by a scale:
//
//   s' = min(s, f(max |x|)),  q' = q (s'/s)^2 + sum (s' x)^2
//   merged: s = min s_t,  q = sum q_t (s/s_t)^2
//
// and for the mean of distances from what the maximum is the origin of, where
// each thread has equally many elements:
//
//   t' = (t + o(m) - o(m')) n/n' + (mean (x - o(m'))) c/n'
//   merged: t = sum (t_t + o(m_t) - o(m)) / threads
//
//===----------------------------------------------------------------------===//

#include "LoopStates.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {

class PartialLoop {
public:
  PartialLoop(scf::ForOp loop, KernelOp kernel) : loop(loop), kernel(kernel) {}

  bool match();
  void rewrite();

private:
  bool isKnown(Operation &op);
  void convert(Operation &op, OpBuilder &builder, PartBuilder &parts);

  scf::ForOp loop;
  KernelOp kernel;
  SmallVector<LoopState> states;
  IRMapping converted;
};

bool PartialLoop::isKnown(Operation &op) {
  // Others are of threads already.
  if (auto reduce = dyn_cast<ReduceOp>(op);
      reduce && isRowValue(reduce.getResult().getType()))
    return isOfWarps(reduce, kernel.getWarps());
  bool hasRowValue =
      llvm::any_of(llvm::concat<Value>(op.getOperands(), op.getResults()),
                   [](Value value) { return isRowValue(value.getType()); });
  if (op.getNumRegions() != 0)
    return false;
  if (!hasRowValue)
    return true;
  if (isa<BroadcastOp>(op))
    return cast<RankedTensorType>(op.getResult(0).getType()).getDimSize(0) == 1;
  // Values of the row come from the arguments, reductions and constants.
  return op.hasTrait<OpTrait::ConstantLike>()
             ? isSplat(op.getResult(0))
             : OpTrait::hasElementwiseMappableTraits(&op) &&
                   isMemoryEffectFree(&op) &&
                   llvm::all_of(op.getOperands(), [&](Value operand) {
                     return isSplat(operand) ||
                            operand.getParentBlock() == loop.getBody();
                   });
}

bool PartialLoop::match() {
  std::optional<SmallVector<LoopState>> found = matchLoopStates(loop);
  if (!found)
    return false;
  states = *found;
  return llvm::any_of(states,
                      [](const LoopState &state) {
                        return !state.ofThreads().empty();
                      }) &&
         llvm::all_of(loop.getBody()->without_terminator(),
                      [&](Operation &op) { return isKnown(op); });
}

void PartialLoop::convert(Operation &op, OpBuilder &builder,
                          PartBuilder &parts) {
  auto isOfRow = [&](Value value) { return isRowValue(value.getType()); };
  auto isPart = [&](Value value) {
    Value now = converted.lookupOrNull(value);
    return now && now.getType() != value.getType();
  };
  /// As the parts of threads.
  std::function<Value(Value)> part = [&](Value value) -> Value {
    if (isPart(value))
      return converted.lookup(value);
    Value now = converted.lookupOrDefault(value);
    if (!isOfRow(value)) {
      RankedTensorType type = parts.partTile(now);
      return isSplat(now)
                 ? parts.splat(now, type)
                 : Value(PartsOp::create(builder, op.getLoc(), type, now));
    }
    RankedTensorType type = parts.partValue(getElementTypeOrSelf(now));
    if (isSplat(now))
      return parts.splat(now, type);
    // What is the same for all, as each thread computes it.
    Operation *common = value.getDefiningOp();
    return common ? parts.onOperands(
                        common,
                        llvm::map_to_vector(common->getOperands(), part), type)
                  : parts.ofThreads(now);
  };
  if (auto reduce = dyn_cast<ReduceOp>(op);
      reduce && isOfRow(reduce.getResult())) {
    Value tile = reduce.getTile();
    Type element = getElementTypeOrSelf(tile);
    // A maximum is found in the type that the elements come in.
    auto ext = reduce.getKind() == Combiner::MaxNum
                   ? tile.getDefiningOp<arith::ExtFOp>()
                   : arith::ExtFOp();
    if (ext)
      tile = ext.getIn();
    // Weights are added up in the type that they were computed in.
    auto widened = reduce.getKind() == Combiner::Add && element.isF64()
                       ? tile.getDefiningOp<arith::ExtFOp>()
                       : arith::ExtFOp();
    if (widened && isPart(widened.getIn())) {
      converted.map(reduce.getResult(),
                    parts.sumOf(part(widened.getIn()), element));
      return;
    }
    Value value = ReduceOp::create(builder, op.getLoc(),
                                   parts.partValue(getElementTypeOrSelf(tile)),
                                   reduce.getKind(), part(tile), /*dim=*/1);
    if (ext)
      value = arith::ExtFOp::create(builder, op.getLoc(),
                                    parts.partValue(element), value);
    converted.map(reduce.getResult(), value);
    return;
  }
  if (isa<BroadcastOp>(op)) {
    converted.map(op.getResult(0),
                  BroadcastOp::create(builder, op.getLoc(),
                                      parts.partTile(op.getResult(0)),
                                      part(op.getOperand(0)))
                      .getTile());
    return;
  }
  if (llvm::none_of(op.getOperands(), isPart)) {
    builder.clone(op, converted);
    return;
  }
  Type element = getElementTypeOrSelf(op.getResult(0).getType());
  SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), part);
  // A thread has the mean of its own elements.
  if (llvm::any_of(states, [&](const LoopState &state) {
        return state.tileMean == &op;
      }))
    operands[1] = parts.shareOfThread(operands[1]);
  converted.map(op.getResult(0),
                parts.onOperands(&op, operands,
                                 isOfRow(op.getResult(0))
                                     ? parts.partValue(element)
                                     : parts.partTile(op.getResult(0))));
}

/// Gives what `loop` had of the row to its users, from `made`, where each
/// thread has such a state.
static void mergeThreads(const LoopState &state, scf::ForOp loop,
                         scf::ForOp made, PartBuilder &parts) {
  Value value = loop.getResult(state.value),
        reference = loop.getResult(state.reference),
        ofThreads = made.getResult(state.value),
        references = made.getResult(state.reference),
        leaf = loop.getYieldedValues()[state.reference];
  switch (state.kind) {
  case LoopState::Kind::Count:
    return;
  case LoopState::Kind::Weights: {
    MergedState all = parts.merge(references, ofThreads, state.weight, leaf,
                                  reference.getType(), value.getType());
    reference.replaceAllUsesWith(all.maximum);
    value.replaceAllUsesWith(all.sum);
    return;
  }
  case LoopState::Kind::Squares: {
    auto [scaleOfAll, sumOfAll] = parts.mergeSquares(
        references, ofThreads, reference.getType(), value.getType());
    reference.replaceAllUsesWith(scaleOfAll);
    value.replaceAllUsesWith(sumOfAll);
    return;
  }
  case LoopState::Kind::Mean:
    value.replaceAllUsesWith(parts.mergeMeans(
        references, ofThreads, state.origin, leaf, value.getType()));
    return;
  }
}

void PartialLoop::rewrite() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  ReduceOp reduce =
      *llvm::find_if(loop.getBody()->getOps<ReduceOp>(), [](ReduceOp op) {
        return isRowValue(op.getResult().getType());
      });
  auto tile = cast<RankedTensorType>(reduce.getTile().getType());
  PartBuilder parts(kernel, cast<StripedAttr>(getLayout(tile)).getVector(),
                    builder, loc, PartOwner::Thread);
  SmallVector<Value> inits(loop.getInitArgs());
  for (const LoopState &state : states)
    for (unsigned number : state.ofThreads()) {
      Value &init = inits[number];
      init = parts.splat(init,
                         parts.partValue(getElementTypeOrSelf(init.getType())));
    }
  auto made = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  converted.map(loop.getInductionVar(), made.getInductionVar());
  converted.map(loop.getRegionIterArgs(), made.getRegionIterArgs());
  builder.setInsertionPointToStart(made.getBody());
  for (Operation &op : loop.getBody()->without_terminator())
    convert(op, builder, parts);
  SmallVector<Value> values;
  for (Value value : loop.getYieldedValues())
    values.push_back(converted.lookup(value));
  scf::YieldOp::create(builder, loc, values);

  builder.setInsertionPointAfter(made);
  for (const LoopState &state : states)
    mergeThreads(state, loop, made, parts);
  for (auto [before, after] :
       llvm::zip_equal(loop.getResults(), made.getResults()))
    before.replaceAllUsesWith(after);
  loop.erase();
}
} // namespace

bool mlir::smx::gpu::convertLoop(scf::ForOp loop, KernelOp kernel) {
  PartialLoop partial(loop, kernel);
  if (!partial.match())
    return false;
  partial.rewrite();
  return true;
}
