//===- SoftmaxAlgebra.cpp - (m, l, acc) as arithmetic on tiles ------------===//
//
// Every generic carries the name of its step as its location ("rescale",
// "running maximum", ...), so that dumps can be read and tests can find a step.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxArithmetic.h"
#include "smx/IR/ReferenceSlack.h"
#include "smx/IR/Smx.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

LogicalResult
SoftmaxAlgebraAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           ExpBase, FloatAttr scale, MaskedRow) {
  double value = scale.getValueAsDouble();
  if (scale.getValue().isFinite() && value > 0)
    return success();
  // max(scale*s) = scale*max(s) holds for positive scales only.
  return emitError() << "expected a finite scale above 0, got " << value;
}

Attribute SoftmaxAlgebraAttr::parse(AsmParser &parser, Type) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&word))
    return {};
  std::optional<ExpBase> base = symbolizeExpBase(word);
  if (!base) {
    parser.emitError(loc) << "expected exp or exp2, got '" << word << "'";
    return {};
  }
  double scale = 1.0;
  MaskedRow maskedRow = MaskedRow::NaN;
  while (succeeded(parser.parseOptionalComma())) {
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word) || parser.parseEqual())
      return {};
    if (word == "scale") {
      if (parser.parseFloat(scale))
        return {};
    } else if (word == "masked_row") {
      if (parser.parseKeyword(&word))
        return {};
      std::optional<MaskedRow> parsed = symbolizeMaskedRow(word);
      if (!parsed) {
        parser.emitError(loc) << "expected nan or zero, got '" << word << "'";
        return {};
      }
      maskedRow = *parsed;
    } else {
      parser.emitError(loc)
          << "expected scale or masked_row, got '" << word << "'";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  auto scaleAttr = FloatAttr::get(Float64Type::get(parser.getContext()), scale);
  return parser.getChecked<SoftmaxAlgebraAttr>(loc, parser.getContext(), *base,
                                               scaleAttr, maskedRow);
}

void SoftmaxAlgebraAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyExpBase(getBase());
  if (getScaleValue() != 1.0) {
    printer << ", scale = ";
    printer.printFloat(getScale().getValue());
  }
  if (getMaskedRow() != MaskedRow::NaN)
    printer << ", masked_row = " << stringifyMaskedRow(getMaskedRow());
  printer << ">";
}

SmallVector<StringRef> SoftmaxAlgebraAttr::getQuantities() const {
  return {"softmax",           "log_softmax",
          "logsumexp",         "average",
          "weights",           "softmax_of_weights",
          "average_with_sink", "logsumexp_with_sink"};
}
std::pair<unsigned, unsigned> SoftmaxAlgebraAttr::getStateCount() const {
  return {2, 3};
}
unsigned SoftmaxAlgebraAttr::getInputCount(unsigned states) const {
  return states - 1;
}
unsigned SoftmaxAlgebraAttr::getFinishInputCount(StringRef quantity) const {
  return llvm::StringSwitch<unsigned>(quantity)
      .Cases({"softmax", "log_softmax", "weights", "average_with_sink",
              "logsumexp_with_sink"},
             1)
      .Case("softmax_of_weights", 2)
      .Default(0);
}
unsigned SoftmaxAlgebraAttr::getFinishStateCount(StringRef quantity) const {
  return quantity.starts_with("average") ? 3 : 2;
}
std::optional<DeferredQuantity>
SoftmaxAlgebraAttr::getDeferred(StringRef quantity) const {
  if (quantity != "softmax")
    return std::nullopt;
  return DeferredQuantity{"weights", "softmax_of_weights"};
}

bool SoftmaxAlgebraAttr::hasParts() const { return true; }

std::optional<unsigned>
SoftmaxAlgebraAttr::getDoubleSum(Operation *operation) const {
  auto op = cast<UpdateOp>(operation);
  // With an accumulator, which is f32, nothing is won.
  if (op.getStates().size() == 3)
    return std::nullopt;
  SoftmaxArithmetic soft = arithmeticOf(*this, op.getStates()[0]);
  Type scoreType = getElementTypeOrSelf(op.getInputs()[0].getType());
  if (soft.sumType(scoreType) == soft.type)
    return std::nullopt;
  return 1;
}

//===----------------------------------------------------------------------===//
// identity, update, merge
//===----------------------------------------------------------------------===//

SmallVector<Value>
SoftmaxAlgebraAttr::expandIdentity(OpBuilder &builder,
                                   Operation *operation) const {
  return filledState(builder, cast<IdentityOp>(operation), [](unsigned number) {
    return number == 0 ? -std::numeric_limits<double>::infinity() : 0.0;
  });
}

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

/// True if only the logarithm of the sum is asked for, as cross entropy does of
/// its part, which has no users: a unit in the last place of weights is less
/// than one of that.
static bool isForLogarithm(UpdateOp op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    auto finish = dyn_cast<FinishOp>(user);
    // What finishes were expanded to reads the state, too.
    return finish ? finish.getQuantity() == "logsumexp" ||
                        finish.getQuantity() == "log_softmax"
                  : isa<linalg::LinalgOp>(user);
  });
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

SmallVector<Value>
SoftmaxAlgebraAttr::expandUpdate(OpBuilder &builder,
                                 Operation *operation) const {
  auto op = cast<UpdateOp>(operation);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates();
  SoftmaxArithmetic soft = arithmeticOf(*this, states[0]);
  unsigned rows = maps[0].getNumResults();
  TileArithmetic tile{builder, op.getLoc()};
  TileOperand scores{op.getInputs()[0], maps[states.size()]};
  Type scoreType = getElementTypeOrSelf(scores.tensor.getType());
  AffineMap row = maps[0];

  // The tile's own maximum, of scores as they are.
  Value identity = filledLike(builder, op.getLoc(), states[0],
                              -std::numeric_limits<double>::infinity());
  Value tileMaximum =
      tile.reduce("tile maximum", {scores}, {{identity, row}}, {rows},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    return {m.max(m.cast(v[0], soft.type), v[1])};
                  })[0];

  // m' = max(m, tile), a = exp(m - m'), l*a
  // Without an accumulator there is little to rescale.
  bool hasAccumulator = states.size() == 3;
  double slack = soft.isBase2() && hasAccumulator
                     ? distanceOf(op, referenceSlackAttribute)
                     : 0;
  double lead = slack != 0 && hasRangeOf(soft.type, op.getInputs()[1])
                    ? distanceOf(op, referenceLeadAttribute)
                    : 0;
  auto fresh = [&]() -> TileOperand {
    return {emptyLike(builder, op.getLoc(), states[0], soft.type), row};
  };
  // The state is updated in place: what a loop carries stays where it is.
  SmallVector<TileOperand> next{
      {states[0], row}, fresh(), fresh(), {states[1], row}};
  bool isExact = hasAccumulator && soft.isBase2();
  if (isExact)
    next.push_back(fresh());
  SmallVector<Value> moved = tile.mapOnto(
      "running maximum and rescale factor",
      {{states[0], row}, {states[1], row}, {tileMaximum, row}}, next,
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value ofTile = isExact ? soft.exactReferenceOf(m, v[2])
                               : soft.referenceOf(m, v[2]);
        Value maximum = soft.follow(m, ofTile, v[0], slack, lead);
        Value reference = soft.guarded(m, maximum);
        Value factor = soft.rescaleParts(m, v[0], reference);
        SmallVector<Value> results{maximum, reference, factor,
                                   m.mul(v[1], m.cast(factor, v[1].getType()))};
        if (isExact)
          results.push_back(soft.factorFor(m, reference));
        return results;
      });
  Value maximum = moved[0], reference = moved[1], factor = moved[2];

  // p = exp(s - m'), l' = l*a + sum p; the weights are kept only if values are
  // to be summed.
  if (states.size() == 2) {
    auto bitsAttr = op->getAttrOfType<IntegerAttr>(bitsOfSumAttribute);
    int bits = bitsAttr ? bitsAttr.getInt() : soft.bitsOfSum;
    bool mayBeRough = soft.isLongRow(scores.tensor, scores.map, rows) ||
                      (soft.isPrecise(scoreType) && isForLogarithm(op));
    FloatType sumType = soft.sumType(scoreType);
    Value sum = soft.zeroSum(builder, op.getLoc(), states[1], scoreType);
    SmallVector<TileOperand> outputs{{sum, row}};
    SmallVector<FinishOp> kept = weightsOfTile(op);
    if (!kept.empty())
      outputs.insert(outputs.begin(),
                     {emptyLike(builder, op.getLoc(), scores.tensor, soft.type),
                      scores.map});
    SmallVector<Value> summed =
        tile.reduce(kept.empty() ? "tile sum" : "weights and tile sum",
                    {scores, {reference, row}}, outputs, {rows},
                    [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                      Value weight = soft.weight(m, m.cast(v[0], soft.type),
                                                 v[1], scoreType, bits);
                      if (mayBeRough)
                        m.setBits(weight, soft.bitsOfLongRow);
                      Value added = m.add(m.cast(weight, sumType), v.back());
                      if (kept.empty())
                        return {added};
                      return {weight, added};
                    });
    sum = summed.back();
    for (FinishOp weights : kept)
      weights.getResult().replaceAllUsesWith(summed.front());
    return {maximum,
            tile.mapInto("running sum", {{sum, row}}, {moved[3], row},
                         [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                           Value added = m.add(v[0], m.cast(v[1], sumType));
                           return {m.cast(added, v[1].getType())};
                         })};
  }
  Value weights = emptyLike(builder, op.getLoc(), scores.tensor, soft.type);
  SmallVector<TileOperand> weighed{scores, {reference, row}};
  if (isExact)
    weighed.push_back({moved[4], row});
  SmallVector<Value> summed = tile.reduce(
      "weights and running sum", weighed,
      {{weights, scores.map}, {moved[3], row}}, {rows},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value score = m.cast(v[0], soft.type);
        Value weight =
            isExact ? soft.weight(m, score, v[1], v[2])
                    : soft.weight(m, score, v[1], scoreType, soft.bitsOfSum);
        if (op.getMasked())
          weight = soft.maskedWeight(m, score, weight);
        return {weight, m.add(weight, v.back())};
      });

  // acc' = acc*a + p v
  AffineMap accMap = maps[2];
  Value rescaled =
      tile.mapInto("rescale", {{factor, row}}, {states[2], accMap},
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     return {m.mul(v[1], v[0])};
                   });
  Value accumulator = tile.reduce(
      "accumulate", {{summed[0], scores.map}, {op.getInputs()[1], maps[4]}},
      {{rescaled, accMap}}, {rows},
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

SmallVector<Value> SoftmaxAlgebraAttr::expandMerge(OpBuilder &builder,
                                                   Operation *operation) const {
  auto op = cast<MergeOp>(operation);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  SoftmaxArithmetic soft = arithmeticOf(*this, op.getLhs()[0]);
  ValueRange a = op.getLhs(), b = op.getRhs();
  AffineMap row = maps[0];
  TileArithmetic tile{builder, op.getLoc()};
  // m = max(a.m, b.m), ca = exp(a.m - m), cb = exp(b.m - m), l = ca*a.l +
  // cb*b.l
  SmallVector<Value> merged = tile.map(
      "merge", {{a[0], row}, {a[1], row}, {b[0], row}, {b[1], row}},
      {{a[0], row}, {a[1], row}, {a[0], row}, {a[0], row}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value maximum = m.max(v[0], v[2]);
        Value reference = soft.guarded(m, maximum);
        Value ca = soft.rescale(m, v[0], reference);
        Value cb = soft.rescale(m, v[2], reference);
        return {maximum, m.add(m.mul(ca, v[1]), m.mul(cb, v[3])), ca, cb};
      });
  SmallVector<Value> results{merged[0], merged[1]};
  if (a.size() == 3) {
    results.push_back(tile.map(
        "merge accumulators",
        {{a[2], maps[2]}, {merged[2], row}, {b[2], maps[2]}, {merged[3], row}},
        {{a[2], maps[2]}},
        [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
          return {m.add(m.mul(v[0], v[1]), m.mul(v[2], v[3]))};
        })[0]);
  }
  return results;
}
