//===- CrossEntropyAlgebra.cpp - (m, l) beside (n, t) ---------------------===//
//
// A product of monoids: what softmax's state does is asked of softmax's
// algebra, and the smoothing's count and sum stand beside it. The sum is that
// of the scores' distances from the reference, none of which is positive: one
// of the scores themselves would lose to the maximum what the loss is made of.
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

/// Distances are added up in units of this: none of finite scores overflows,
/// nor does their sum. In base 2 they have the factor of references.
constexpr double unitOfSum = 4294967296.0; // 2^32

/// The distance of a score from a reference.
static Value distanceOfScore(ScalarMath m, const SoftmaxArithmetic &soft,
                             Value score, Value reference) {
  double factor = soft.isBase2() ? soft.base2Factor() : 1.0;
  return m.fma(score, m.constant(factor / unitOfSum, soft.type),
               m.neg(soft.times(m, reference, 1 / unitOfSum)));
}

/// The sum of `count` distances from `before` as one of those from `reference`.
static Value movedSum(ScalarMath m, const SoftmaxArithmetic &soft, Value count,
                      Value sum, Value before, Value reference) {
  Value move = m.sub(soft.times(m, before, 1 / unitOfSum),
                     soft.times(m, reference, 1 / unitOfSum));
  return m.fma(count, move, sum);
}

/// `share` (> 0) times the mean of distances, in units of the natural
/// logarithm.
static Value shareOfMean(ScalarMath m, const SoftmaxArithmetic &soft,
                         Value count, Value sum, double share) {
  Value mean = m.div(sum, count);
  double factor = share * (soft.isBase2() ? llvm::numbers::ln2
                                          : soft.algebra.getScaleValue());
  // One product, so that nothing overflows that the factor makes finite.
  if (factor < 1)
    return soft.times(m, mean, factor * unitOfSum);
  return soft.times(m, soft.times(m, mean, unitOfSum), factor);
}

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
  if (states.size() > 2)
    part->setAttr(givesReferencesAttribute, builder.getUnitAttr());
  SmallVector<Value> next = expandPart<UpdateOp>(part, [&](UpdateOp update) {
    return getSoftmax().expandUpdate(builder, update);
  });
  if (states.size() == 2)
    return next;

  // d = sum (s - m'), t' = t + n (m - m') + d, n' = n + extent
  Value reference = next[2], before = next.size() > 3 ? next[3] : Value();
  next.truncate(2);
  unsigned stream = row.getNumResults();
  Value count = streamExtent(builder, op.getLoc(), scores, stream, soft.type);
  TileArithmetic tile{builder, op.getLoc()};
  Value zero = filledLike(builder, op.getLoc(), states[3], 0.0);
  Value sum = tile.reduce(
      "sum of distances", {scores, {reference, row}}, {{zero, row}}, {stream},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value score = m.cast(v[0], soft.type);
        return {m.add(distanceOfScore(m, soft, score, v[1]), v[2])};
      })[0];
  SmallVector<TileOperand> inputs{
      {states[2], row}, {states[3], row}, {sum, row}};
  if (before)
    inputs.append({{before, row}, {reference, row}});
  llvm::append_range(
      next, tile.mapOnto("count and distances", inputs,
                         {{states[2], row}, {states[3], row}},
                         [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                           Value sum = v[1];
                           if (before)
                             sum = movedSum(m, soft, v[0], sum, v[3], v[4]);
                           return {m.add(v[0], count), m.add(sum, v[2])};
                         }));
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
  bool hasSums = states.size() > 2;
  SmallVector<Value> next =
      expandPartsOfSoftmax(builder, getSoftmax(), update, hasSums);
  if (!hasSums)
    return next;
  // t' = t + n (m - m') + sum (t_p + n_p (m_p - m')), n' = n + sum n_p
  Value reference = next[2], before = next[3];
  next.truncate(2);
  AffineMap row = update.row;
  SoftmaxArithmetic soft = arithmeticOf(getSoftmax(), states[0]);
  TileArithmetic tile{builder, update.loc()};
  Value sum = tile.mapInto(
      "moved sum", {{states[2], row}, {before, row}, {reference, row}},
      update.state(3), [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        return {movedSum(m, soft, v[0], v[3], v[1], v[2])};
      });
  next.push_back(tile.sum("count of parts", update.input(2), update.state(2),
                          update.stream));
  next.push_back(tile.reduce(
      "distances of parts",
      {update.input(0), update.input(2), update.input(3), {reference, row}},
      {{sum, row}}, {update.stream},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value ofPart =
            movedSum(m, soft, v[1], v[2], soft.guarded(m, v[0]), v[3]);
        return {m.add(ofPart, v[4])};
      })[0]);
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
  SoftmaxArithmetic soft = arithmeticOf(getSoftmax(), a[0]);
  SmallVector<TileOperand> inputs{{merged[0], row}};
  for (ValueRange states : {a, b})
    for (unsigned i : {0, 2, 3})
      inputs.push_back({states[i], row});
  // t = ta + na (ma - m) + tb + nb (mb - m), n = na + nb
  llvm::append_range(
      merged,
      tile.map("merge sums", inputs, {{a[2], row}, {a[3], row}},
               [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                 Value reference = soft.guarded(m, v[0]);
                 auto moved = [&](ValueRange state) {
                   return movedSum(m, soft, state[1], state[2],
                                   soft.guarded(m, state[0]), reference);
                 };
                 return {m.add(v[2], v[5]),
                         m.add(moved(v.slice(1, 3)), moved(v.slice(4, 3)))};
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

  // log l - (1-e)*scale*(x - m) - e*scale*t/n
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
        if (smoothing != 0)
          distance =
              m.add(distance, shareOfMean(m, soft, v[2], v[3], smoothing));
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
