//===- CrossEntropyAlgebra.cpp - (m, l) beside (n, t) ---------------------===//
//
// What softmax's state does is asked of softmax's algebra, and the smoothing's
// count and mean stand beside it and move with its reference. The mean is that
// of the scores' distances from the reference, none of which is positive: one
// of the scores themselves would lose to the maximum what the loss is made of.
// It is no sum, as all roundings of a growing one may go the same way.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxArithmetic.h"
#include "smx/IR/SerialSums.h"

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

/// Distances are in units of this: none of finite scores overflows, nor does
/// the sum of a tile. In base 2 they have the factor of references.
constexpr double unitOfMean = 4294967296.0; // 2^32

/// The distance of a score from a reference.
static Value distanceOfScore(ScalarMath m, const SoftmaxArithmetic &soft,
                             Value score, Value reference) {
  double factor = soft.isBase2() ? soft.base2Factor() : 1.0;
  return m.fma(score, m.constant(factor / unitOfMean, soft.type),
               m.neg(soft.times(m, reference, 1 / unitOfMean)));
}

/// What `count` of `all` distances from `before` add to the mean of distances
/// from `reference`. None of them have a mean, and add nothing.
static Value shareOfMean(ScalarMath m, const SoftmaxArithmetic &soft,
                         Value mean, Value before, Value reference, Value count,
                         Value all) {
  Value move = m.sub(soft.times(m, before, 1 / unitOfMean),
                     soft.times(m, reference, 1 / unitOfMean));
  Value zero = m.constant(0.0, soft.type);
  Value share = m.mul(m.add(mean, move), m.div(count, all));
  return m.select(m.equal(count, zero), zero, share);
}

/// `weight` (> 0) times the mean of distances, in units of the natural
/// logarithm.
static Value weightedMean(ScalarMath m, const SoftmaxArithmetic &soft,
                          Value mean, double weight) {
  double factor = weight * (soft.isBase2() ? llvm::numbers::ln2
                                           : soft.algebra.getScaleValue());
  // One product, so that nothing overflows that the factor makes finite.
  if (factor < 1)
    return soft.times(m, mean, factor * unitOfMean);
  return soft.times(m, soft.times(m, mean, unitOfMean), factor);
}

/// The mean of a tile's distances. Where lanes add many of them one by one,
/// sums of f32 are f64, and of f64 what the mean lacks is added up once more.
static Value meanOfTile(OpBuilder &builder, UpdateOp op,
                        const SoftmaxArithmetic &soft, TileOperand scores,
                        TileOperand reference, Value count) {
  TileArithmetic tile{builder, op.getLoc()};
  AffineMap row = reference.map;
  bool isSerial = op->hasAttr(serialSumsAttribute);
  FloatType sumType = isSerial ? builder.getF64Type() : soft.type;
  auto sumOf = [&](StringRef name, ArrayRef<TileOperand> inputs,
                   llvm::function_ref<Value(ScalarMath, ValueRange)> term) {
    Value zero = linalg::FillOp::create(
                     builder, op.getLoc(),
                     ScalarMath{builder, op.getLoc()}.constant(0.0, sumType),
                     emptyLike(builder, op.getLoc(), reference.tensor, sumType))
                     .getResult(0);
    return tile.reduce(name, inputs, {{zero, row}}, {row.getNumResults()},
                       [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                         Value added = m.cast(term(m, v), sumType);
                         return {m.add(added, v.back())};
                       })[0];
  };
  auto distance = [&](ScalarMath m, ValueRange v) {
    return distanceOfScore(m, soft, m.cast(v[0], soft.type), v[1]);
  };
  Value sum = sumOf("sum of distances", {scores, reference}, distance);
  Value mean = tile.map("tile mean", {{sum, row}}, {reference},
                        [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                          Value mean = m.div(v[0], m.cast(count, sumType));
                          return {m.cast(mean, soft.type)};
                        })[0];
  if (!isSerial || sumType != soft.type)
    return mean;
  Value rest = sumOf("rest of distances", {scores, reference, {mean, row}},
                     [&](ScalarMath m, ValueRange v) {
                       return m.sub(distance(m, v), soft.guarded(m, v[2]));
                     });
  return tile.map("corrected mean", {{mean, row}, {rest, row}}, {reference},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    return {m.add(v[0], m.div(v[1], count))};
                  })[0];
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

  // n' = n + extent, t' = (t + m - m') n/n' + mean (s - m') extent/n'
  Value reference = next[2], before = next.size() > 3 ? next[3] : Value();
  next.truncate(2);
  Value count = streamExtent(builder, op.getLoc(), scores, row.getNumResults(),
                             soft.type);
  TileArithmetic tile{builder, op.getLoc()};
  Value mean = meanOfTile(builder, op, soft, scores, {reference, row}, count);
  SmallVector<TileOperand> inputs{
      {states[2], row}, {states[3], row}, {mean, row}};
  if (before)
    inputs.append({{reference, row}, {before, row}});
  llvm::append_range(
      next,
      tile.mapOnto(
          "count and mean", inputs, {{states[2], row}, {states[3], row}},
          [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
            Value all = m.add(v[0], count);
            if (!before)
              return {all, v[2]};
            return {all,
                    m.add(shareOfMean(m, soft, v[1], v[4], v[3], v[0], all),
                          shareOfMean(m, soft, v[2], v[3], v[3], count, all))};
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
  // n' = n + sum n_p, t' = (t + m - m') n/n' + sum (t_p + m_p - m') n_p/n'
  Value reference = next[2], before = next[3];
  next.truncate(2);
  AffineMap row = update.row;
  SoftmaxArithmetic soft = arithmeticOf(getSoftmax(), states[0]);
  TileArithmetic tile{builder, update.loc()};
  Value zero = filledLike(builder, update.loc(), states[2], 0.0);
  Value count =
      tile.sum("count of parts", update.input(2), {zero, row}, update.stream);
  SmallVector<Value> sums = tile.mapOnto(
      "count and share of mean",
      {update.state(2),
       update.state(3),
       {count, row},
       {before, row},
       {reference, row}},
      {update.state(2), update.state(3)},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value all = m.add(v[0], v[2]);
        return {all, shareOfMean(m, soft, v[1], v[3], v[4], v[0], all)};
      });
  next.push_back(sums[0]);
  next.push_back(tile.reduce(
      "mean of parts",
      {update.input(0),
       update.input(2),
       update.input(3),
       {reference, row},
       {sums[0], row}},
      {{sums[1], row}}, {update.stream},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value share =
            shareOfMean(m, soft, v[2], soft.guarded(m, v[0]), v[3], v[1], v[4]);
        return {m.add(share, v[5])};
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
  // n = na + nb, t = (ta + ma - m) na/n + (tb + mb - m) nb/n
  llvm::append_range(
      merged,
      tile.map(
          "merge means", inputs, {{a[2], row}, {a[3], row}},
          [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
            Value reference = soft.guarded(m, v[0]);
            Value all = m.add(v[2], v[5]);
            auto share = [&](ValueRange state) {
              return shareOfMean(m, soft, state[2], soft.guarded(m, state[0]),
                                 reference, state[1], all);
            };
            return {all, m.add(share(v.slice(1, 3)), share(v.slice(4, 3)))};
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

  // log l - (1-e)*scale*(x - m) - e*scale*t
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
          distance = m.add(distance, weightedMean(m, soft, v[3], smoothing));
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
