//===- MomentsAlgebra.cpp - (n, mean, m2) as arithmetic on tiles ----------===//
//
// The second family: layer norm's statistics. Nothing outside this file and the
// op that names the algebra knows about it.
//
//===----------------------------------------------------------------------===//

#include "TileArithmetic.h"
#include "smx/IR/SerialSums.h"
#include "smx/IR/Smx.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx;

SmallVector<StringRef> MomentsAlgebraAttr::getQuantities() const {
  return {"normalized", "mean", "variance"};
}
std::pair<unsigned, unsigned> MomentsAlgebraAttr::getStateCount() const {
  return {3, 3};
}
unsigned MomentsAlgebraAttr::getInputCount(unsigned) const { return 1; }
unsigned MomentsAlgebraAttr::getFinishInputCount(StringRef quantity) const {
  return quantity == "normalized" ? 1 : 0;
}
unsigned MomentsAlgebraAttr::getFinishStateCount(StringRef) const { return 3; }

LogicalResult
MomentsAlgebraAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           FloatAttr epsilon) {
  return verifyEpsilon(emitError, epsilon);
}

/// n = a.n + b.n, d = b.mean - a.mean, mean = a.mean + d*b.n/n, m2 = a.m2 +
/// b.m2 + d^2*a.n*b.n/n; the quotient is 0 where both are empty. The distance
/// of a state from nothing is its mean, whose square may be infinite: the
/// counts are multiplied first.
static SmallVector<Value> mergeMoments(ScalarMath m, FloatType type,
                                       ValueRange a, ValueRange b) {
  Value zero = m.constant(0.0, type);
  Value count = m.add(a[0], b[0]);
  Value share = m.select(m.equal(count, zero), zero, m.div(b[0], count));
  Value delta = m.sub(b[1], a[1]);
  Value shift = m.mul(delta, share);
  Value spread = m.mul(delta, m.mul(delta, m.mul(a[0], share)));
  return {count, m.add(a[1], shift), m.add(m.add(a[2], b[2]), spread)};
}

SmallVector<Value>
MomentsAlgebraAttr::expandIdentity(OpBuilder &builder,
                                   Operation *operation) const {
  return zeroState(builder, cast<IdentityOp>(operation));
}

SmallVector<Value>
MomentsAlgebraAttr::expandUpdate(OpBuilder &builder,
                                 Operation *operation) const {
  UpdateOperands update(operation);
  auto type = cast<FloatType>(getElementTypeOrSelf(update.states[0].getType()));
  TileArithmetic tile{builder, update.loc()};
  TileOperand input = update.input(0);

  // lift(tile): its count, its mean, and the squared deviations from that mean.
  Value count = streamExtent(builder, update.loc(), input, update.stream, type);
  FloatType sumType = operation->hasAttr(serialSumsAttribute)
                          ? FloatType(builder.getF64Type())
                          : type;
  Value zero = linalg::FillOp::create(
                   builder, update.loc(),
                   ScalarMath{builder, update.loc()}.constant(0.0, sumType),
                   emptyLike(builder, update.loc(), update.states[0], sumType))
                   .getResult(0);
  Value sum =
      tile.reduce("tile sum", {input}, {{zero, update.row}}, {update.stream},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    return {m.add(m.cast(v[0], sumType), v[1])};
                  })[0];
  Value mean = tile.map("tile mean", {{sum, update.row}}, {update.state(1)},
                        [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                          Value mean = m.div(v[0], m.cast(count, sumType));
                          return {m.cast(mean, type)};
                        })[0];
  Value spread = tile.reduce(
      "tile deviations", {input, {mean, update.row}}, {{zero, update.row}},
      {update.stream}, [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value delta = m.sub(m.cast(v[0], type), v[1]);
        return {m.add(m.cast(m.mul(delta, delta), sumType), v[2])};
      })[0];
  return tile.mapOnto("merge moments",
                      {update.state(0),
                       update.state(1),
                       update.state(2),
                       {mean, update.row},
                       {spread, update.row}},
                      {update.state(0), update.state(1), update.state(2)},
                      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                        return mergeMoments(m, type, v.take_front(3),
                                            {count, v[3], m.cast(v[4], type)});
                      });
}

bool MomentsAlgebraAttr::hasParts() const { return true; }

/// The parts as one: n = sum n_p, mean = sum n_p mean_p / n, m2 = sum m2_p +
/// n_p (mean_p - mean)^2; merged with the state.
SmallVector<Value> MomentsAlgebraAttr::expandParts(OpBuilder &builder,
                                                   Operation *operation) const {
  UpdateOperands update(operation);
  auto type = cast<FloatType>(getElementTypeOrSelf(update.states[0].getType()));
  TileArithmetic tile{builder, update.loc()};
  TileOperand counts = update.input(0), means = update.input(1),
              spreads = update.input(2);
  AffineMap row = update.row;
  Value zero = filledLike(builder, update.loc(), update.states[0], 0.0);
  Value count = tile.sum("count of parts", counts, {zero, row}, update.stream);
  Value sum = tile.reduce(
      "sum of parts", {counts, means}, {{zero, row}}, {update.stream},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        return {m.add(m.mul(v[0], v[1]), v[2])};
      })[0];
  Value mean =
      tile.map("mean of parts", {{sum, row}, {count, row}}, {update.state(1)},
               [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                 Value none = m.equal(v[1], m.constant(0.0, type));
                 return {m.select(none, v[0], m.div(v[0], v[1]))};
               })[0];
  Value spread = tile.reduce(
      "deviations of parts", {counts, means, spreads, {mean, row}},
      {{zero, row}}, {update.stream},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value delta = m.sub(v[1], v[3]);
        return {m.add(m.add(m.mul(m.mul(delta, delta), v[0]), v[2]), v[4])};
      })[0];
  SmallVector<TileOperand> states{update.state(0), update.state(1),
                                  update.state(2)},
      merged = states;
  merged.append({{count, row}, {mean, row}, {spread, row}});
  return tile.mapOnto("merge moments", merged, states,
                      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                        return mergeMoments(m, type, v.take_front(3),
                                            v.drop_front(3));
                      });
}

SmallVector<Value> MomentsAlgebraAttr::expandMerge(OpBuilder &builder,
                                                   Operation *operation) const {
  auto op = cast<MergeOp>(operation);
  AffineMap row = cast<AffineMapAttr>(op.getMaps()[0]).getValue();
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getLhs()[0].getType()));
  SmallVector<TileOperand> inputs, likes;
  for (Value state : op.getLhs())
    inputs.push_back({state, row});
  likes = inputs;
  for (Value state : op.getRhs())
    inputs.push_back({state, row});
  return TileArithmetic{builder, op.getLoc()}.map(
      "merge moments", inputs, likes,
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        return mergeMoments(m, type, v.take_front(3), v.drop_front(3));
      });
}

SmallVector<Value>
MomentsAlgebraAttr::expandFinish(OpBuilder &builder,
                                 Operation *operation) const {
  auto op = cast<FinishOp>(operation);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  AffineMap row = maps[0], result = op.getResultMap();
  auto state = cast<FloatType>(getElementTypeOrSelf(states[0].getType()));
  auto type = cast<RankedTensorType>(op.getResult().getType());
  TileArithmetic tile{builder, op.getLoc()};
  if (op.getQuantity() != "normalized") {
    bool isMean = op.getQuantity() == "mean";
    Value empty = emptyFor(builder, op.getLoc(), type, states[0], row, result);
    return tile.map(op.getQuantity(),
                    {{states[0], row}, {states[1], row}, {states[2], row}},
                    {{empty, result}},
                    [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                      Value value = isMean ? v[1] : m.div(v[2], v[0]);
                      return {m.cast(value, type.getElementType())};
                    });
  }
  TileOperand input{op.getInputs()[0], maps[3]};
  Value inverse = tile.map(
      "reciprocal of the deviation", {{states[0], row}, {states[2], row}},
      {{states[1], row}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value epsilon = m.constant(getEpsilon().getValueAsDouble(), state);
        auto flags = state.isF32() && asksLittleOfRow(input, row, type)
                         ? arith::FastMathFlags::afn
                         : arith::FastMathFlags::none;
        Value variance = m.div(v[1], v[0], flags);
        Value deviation = m.sqrt(m.add(variance, epsilon), flags);
        Value inverse = m.div(m.constant(1.0, state), deviation, flags);
        // By 0, which is finite and wrong, nobody would see it.
        constexpr double infinity = std::numeric_limits<double>::infinity();
        Value isTooWide = m.equal(variance, m.constant(infinity, state));
        return {m.select(
            isTooWide,
            m.constant(std::numeric_limits<double>::quiet_NaN(), state),
            inverse)};
      })[0];
  Value empty =
      emptyFor(builder, op.getLoc(), type, input.tensor, input.map, result);
  return tile.map(
      "normalise", {input, {states[1], row}, {inverse, row}}, {{empty, result}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value centred = m.sub(m.cast(v[0], state), v[1]);
        return {m.cast(m.mul(centred, v[2]), type.getElementType())};
      });
}
