//===- CrossEntropyAlgebra.cpp - (m, l) beside (n, t) ---------------------===//
//
// A product of monoids: what softmax's state does is asked of softmax's
// algebra, and the smoothing's count and sum stand beside it.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxArithmetic.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult
CrossEntropyAlgebraAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                SoftmaxAlgebraAttr, FloatAttr smoothing) {
  double value = smoothing.getValueAsDouble();
  if (value >= 0 && value < 1)
    return success();
  return emitError() << "expected a smoothing in [0, 1), got " << value;
}

SmallVector<StringRef> CrossEntropyAlgebraAttr::getQuantities() const {
  return {"loss", "weighted_loss", "logsumexp"};
}
std::pair<unsigned, unsigned> CrossEntropyAlgebraAttr::getStateCount() const {
  unsigned count = getSmoothingValue() == 0 ? 2 : 4;
  return {count, count};
}
unsigned CrossEntropyAlgebraAttr::getInputCount(unsigned) const { return 1; }
unsigned
CrossEntropyAlgebraAttr::getFinishInputCount(StringRef quantity) const {
  return quantity == "logsumexp" ? 0 : quantity == "loss" ? 1 : 2;
}
unsigned CrossEntropyAlgebraAttr::getFinishStateCount(StringRef) const {
  return getStateCount().first;
}

/// The scores are added up in units of this: no sum of finite ones overflows.
constexpr double unitOfSum = 4294967296.0; // 2^32

/// What `expand` makes of `op`, which is there for it alone.
template <typename OpT>
static SmallVector<Value>
expandPart(OpT op, llvm::function_ref<SmallVector<Value>(OpT)> expand) {
  SmallVector<Value> values = expand(op);
  op.erase();
  return values;
}

SmallVector<Value>
CrossEntropyAlgebraAttr::expandIdentity(OpBuilder &builder,
                                        Operation *operation) const {
  // -inf for the maximum, 0 for all that is added up.
  return getSoftmax().expandIdentity(builder, operation);
}

SmallVector<Value>
CrossEntropyAlgebraAttr::expandUpdate(OpBuilder &builder,
                                      Operation *operation) const {
  auto op = cast<UpdateOp>(operation);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  AffineMap row = maps[0];
  TileOperand scores{op.getInputs()[0], maps.back()};
  SoftmaxArithmetic soft = arithmeticOf(getSoftmax(), states[0]);
  auto part = UpdateOp::create(
      builder, op.getLoc(), states.take_front(2).getTypes(), getSoftmax(),
      states.take_front(2), op.getInputs(),
      builder.getAffineMapArrayAttr({row, row, scores.map}), op.getMasked());
  // A loss may have more bits than its logits.
  part->setAttr(bitsOfSumAttribute,
                builder.getI32IntegerAttr(soft.bitsFor(soft.type)));
  part->setAttr(forLogarithmAttribute, builder.getUnitAttr());
  SmallVector<Value> next = expandPart<UpdateOp>(part, [&](UpdateOp update) {
    return getSoftmax().expandUpdate(builder, update);
  });
  if (states.size() == 2)
    return next;

  // n' = n + extent, t' = t + sum s/unit
  unsigned stream = row.getNumResults();
  Value count = streamExtent(builder, op.getLoc(), scores, stream, soft.type);
  TileArithmetic tile{builder, op.getLoc()};
  next.push_back(
      tile.mapInto("count", {}, {states[2], row},
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     return {m.add(v[0], count)};
                   }));
  next.push_back(
      tile.reduce("sum of scores", {scores}, {{states[3], row}}, {stream},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    Value unit = m.constant(1 / unitOfSum, soft.type);
                    return {m.add(m.mul(m.cast(v[0], soft.type), unit), v[1])};
                  })[0]);
  return next;
}

std::optional<unsigned>
CrossEntropyAlgebraAttr::getDoubleSum(Operation *operation) const {
  return getSoftmax().getDoubleSum(operation);
}

bool CrossEntropyAlgebraAttr::hasParts() const {
  return getSoftmax().hasParts();
}

SmallVector<Value>
CrossEntropyAlgebraAttr::expandParts(OpBuilder &builder,
                                     Operation *operation) const {
  UpdateOperands update(operation);
  ValueRange states = update.states;
  SmallVector<Value> next = expandPartsOfSoftmax(builder, getSoftmax(), update);
  // n' = n + sum n_p, t' = t + sum t_p
  TileArithmetic tile{builder, update.loc()};
  for (size_t i = 2; i < states.size(); ++i)
    next.push_back(tile.sum("sum of parts", update.input(i), update.state(i),
                            update.stream));
  return next;
}

SmallVector<Value>
CrossEntropyAlgebraAttr::expandMerge(OpBuilder &builder,
                                     Operation *operation) const {
  auto op = cast<MergeOp>(operation);
  AffineMap row = cast<AffineMapAttr>(op.getMaps()[0]).getValue();
  ValueRange a = op.getLhs(), b = op.getRhs();
  auto part = MergeOp::create(builder, op.getLoc(), a.take_front(2).getTypes(),
                              getSoftmax(), a.take_front(2), b.take_front(2),
                              builder.getAffineMapArrayAttr({row, row}));
  SmallVector<Value> merged = expandPart<MergeOp>(part, [&](MergeOp merge) {
    return getSoftmax().expandMerge(builder, merge);
  });
  if (a.size() == 2)
    return merged;
  TileArithmetic tile{builder, op.getLoc()};
  llvm::append_range(
      merged, tile.map("merge sums",
                       {{a[2], row}, {b[2], row}, {a[3], row}, {b[3], row}},
                       {{a[2], row}, {a[3], row}},
                       [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                         return {m.add(v[0], v[1]), m.add(v[2], v[3])};
                       }));
  return merged;
}

SmallVector<Value>
CrossEntropyAlgebraAttr::expandFinish(OpBuilder &builder,
                                      Operation *operation) const {
  auto op = cast<FinishOp>(operation);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  AffineMap row = maps[0], result = op.getResultMap();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (op.getQuantity() == "logsumexp") {
    auto part =
        FinishOp::create(builder, op.getLoc(), type, getSoftmax(),
                         op.getQuantity(), states.take_front(2), ValueRange(),
                         builder.getAffineMapArrayAttr({row, row, result}));
    return expandPart<FinishOp>(part, [&](FinishOp finish) {
      return getSoftmax().expandFinish(builder, finish);
    });
  }

  // log l - (1-e)*scale*(x - m) - e*scale*(t/n - m)
  SoftmaxArithmetic soft = arithmeticOf(getSoftmax(), states[0]);
  double smoothing = getSmoothingValue();
  SmallVector<TileOperand> inputs;
  for (auto [value, map] :
       llvm::zip(op.getOperands(), ArrayRef(maps).drop_back()))
    inputs.push_back({value, map});
  TileArithmetic tile{builder, op.getLoc()};
  Value empty = emptyFor(builder, op.getLoc(), type, states[0], row, result);
  return tile.map(
      "loss", inputs, {{empty, result}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        ValueRange given = v.drop_front(states.size());
        Value distance = soft.weightedDistance(m, m.cast(given[0], soft.type),
                                               v[0], 1 - smoothing);
        if (smoothing != 0) {
          Value mean = soft.times(m, m.div(v[3], v[2]), unitOfSum);
          distance =
              m.add(distance, soft.weightedDistance(m, mean, v[0], smoothing));
        }
        Value logSum = soft.nanIfInfinite(m, v[1], m.log(v[1]));
        Value loss = m.sub(logSum, distance);
        if (given.size() == 2) {
          // Selected away and not multiplied: 0 * NaN is NaN.
          Value zero = m.constant(0.0, soft.type);
          Value weight = m.cast(given[1], soft.type);
          loss = m.select(m.equal(weight, zero), zero, m.mul(weight, loss));
        }
        return {m.cast(loss, type.getElementType())};
      });
}
