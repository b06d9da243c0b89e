//===- SoftmaxFinish.cpp - quantities of a finished (m, l, acc) -----------===//

#include "SoftmaxArithmetic.h"
#include "smx/IR/ElementBits.h"
#include "smx/IR/ReferenceSlack.h"

using namespace mlir;
using namespace mlir::smx;

/// If `op` finishes a state that has seen nothing but the very tile it is
/// applied to, the row is resident: its weights are kept and divided instead of
/// being computed a second time.
static bool isResidentRow(FinishOp op) {
  auto update = op.getStates()[0].getDefiningOp<UpdateOp>();
  return update && update.getStates()[0].getDefiningOp<IdentityOp>() &&
         update.getInputs()[0] == op.getInputs()[0];
}

/// All that is made of the state is in half precision or less. The weights of
/// what is wider are the same ones, and computed once.
static bool isForNarrow(FinishOp op) {
  return llvm::all_of(op.getStates()[0].getUsers(), [](Operation *user) {
    auto finish = dyn_cast<FinishOp>(user);
    return finish ? elementBits(finish.getResult().getType()) <= 16
                  : isa<tensor::DimOp>(user);
  });
}

static Value expandSoftmax(OpBuilder &builder, FinishOp op,
                           SoftmaxArithmetic soft) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  AffineMap row = maps[0], result = op.getResultMap();
  unsigned rows = row.getNumResults();
  TileArithmetic tile{builder, op.getLoc()};
  TileOperand scores{op.getInputs()[0], maps[states.size()]};
  Type scoreType = getElementTypeOrSelf(scores.tensor.getType());
  int bits = soft.bitsFor(getElementTypeOrSelf(op.getResult().getType()));
  std::optional<int> hint;
  if (soft.isPrecise(scoreType) && isForNarrow(op))
    hint = soft.bitsOfNarrow;
  else if (soft.isLongRow(scores.tensor, scores.map, rows))
    hint = soft.bitsOfLongRow;
  auto weightOf = [&](ScalarMath m, Value score, Value reference) {
    Value weight =
        soft.weight(m, m.cast(score, soft.type), reference, scoreType, bits);
    if (hint)
      m.setBits(weight, *hint);
    return weight;
  };
  Value sum = states[1], weights;
  bool isResident = isResidentRow(op);
  auto rowReference = [&](Value maximum) {
    return tile.map("guard", {{maximum, row}}, {{maximum, row}},
                    [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                      return {soft.guarded(m, v[0])};
                    })[0];
  };
  Value reference = rowReference(states[0]);
  if (isResident) {
    Value zero = soft.zeroSum(builder, op.getLoc(), states[1], scoreType);
    Value empty = emptyLike(builder, op.getLoc(), scores.tensor, soft.type);
    SmallVector<Value> summed = tile.reduce(
        "weights and running sum", {scores, {reference, row}},
        {{empty, scores.map}, {zero, row}}, {rows},
        [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
          Value weight = weightOf(m, v[0], v[1]);
          return {weight, m.add(m.cast(weight, soft.sumType(scoreType)), v[3])};
        });
    weights = summed[0];
    sum = summed[1];
  }
  auto type = cast<RankedTensorType>(op.getResult().getType());
  // A result in the state's own type is divided exactly; below that the
  // reciprocal is as good.
  bool divides = type.getElementType() == soft.type;
  SmallVector<TileOperand> outputs(divides ? 2 : 1, {states[1], row});
  SmallVector<Value> inverses =
      tile.map("reciprocal of the sum", {{sum, row}}, outputs,
               [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                 if (!divides)
                   return {soft.reciprocal(m, m.cast(v[0], soft.type))};
                 auto [reciprocal, rest] = soft.exactReciprocal(m, v[0]);
                 return {reciprocal, rest};
               });
  Value empty =
      emptyFor(builder, op.getLoc(), type, scores.tensor, scores.map, result);
  SmallVector<TileOperand> inputs{
      {weights ? weights : scores.tensor, scores.map}};
  for (Value value : inverses)
    inputs.push_back({value, row});
  size_t ofReference = inputs.size();
  if (!isResident)
    inputs.push_back({reference, row});
  return tile.map("normalise", inputs, {{empty, result}},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    Value weight =
                        isResident ? v[0] : weightOf(m, v[0], v[ofReference]);
                    Value share = divides ? soft.quotient(m, weight, v[1], v[2])
                                          : m.mul(weight, v[1]);
                    return {m.cast(share, type.getElementType())};
                  })[0];
}

/// w = exp(s - m) for the maximum so far.
static Value expandWeights(OpBuilder &builder, FinishOp op,
                           SoftmaxArithmetic soft) {
  auto update = op.getStates()[0].getDefiningOp<UpdateOp>();
  if (update && isWeightsOfTile(op, update))
    return op.getResult(); // the update gives them
  SmallVector<AffineMap> maps = op.getOperandMaps();
  TileOperand scores{op.getInputs()[0], maps[op.getStates().size()]};
  Type scoreType = getElementTypeOrSelf(scores.tensor.getType());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value empty = emptyFor(builder, op.getLoc(), type, scores.tensor, scores.map,
                         op.getResultMap());
  TileArithmetic tile{builder, op.getLoc()};
  return tile.map("weights", {scores, {op.getStates()[0], maps[0]}},
                  {{empty, op.getResultMap()}},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    Value weight = soft.weight(m, m.cast(v[0], soft.type),
                                               soft.guarded(m, v[1]), scoreType,
                                               soft.bitsOfSum);
                    return {m.cast(weight, type.getElementType())};
                  })[0];
}

/// w exp(m_tile - m) / l; the factor of a row is computed in f64, so that only
/// the weight and the product round.
static Value expandSoftmaxOfWeights(OpBuilder &builder, FinishOp op,
                                    SoftmaxArithmetic soft) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  AffineMap row = maps[0], result = op.getResultMap();
  TileOperand weights{op.getInputs()[0], maps[states.size()]};
  TileOperand maximumOfTile{op.getInputs()[1], maps[states.size() + 1]};
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SoftmaxArithmetic wide{soft.algebra, builder.getF64Type()};
  TileArithmetic tile{builder, op.getLoc()};
  Value factor = tile.map(
      "factor of the tile", {{states[0], row}, {states[1], row}, maximumOfTile},
      {{states[1], row}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value reference = m.cast(soft.guarded(m, v[0]), wide.type);
        // As it is: a tile of -inf has weights 0, which inf would make NaN.
        Value moved = wide.rescale(m, m.cast(v[2], wide.type), reference);
        Value inverse = wide.reciprocal(m, m.cast(v[1], wide.type));
        return {m.cast(m.mul(moved, inverse), soft.type)};
      })[0];
  Value empty =
      emptyFor(builder, op.getLoc(), type, weights.tensor, weights.map, result);
  return tile.map("normalise", {weights, {factor, row}}, {{empty, result}},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    Value weight = m.cast(v[0], soft.type);
                    return {m.cast(m.mul(weight, v[1]), type.getElementType())};
                  })[0];
}

/// A state with one more score, its sink, which is given as it is.
struct WithSink {
  Value maximum, sum;
  Value factor; ///< null if there is no sink
};

/// True for states whose references are exact: those with an accumulator.
static bool isExact(FinishOp op) { return op.getStates().size() == 3; }

static TileOperand sinkOf(FinishOp op) {
  return {op.getInputs()[0], op.getOperandMaps()[op.getStates().size()]};
}

/// What `op` finishes, without the accumulator, and what that is multiplied by.
static WithSink expandSink(OpBuilder &builder, FinishOp op,
                           SoftmaxArithmetic soft) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  AffineMap row = maps[0];
  TileArithmetic tile{builder, op.getLoc()};
  SmallVector<Value> both = tile.map(
      "sink", {{states[0], row}, {states[1], row}, sinkOf(op)},
      {{states[0], row}, {states[1], row}, {states[1], row}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value sink =
            soft.referenceOfSink(m, m.cast(v[2], soft.type), isExact(op));
        Value maximum = m.max(v[0], sink);
        Value reference = soft.guarded(m, maximum);
        Value factor = soft.rescale(m, v[0], reference);
        Value sum = m.fma(v[1], factor, soft.rescale(m, sink, reference));
        return {maximum, sum, factor};
      });
  return {both[0], both[1], both[2]};
}

static Value expandLogSumExp(OpBuilder &builder, FinishOp op,
                             SoftmaxArithmetic soft, const WithSink &state) {
  AffineMap row = op.getOperandMaps()[0], result = op.getResultMap();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value empty =
      emptyFor(builder, op.getLoc(), type, op.getStates()[0], row, result);
  bool mayLead = op->hasAttr(referenceLeadAttribute) && soft.isBase2();
  SmallVector<TileOperand> inputs{{state.maximum, row}, {state.sum, row}};
  // A reference that is coarse is rounded: where it is the sink's, the sink
  // itself is at hand.
  bool readsSink = state.factor && isExact(op) && soft.isBase2();
  if (readsSink)
    inputs.push_back(sinkOf(op));
  TileArithmetic tile{builder, op.getLoc()};
  return tile.map(
      "log-sum-exp", inputs, {{empty, result}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        auto [reference, sum] = mayLead ? soft.normalized(m, v[0], v[1])
                                        : std::pair<Value, Value>(v[0], v[1]);
        Value maximum = isExact(op) ? soft.naturalOfExact(m, reference)
                                    : soft.natural(m, reference);
        if (readsSink) {
          Value sink = m.cast(v[2], soft.type);
          Value isSink = arith::AndIOp::create(
              m.b, m.loc, soft.isCoarse(m, v[0]),
              m.equal(v[0], soft.referenceOfSink(m, sink, isExact(op))));
          maximum = m.select(isSink, sink, maximum);
        }
        return {m.cast(m.add(maximum, m.log(sum)), type.getElementType())};
      })[0];
}

/// acc / l, times what the sink leaves of it.
static Value expandAverage(OpBuilder &builder, FinishOp op,
                           SoftmaxArithmetic soft, const WithSink &state) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  AffineMap row = maps[0], result = op.getResultMap();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  TileArithmetic tile{builder, op.getLoc()};
  SmallVector<TileOperand> inputs{{state.sum, row}};
  if (state.factor)
    inputs.push_back({state.factor, row});
  Value inverse =
      tile.map("reciprocal of the sum", inputs, {{states[1], row}},
               [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                 Value whole = soft.reciprocal(m, v[0]);
                 return {state.factor ? m.mul(v[1], whole) : whole};
               })[0];
  Value empty =
      emptyFor(builder, op.getLoc(), type, states[2], maps[2], result);
  return tile.map("average", {{states[2], maps[2]}, {inverse, row}},
                  {{empty, result}},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    return {m.cast(m.mul(v[0], v[1]), type.getElementType())};
                  })[0];
}

/// s - m - log l.
static Value expandLogSoftmax(OpBuilder &builder, FinishOp op,
                              SoftmaxArithmetic soft) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  AffineMap row = maps[0], result = op.getResultMap();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  TileArithmetic tile{builder, op.getLoc()};
  // With the guard in place of the maximum, and no sum, the logarithm of a
  // weight of 0 is -inf.
  bool isMaskedZero = soft.algebra.getMaskedRow() == MaskedRow::Zero;
  Value logSum = tile.map(
      "log of the sum", {{states[1], row}}, {{states[1], row}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value log = soft.nanIfInfinite(m, v[0], m.log(v[0]));
        Value zero = m.constant(0.0, soft.type);
        return {isMaskedZero ? m.select(m.equal(v[0], zero), zero, log) : log};
      })[0];
  Value reference = states[0];
  if (isMaskedZero)
    reference = tile.map("guard", {{states[0], row}}, {{states[0], row}},
                         [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                           return {soft.guarded(m, v[0])};
                         })[0];
  TileOperand scores{op.getInputs()[0], maps[states.size()]};
  Value empty =
      emptyFor(builder, op.getLoc(), type, scores.tensor, scores.map, result);
  return tile.map(
      "log-softmax", {scores, {reference, row}, {logSum, row}},
      {{empty, result}}, [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value score = soft.comparable(m, m.cast(v[0], soft.type));
        Value distance = soft.naturalDistance(m, score, v[1]);
        return {m.cast(m.sub(distance, v[2]), type.getElementType())};
      })[0];
}

SmallVector<Value>
SoftmaxAlgebraAttr::expandFinish(OpBuilder &builder,
                                 Operation *operation) const {
  auto op = cast<FinishOp>(operation);
  ValueRange states = op.getStates();
  SoftmaxArithmetic soft = arithmeticOf(*this, states[0]);
  StringRef quantity = op.getQuantity();
  if (quantity == "softmax")
    return {expandSoftmax(builder, op, soft)};
  if (quantity == "weights")
    return {expandWeights(builder, op, soft)};
  if (quantity == "softmax_of_weights")
    return {expandSoftmaxOfWeights(builder, op, soft)};
  if (quantity == "log_softmax")
    return {expandLogSoftmax(builder, op, soft)};

  WithSink state{states[0], states[1], Value()};
  if (quantity.consume_back("_with_sink"))
    state = expandSink(builder, op, soft);
  if (quantity == "logsumexp")
    return {expandLogSumExp(builder, op, soft, state)};
  assert(quantity == "average" && "the verifier knows the quantities");
  return {expandAverage(builder, op, soft, state)};
}
