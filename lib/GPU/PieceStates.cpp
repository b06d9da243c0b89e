//===- PieceStates.cpp - a long row's state, of pieces as they arrive -----===//
//
// Let pieces i = 0, 1, .. of a warp's part arrive one after another. With the
// maximum so far,
//
//   m_i = max(m_(i-1), max x),  w = exp(c (x - m_i))        over piece i
//   l_i = l_(i-1) exp(c (m_(i-1) - m_i)) + sum w
//
// the weights of one piece are computed while the next ones are on their way.
// Those that are kept are exp(c (x - m)) but for exp(c (m_i - m)), which their
// results are multiplied by. Several pieces share a state.
//
//===----------------------------------------------------------------------===//

#include "RowPieces.h"
#include "TileReductions.h"

using namespace mlir;
using namespace mlir::smx::gpu;

std::optional<RowState> RowPieces::matchState(ArrayRef<Operation *> roots) {
  if (pieces.size() < 4 || roots.size() < 2)
    return std::nullopt;
  auto maximum = dyn_cast<ReduceOp>(roots[0]);
  if (!maximum || maximum.getKind() != Combiner::MaxNum ||
      keptBy.contains(maximum))
    return std::nullopt;
  if (auto sum = dyn_cast<ReduceOp>(roots[1]);
      sum ? sum.getKind() != Combiner::Add : !isa<PartialReduceOp>(roots[1]))
    return std::nullopt;
  Value summed = roots[1]->getOperand(0);
  std::optional<Weight> weight = matchWeight(summed);
  if (!weight || isSplat(weight->reference) ||
      !isOfValues(weight->reference, maximum.getResult()))
    return std::nullopt;
  RowState result{maximum, roots[1], *weight};
  auto parts = dyn_cast<StripedAttr>(
      getLayout(cast<RankedTensorType>(summed.getType())));
  if (!parts || parts.getRowThreads() != int64_t(kernel.getWarps()))
    return std::nullopt;
  if (Value kept = keptBy.lookup(result.sum); kept && kept != result.weights())
    return std::nullopt;
  // All else that weights need is known before the maximum.
  llvm::SetVector<Value> chain;
  collect(summed, chain);
  for (Value value : chain) {
    if (value == result.reference())
      continue;
    for (Value operand : value.getDefiningOp()->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && !isWhole(operand.getType()) &&
          op->getBlock() == maximum->getBlock() &&
          !op->isBeforeInBlock(maximum))
        return std::nullopt;
  }
  return result;
}

void RowPieces::convertState() {
  ReduceOp maximum = state->maximum;
  Location loc = maximum.getLoc();
  OpBuilder builder(maximum);
  auto layout = cast<StripedAttr>(
      getLayout(cast<RankedTensorType>(state->sum->getOperand(0).getType())));
  PartBuilder parts(kernel, layout.getVector(), builder, loc);
  auto referenceOf = [&](Value value) {
    return parts.ofValue(state->weight.reference, maximum.getResult(), value);
  };
  auto factorOf = [&](Value before, Value reference) {
    if (before.getType() != reference.getType())
      before = arith::ExtFOp::create(builder, loc, reference.getType(), before);
    return parts.weigh(before, reference, state->weight);
  };
  auto partial = dyn_cast<PartialReduceOp>(state->sum);
  bool isKept = keptBy.contains(state->sum);

  // The last pieces are few: their weights are computed when all is there.
  Pieces rest = pieces;
  SmallVector<std::pair<Pieces, Value>> before;
  Value running, sum;
  for (int64_t left = columns / 4; !rest.empty(); left /= 4) {
    bool isLast = int64_t(before.size()) + 1 == states;
    Pieces some = rest.take_while([&](const Piece &piece) {
      return isLast || piece.first + piece.columns <= columns - left;
    });
    some = rest.take_front(std::max<size_t>(some.size(), 1));
    rest = rest.drop_front(some.size());
    Value tile = combined(builder, some, maximum, Value());
    auto reduce = cast<ReduceOp>(builder.clone(*maximum));
    reduce.getTileMutable().assign(tile);
    Value last = running;
    running = reduce.getResult();
    if (last)
      running = combineTiles(builder, loc, maximum.getKind(), last, running);
    Value reference = referenceOf(running);
    Value ofSome = partial ? combined(builder, some, partial, reference)
                           : combined(builder, some, cast<ReduceOp>(state->sum),
                                      reference);
    if (sum) {
      Value factor = factorOf(last, reference);
      auto type = cast<RankedTensorType>(sum.getType());
      Type element = type.getElementType();
      if (element != getElementTypeOrSelf(factor))
        factor = arith::ExtFOp::create(builder, loc, parts.partValue(element),
                                       factor);
      Value factors = BroadcastOp::create(builder, loc, type, factor);
      sum = arith::MulFOp::create(builder, loc, sum, factors);
      sum = arith::AddFOp::create(builder, loc, sum, ofSome);
    } else {
      sum = ofSome;
    }
    before.push_back({some, running});
  }
  if (isKept)
    for (auto [some, value] : llvm::drop_end(before)) {
      Value factor = factorOf(value, referenceOf(running));
      for (Piece &piece : some)
        piece.factor = factor;
    }
  if (partial) {
    Operation *widened = *partial->user_begin();
    widened->getResult(0).replaceAllUsesWith(sum);
    widened->erase();
    partial.erase();
  } else {
    cast<ReduceOp>(state->sum).getTileMutable().assign(sum);
  }
  maximum.replaceAllUsesWith(running);
  maximum.erase();
}
