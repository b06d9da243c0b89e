//===- MeanSquareAlgebra.cpp - (n, s, q) as arithmetic on tiles -----------===//

#include "TileArithmetic.h"
#include "smx/IR/SerialSums.h"
#include "smx/IR/Smx.h"

#include <cmath>

using namespace mlir;
using namespace mlir::smx;

SmallVector<StringRef> MeanSquareAlgebraAttr::getQuantities() const {
  return {"normalized"};
}
std::pair<unsigned, unsigned> MeanSquareAlgebraAttr::getStateCount() const {
  return {3, 3};
}
unsigned MeanSquareAlgebraAttr::getInputCount(unsigned) const { return 1; }
unsigned MeanSquareAlgebraAttr::getFinishInputCount(StringRef) const {
  return 1;
}
unsigned MeanSquareAlgebraAttr::getFinishStateCount(StringRef) const {
  return 3;
}

LogicalResult
MeanSquareAlgebraAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              FloatAttr epsilon) {
  return verifyEpsilon(emitError, epsilon);
}

namespace {
/// Powers of two as numbers of one type, by their biased exponents.
struct PowersOfTwo {
  explicit PowersOfTwo(FloatType type)
      : type(type), width(type.getWidth()),
        fraction(type.getFPMantissaWidth() - 1),
        bias(APFloat::semanticsMaxExponent(type.getFloatSemantics())),
        largest(bias + std::min(bias - 1, mostExponent)) {}

  /// No scale is more than 2^500: its square times an epsilon is still a number
  /// in f64.
  static constexpr int mostExponent = 500;

  double getLargest() const { return std::ldexp(1.0, largest - bias); }
  /// The one that brings `magnitude` (at least 0) between 1 and 4, or as near
  /// to that as `getLargest` can.
  Value scaleFor(ScalarMath m, Value magnitude) const {
    auto bits = m.b.getIntegerType(width);
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(m.b, m.loc,
                                       m.b.getIntegerAttr(bits, value));
    };
    Value exponent = arith::ShRUIOp::create(
        m.b, m.loc, arith::BitcastOp::create(m.b, m.loc, bits, magnitude),
        number(fraction));
    Value wanted =
        arith::SubIOp::create(m.b, m.loc, number(2 * bias), exponent);
    wanted = arith::MaxSIOp::create(m.b, m.loc, wanted, number(1));
    wanted = arith::MinSIOp::create(m.b, m.loc, wanted, number(largest));
    return arith::BitcastOp::create(
        m.b, m.loc, type,
        arith::ShLIOp::create(m.b, m.loc, wanted, number(fraction)));
  }

  FloatType type;
  int width, fraction, bias, largest;
};
} // namespace

static FloatType typeOf(Value state) {
  return cast<FloatType>(getElementTypeOrSelf(state.getType()));
}

/// True if sums of up to 2^60 squares of numbers of `element` are numbers of
/// `type`, and no square is less than its normal ones: a scale of 1 will do.
/// f16 in f32 is so, bf16 is not.
static bool areSquaresNumbers(Type element, FloatType type) {
  const llvm::fltSemantics &narrow =
                               cast<FloatType>(element).getFloatSemantics(),
                           &wide = type.getFloatSemantics();
  int precision = APFloat::semanticsPrecision(narrow);
  int most = 2 * (APFloat::semanticsMaxExponent(narrow) + 1) + 60;
  int least = 2 * (APFloat::semanticsMinExponent(narrow) - (precision - 1));
  return most <= APFloat::semanticsMaxExponent(wide) &&
         least >= APFloat::semanticsMinExponent(wide);
}

static Value smaller(ScalarMath m, Value a, Value b) {
  return m.select(m.greater(a, b), b, a);
}

/// A sum of squares of numbers times `from`, as one of numbers times `to`.
static Value rescaled(ScalarMath m, Value sum, Value from, Value to) {
  Value ratio = m.cast(m.div(to, from), sum.getType());
  return m.mul(m.mul(sum, ratio), ratio);
}

/// As softmax's: a precise f32 sum would round once for every element.
static FloatType sumTypeOf(Type element, FloatType type) {
  bool isHalf = element.getIntOrFloatBitWidth() < 32;
  return isHalf ? type : Float64Type::get(type.getContext());
}

SmallVector<Value>
MeanSquareAlgebraAttr::expandIdentity(OpBuilder &builder,
                                      Operation *operation) const {
  auto op = cast<IdentityOp>(operation);
  double largest = PowersOfTwo(typeOf(op.getResult(1))).getLargest();
  return filledState(builder, op, [&](unsigned number) {
    return number == 1 ? largest : 0.0;
  });
}

namespace {
/// An update of (n, s, q) by a tile, step by step.
class MeanSquareUpdate {
public:
  MeanSquareUpdate(OpBuilder &builder, Operation *op)
      : builder(builder), update(op), tile{builder, update.loc()},
        input(update.input(0)), type(typeOf(update.states[0])),
        sumType(isSerial() ? FloatType(builder.getF64Type())
                           : sumTypeOf(elementType(), type)),
        isScaled(!areSquaresNumbers(elementType(), type)) {}

  /// The identity is neutral: its scale is the largest, and there is no sum
  /// yet.
  SmallVector<Value> ofFirstTile();
  SmallVector<Value> ofTile();

private:
  Type elementType() { return getElementTypeOrSelf(input.tensor.getType()); }
  FloatType stateType() { return typeOf(update.states[2]); }
  /// Of a contiguous row each lane of a vector adds up a few terms.
  bool isSerial() {
    return update.op->hasAttr(serialSumsAttribute) &&
           input.map.getResults().back() !=
               getAffineDimExpr(update.stream, builder.getContext());
  }
  SmallVector<TileOperand> magnitudes();
  Value scaleFor(ScalarMath m, ValueRange magnitude) {
    return isScaled ? PowersOfTwo(type).scaleFor(m, magnitude.back())
                    : m.constant(1.0, type);
  }
  SmallVector<TileOperand> sums(Value scale);
  /// Where squares need no scale, their sum is multiplied by that of the state.
  Value term(ScalarMath m, ValueRange v) {
    if (isScaled)
      return v[0];
    Value scale = m.cast(v[1], sumType);
    return m.mul(m.mul(v[0], scale), scale);
  }
  Value count();

  OpBuilder &builder;
  UpdateOperands update;
  TileArithmetic tile;
  TileOperand input;
  FloatType type, sumType;
  bool isScaled;
};
} // namespace

/// The largest magnitude of each row of the tile, where one is asked for.
SmallVector<TileOperand> MeanSquareUpdate::magnitudes() {
  if (!isScaled)
    return {};
  Value zero = filledLike(builder, update.loc(), update.states[0], 0.0);
  Value magnitude = tile.reduce(
      "tile maximum", {input}, {{zero, update.row}}, {update.stream},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        return {m.max(m.abs(m.cast(v[0], type)), v[1])};
      })[0];
  return {{magnitude, update.row}};
}

/// What the tile adds to a sum of squares by `scale`.
SmallVector<TileOperand> MeanSquareUpdate::sums(Value scale) {
  Location loc = update.loc();
  Value noSquares =
      linalg::FillOp::create(builder, loc,
                             ScalarMath{builder, loc}.constant(0.0, sumType),
                             emptyLike(builder, loc, update.states[2], sumType))
          .getResult(0);
  SmallVector<TileOperand> terms{input};
  if (isScaled)
    terms.push_back({scale, update.row});
  Value squares =
      tile.reduce("tile sum", terms, {{noSquares, update.row}}, {update.stream},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    Value x = m.cast(v[0], type);
                    if (isScaled)
                      x = m.mul(x, v[1]);
                    return {m.add(m.cast(m.mul(x, x), sumType), v.back())};
                  })[0];
  SmallVector<TileOperand> added{{squares, update.row}};
  if (!isScaled)
    added.push_back({scale, update.row});
  return added;
}

Value MeanSquareUpdate::count() {
  Value extent =
      streamExtent(builder, update.loc(), input, update.stream, type);
  return tile.mapInto("count", {}, update.state(0),
                      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                        return {m.add(v[0], extent)};
                      });
}

SmallVector<Value> MeanSquareUpdate::ofFirstTile() {
  Value scale =
      tile.mapOnto("first scale", magnitudes(), {update.state(1)},
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     return {scaleFor(m, v)};
                   })[0];
  Value sum =
      tile.mapOnto("first sum", sums(scale), {update.state(2)},
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     return {m.cast(term(m, v), stateType())};
                   })[0];
  return {count(), scale, sum};
}

SmallVector<Value> MeanSquareUpdate::ofTile() {
  SmallVector<TileOperand> scaled{update.state(1), update.state(2)};
  llvm::append_range(scaled, magnitudes());
  SmallVector<Value> moved =
      tile.mapOnto("running scale", scaled, {update.state(1), update.state(2)},
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     Value scale = smaller(m, v[0], scaleFor(m, v));
                     return {scale, rescaled(m, v[1], v[0], scale)};
                   });
  Value sum =
      tile.mapInto("running sum", sums(moved[0]), {moved[1], update.row},
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     Value sum = m.add(m.cast(term(m, v), sumType),
                                       m.cast(v.back(), sumType));
                     return {m.cast(sum, stateType())};
                   });
  return {count(), moved[0], sum};
}

SmallVector<Value>
MeanSquareAlgebraAttr::expandUpdate(OpBuilder &builder,
                                    Operation *operation) const {
  MeanSquareUpdate update(builder, operation);
  bool isFirst =
      cast<UpdateOp>(operation).getStates()[1].getDefiningOp<IdentityOp>() !=
      nullptr;
  return isFirst ? update.ofFirstTile() : update.ofTile();
}

bool MeanSquareAlgebraAttr::hasParts() const { return true; }

std::optional<unsigned>
MeanSquareAlgebraAttr::getDoubleSum(Operation *operation) const {
  UpdateOperands update(operation);
  FloatType type = typeOf(update.states[0]);
  Type element = getElementTypeOrSelf(update.input(0).tensor.getType());
  if (sumTypeOf(element, type) == type)
    return std::nullopt;
  return 2;
}

/// s' = min(s, min s_p);   n' = n + sum n_p;   q' = q (s'/s)^2 + sum q_p
/// (s'/s_p)^2
SmallVector<Value>
MeanSquareAlgebraAttr::expandParts(OpBuilder &builder,
                                   Operation *operation) const {
  UpdateOperands update(operation);
  TileArithmetic tile{builder, update.loc()};
  TileOperand counts = update.input(0), scales = update.input(1),
              sums = update.input(2);
  AffineMap row = update.row;
  Value largest =
      filledLike(builder, update.loc(), update.states[1],
                 PowersOfTwo(typeOf(update.states[1])).getLargest());
  Value least =
      tile.reduce("scale of parts", {scales}, {{largest, row}}, {update.stream},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    return {m.min(v[0], v[1])};
                  })[0];
  SmallVector<Value> moved = tile.mapOnto(
      "running scale", {update.state(1), update.state(2), {least, row}},
      {update.state(1), update.state(2)},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value scale = m.min(v[0], v[2]);
        return {scale, rescaled(m, v[1], v[0], scale)};
      });
  Value sum = tile.reduce(
      "sum of parts", {scales, sums, {moved[0], row}}, {{moved[1], row}},
      {update.stream}, [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        return {m.add(rescaled(m, v[1], v[0], v[2]), v[3])};
      })[0];
  Value count =
      tile.sum("count of parts", counts, update.state(0), update.stream);
  return {count, moved[0], sum};
}

SmallVector<Value>
MeanSquareAlgebraAttr::expandMerge(OpBuilder &builder,
                                   Operation *operation) const {
  auto op = cast<MergeOp>(operation);
  AffineMap row = cast<AffineMapAttr>(op.getMaps()[0]).getValue();
  SmallVector<TileOperand> inputs;
  for (Value state : llvm::concat<Value>(op.getLhs(), op.getRhs()))
    inputs.push_back({state, row});
  return TileArithmetic{builder, op.getLoc()}.map(
      "merge sums of squares", inputs, ArrayRef(inputs).take_front(3),
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value scale = smaller(m, v[1], v[4]);
        return {m.add(v[0], v[3]), scale,
                m.add(rescaled(m, v[2], v[1], scale),
                      rescaled(m, v[5], v[4], scale))};
      });
}

SmallVector<Value>
MeanSquareAlgebraAttr::expandFinish(OpBuilder &builder,
                                    Operation *operation) const {
  auto op = cast<FinishOp>(operation);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  AffineMap row = maps[0], result = op.getResultMap();
  FloatType type = typeOf(states[0]);
  // s^2 may be beyond f32, and a row of f32 has no bits to lose.
  auto wideRoot = [&](ScalarMath m, ValueRange v) {
    FloatType wide = builder.getF64Type();
    Value scale = m.cast(v[1], wide);
    Value mean = m.div(m.cast(v[2], wide), m.cast(v[0], wide));
    Value epsilon = m.constant(getEpsilon().getValueAsDouble(), wide);
    return m.sqrt(m.add(mean, m.mul(m.mul(epsilon, scale), scale)));
  };
  // In f32, for results of 16 bits: sqrt(epsilon) s is a number, and where its
  // square might not be one, q/n, which is at most 16, is nothing beside it.
  auto narrowRoot = [&](ScalarMath m, ValueRange v) {
    constexpr double mostSquared = 0x1p32;
    constexpr auto afn = arith::FastMathFlags::afn;
    Value mean = m.div(v[2], v[0], afn);
    Value ofEpsilon = m.mul(
        m.constant(std::sqrt(getEpsilon().getValueAsDouble()), type), v[1]);
    Value root = m.sqrt(m.fma(ofEpsilon, ofEpsilon, mean), afn);
    Value isLarge = m.greater(ofEpsilon, m.constant(mostSquared, type));
    return m.select(isLarge, ofEpsilon, root);
  };
  TileOperand input{op.getInputs()[0], maps[3]};
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  TileArithmetic tile{builder, op.getLoc()};
  // 1 / sqrt(q/n + epsilon s^2), by which a number times s is divided, or s
  // times that where numbers need no scale.
  bool isScaled =
      !areSquaresNumbers(getElementTypeOrSelf(input.tensor.getType()), type);
  bool isNarrow = asksLittleOfRow(input, row, resultType) && type.isF32() &&
                  getEpsilon().getValueAsDouble() <= 1.0;
  Value inverse =
      tile.map("reciprocal of the scaled root",
               {{states[0], row}, {states[1], row}, {states[2], row}},
               {{states[2], row}},
               [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                 Value root = isNarrow ? narrowRoot(m, v) : wideRoot(m, v);
                 auto ofRoot = cast<FloatType>(root.getType());
                 Value unit =
                     isScaled ? m.constant(1.0, ofRoot) : m.cast(v[1], ofRoot);
                 return {m.cast(m.div(unit, root,
                                      isNarrow ? arith::FastMathFlags::afn
                                               : arith::FastMathFlags::none),
                                type)};
               })[0];
  Value empty = emptyFor(builder, op.getLoc(), resultType, input.tensor,
                         input.map, result);
  SmallVector<TileOperand> factors{input};
  if (isScaled)
    factors.push_back({states[1], row});
  factors.push_back({inverse, row});
  return tile.map(
      "normalise", factors, {{empty, result}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value x = m.cast(v[0], type);
        if (isScaled)
          x = m.mul(x, v[1]);
        return {m.cast(m.mul(x, v.back()), resultType.getElementType())};
      });
}
