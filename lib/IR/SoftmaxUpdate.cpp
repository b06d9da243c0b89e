//===- SoftmaxUpdate.cpp - a tile of scores joins (m, l, acc) -------------===//
//
// Steps are named as in SoftmaxAlgebra.cpp.
//
//===----------------------------------------------------------------------===//

#include "SeenScores.h"
#include "SoftmaxArithmetic.h"
#include "smx/IR/ReferenceSlack.h"
#include "smx/IR/SerialSums.h"
#include "smx/IR/Smx.h"

using namespace mlir;
using namespace mlir::smx;

/// The finishes that want the weights of the very tile that `op` adds: they are
/// kept when they are summed.
static SmallVector<FinishOp> weightsOfTile(UpdateOp op) {
  SmallVector<FinishOp> found;
  for (Operation *user : op.getResults().front().getUsers())
    if (auto finish = dyn_cast<FinishOp>(user))
      if (isWeightsOfTile(finish, op))
        found.push_back(finish);
  return found;
}

/// True if scores were widened from 16 bits: memory gives twice as many of them
/// in the same time, so that arithmetic takes the time.
static bool wereHalf(Value scores) {
  auto generic = scores.getDefiningOp<linalg::GenericOp>();
  if (!generic)
    return false;
  auto ext = generic.getBlock()
                 ->getTerminator()
                 ->getOperand(cast<OpResult>(scores).getResultNumber())
                 .getDefiningOp<arith::ExtFOp>();
  return ext && ext.getIn().getType().getIntOrFloatBitWidth() <= 16;
}

/// How far the reference of an update may be from the maximum, in powers of
/// two.
static double distanceOf(UpdateOp op, StringRef name) {
  auto distance = op->getAttrOfType<FloatAttr>(name);
  return distance ? distance.getValueAsDouble() : 0;
}

/// True if values, and weights that are rounded to their type, may be as small
/// as those of `type`.
static bool hasRangeOf(FloatType type, Value values) {
  auto narrow = dyn_cast<FloatType>(getElementTypeOrSelf(values.getType()));
  return narrow && APFloat::semanticsMinExponent(narrow.getFloatSemantics()) <=
                       APFloat::semanticsMinExponent(type.getFloatSemantics());
}

namespace {
/// An update of softmax's state by a tile of scores, step by step.
class SoftmaxUpdate {
public:
  SoftmaxUpdate(OpBuilder &builder, UpdateOp op,
                const SoftmaxArithmetic &arithmetic);

  /// (m', l').
  SmallVector<Value> ofSums();
  /// The references of (m', l') and (m, l), if they are asked for.
  void addReferences(SmallVector<Value> &results) {
    if (!op->hasAttr(givesReferencesAttribute))
      return;
    results.push_back(reference);
    if (referenceBefore)
      results.push_back(referenceBefore);
  }
  /// (m', l', acc').
  SmallVector<Value> ofAccumulator();

private:
  TileOperand state(unsigned i) { return {op.getStates()[i], maps[i]}; }
  TileOperand fresh() {
    return {emptyLike(builder, op.getLoc(), op.getStates()[0], soft.type), row};
  }
  void addMaximum();
  void startFromTile();
  Value sumOfWeights();

  OpBuilder &builder;
  UpdateOp op;
  const SoftmaxArithmetic &soft;
  SmallVector<AffineMap> maps;
  AffineMap row;
  TileArithmetic tile;
  TileOperand scores;
  Type scoreType;
  bool isExact;
  /// The lowest number stands for scores of -inf that are seen.
  bool isKeptFinite;
  /// The tile's own maximum, of scores as they are.
  Value tileMaximum;
  /// m', the same without infinities, a = exp(m - m') and l*a; and in base 2
  /// what scores of an accumulator's weights are multiplied by.
  Value maximum, reference, factor, rescaledSum, scoreFactor;
  /// m without infinities, if it is asked for.
  Value referenceBefore;
};
} // namespace

SoftmaxUpdate::SoftmaxUpdate(OpBuilder &builder, UpdateOp op,
                             const SoftmaxArithmetic &arithmetic)
    : builder(builder), op(op), soft(arithmetic), maps(op.getOperandMaps()),
      row(maps[0]), tile{builder, op.getLoc()},
      scores{op.getInputs()[0], maps[op.getStates().size()]},
      scoreType(getElementTypeOrSelf(scores.tensor.getType())),
      isExact(op.getStates().size() == 3 && soft.isBase2()),
      isKeptFinite(op.getStates().size() == 3 && op.getMasked() &&
                   op->hasAttr(serialSumsAttribute) &&
                   keepSeenFinite(scores.tensor)) {
  Value identity = filledLike(builder, op.getLoc(), op.getStates()[0],
                              -std::numeric_limits<double>::infinity());
  tileMaximum = tile.reduce(
      "tile maximum", {scores}, {{identity, row}}, {row.getNumResults()},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        return {m.max(m.cast(v[0], soft.type), v[1])};
      })[0];
}

/// m' = max(m, tile), a = exp(m - m'), l*a
void SoftmaxUpdate::addMaximum() {
  // Without an accumulator there is little to rescale.
  double slack = isExact ? distanceOf(op, referenceSlackAttribute) : 0;
  double lead = slack != 0 && hasRangeOf(soft.type, op.getInputs()[1])
                    ? distanceOf(op, referenceLeadAttribute)
                    : 0;
  // The state is updated in place: what a loop carries stays where it is.
  SmallVector<TileOperand> next{state(0), fresh(), fresh(), state(1)};
  bool givesReferences = op->hasAttr(givesReferencesAttribute);
  if (isExact || givesReferences)
    next.push_back(fresh());
  SmallVector<Value> moved = tile.mapOnto(
      "running maximum and rescale factor",
      {state(0), state(1), {tileMaximum, row}}, next,
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value ofScores = isKeptFinite ? soft.withoutLowest(m, v[2]) : v[2];
        Value ofTile = isExact ? soft.exactReferenceOf(m, ofScores)
                               : soft.referenceOf(m, ofScores);
        Value maximum = soft.follow(m, ofTile, v[0], slack, lead);
        Value reference = soft.guarded(m, maximum);
        Value factor = soft.rescaleParts(m, v[0], reference);
        SmallVector<Value> results{maximum, reference, factor,
                                   m.mul(v[1], m.cast(factor, v[1].getType()))};
        if (isExact)
          results.push_back(soft.factorFor(m, reference));
        else if (givesReferences)
          results.push_back(soft.guarded(m, v[0]));
        return results;
      });
  maximum = moved[0];
  reference = moved[1];
  factor = moved[2];
  rescaledSum = moved[3];
  if (isExact)
    scoreFactor = moved[4];
  else if (givesReferences)
    referenceBefore = moved[4];
}

/// The identity is neutral: max(-inf, tile) = tile, and there is no sum yet.
void SoftmaxUpdate::startFromTile() {
  SmallVector<Value> first =
      tile.mapOnto("first maximum", {{tileMaximum, row}}, {state(0), fresh()},
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     Value maximum = soft.referenceOf(m, v[0]);
                     return {maximum, soft.guarded(m, maximum)};
                   });
  maximum = first[0];
  reference = first[1];
}

/// The sum of p = exp(s - m') of the tile; the weights themselves are kept for
/// finishes that want them.
Value SoftmaxUpdate::sumOfWeights() {
  auto bitsAttr = op->getAttrOfType<IntegerAttr>(bitsOfSumAttribute);
  int bits = bitsAttr ? bitsAttr.getInt() : soft.bitsOfSum;
  unsigned stream = row.getNumResults();
  std::optional<int> hint;
  if (soft.isPrecise(scoreType) && op->hasAttr(forLogarithmAttribute))
    hint = op->hasAttr(forRowsAttribute) || !wereHalf(scores.tensor)
               ? soft.bitsOfLongRow
               : soft.bitsOfLogarithm;
  else if (soft.isLongRow(scores.tensor, scores.map, stream))
    hint = soft.bitsOfLongRow;
  FloatType sumType = soft.sumType(scoreType);
  Value zero = soft.zeroSum(builder, op.getLoc(), op.getStates()[1], scoreType);
  SmallVector<TileOperand> outputs{{zero, row}};
  SmallVector<FinishOp> kept = weightsOfTile(op);
  if (!kept.empty())
    outputs.insert(outputs.begin(),
                   {emptyLike(builder, op.getLoc(), scores.tensor, soft.type),
                    scores.map});
  SmallVector<Value> summed =
      tile.reduce(kept.empty() ? "tile sum" : "weights and tile sum",
                  {scores, {reference, row}}, outputs, {stream},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    Value weight = soft.weight(m, m.cast(v[0], soft.type), v[1],
                                               scoreType, bits);
                    if (hint)
                      m.setBits(weight, *hint);
                    Value added = m.add(m.cast(weight, sumType), v.back());
                    if (kept.empty())
                      return {added};
                    return {weight, added};
                  });
  for (FinishOp weights : kept)
    weights.getResult().replaceAllUsesWith(summed.front());
  return summed.back();
}

SmallVector<Value> SoftmaxUpdate::ofSums() {
  Type stateType = getElementTypeOrSelf(op.getStates()[1].getType());
  FloatType sumType = soft.sumType(scoreType);
  if (op.getStates()[0].getDefiningOp<IdentityOp>()) {
    startFromTile();
    Value sum = sumOfWeights();
    if (sumType == stateType)
      return {maximum, sum};
    return {maximum,
            tile.mapOnto("first sum", {{sum, row}}, {state(1)},
                         [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                           return {m.cast(v[0], stateType)};
                         })[0]};
  }
  addMaximum();
  Value sum = sumOfWeights();
  return {maximum,
          tile.mapInto("running sum", {{sum, row}}, {rescaledSum, row},
                       [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                         Value added = m.add(v[0], m.cast(v[1], sumType));
                         return {m.cast(added, stateType)};
                       })};
}

SmallVector<Value> SoftmaxUpdate::ofAccumulator() {
  addMaximum();
  // p = exp(s - m'), l' = l*a + sum p
  Value weights = emptyLike(builder, op.getLoc(), scores.tensor, soft.type);
  SmallVector<TileOperand> weighed{scores, {reference, row}};
  if (isExact)
    weighed.push_back({scoreFactor, row});
  SmallVector<Value> seen;
  if (op.getMasked() && !isKeptFinite)
    seen = buildSeen(builder, scores.tensor);
  for (Value tile : seen)
    weighed.push_back({tile, scores.map});
  SmallVector<Value> summed = tile.reduce(
      "weights and running sum", weighed,
      {{weights, scores.map}, {rescaledSum, row}}, {row.getNumResults()},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value score = m.cast(v[0], soft.type);
        Value weight =
            isExact ? soft.weight(m, score, v[1], v[2])
                    : soft.weight(m, score, v[1], scoreType, soft.bitsOfSum);
        if (op.getMasked())
          weight = soft.maskedWeight(m, score, weight,
                                     v.drop_back(2).take_back(seen.size()));
        return {weight, m.add(weight, v.back())};
      });
  if (!seen.empty())
    summed = llvm::to_vector_of<Value>(
        fuseSeen(builder, summed[0].getDefiningOp<linalg::GenericOp>(),
                 seen.size())
            .getResults());

  // acc' = acc*a + p v
  AffineMap accMap = maps[2];
  Value rescaled =
      tile.mapInto("rescale", {{factor, row}}, state(2),
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     return {m.mul(v[1], v[0])};
                   });
  Value accumulator = tile.reduce(
      "accumulate", {{summed[0], scores.map}, {op.getInputs()[1], maps[4]}},
      {{rescaled, accMap}}, {row.getNumResults()},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value value = m.cast(v[1], soft.type);
        if (op.getMasked()) {
          // 0 * NaN is NaN: what a mask hides is selected away.
          Value zero = m.constant(0.0, soft.type);
          value = m.select(m.isNegativeZero(v[0]), zero, value);
        }
        return {m.add(m.mul(v[0], value), v[2])};
      })[0];
  return {maximum, summed[1], accumulator};
}

SmallVector<Value>
SoftmaxAlgebraAttr::expandUpdate(OpBuilder &builder,
                                 Operation *operation) const {
  auto op = cast<UpdateOp>(operation);
  SoftmaxArithmetic soft = arithmeticOf(*this, op.getStates()[0]);
  SoftmaxUpdate update(builder, op, soft);
  if (op.getStates().size() == 3)
    return update.ofAccumulator();
  SmallVector<Value> results = update.ofSums();
  update.addReferences(results);
  return results;
}
