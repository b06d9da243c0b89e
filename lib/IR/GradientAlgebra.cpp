//===- GradientAlgebra.cpp - the sum behind the gradient of a row ---------===//

#include "TileArithmetic.h"
#include "smx/IR/SerialSums.h"
#include "smx/IR/Smx.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult
GradientAlgebraAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            Gradient, FloatAttr scale) {
  if (scale.getValue().isFinite() && !scale.getValue().isZero())
    return success();
  return emitError() << "expected a finite scale other than 0, got "
                     << scale.getValueAsDouble();
}

SmallVector<StringRef> GradientAlgebraAttr::getQuantities() const {
  return {"gradient"};
}
std::pair<unsigned, unsigned> GradientAlgebraAttr::getStateCount() const {
  return {1, 1};
}
unsigned GradientAlgebraAttr::getInputCount(unsigned) const {
  return getOf() == Gradient::Softmax ? 2 : 1;
}
unsigned GradientAlgebraAttr::getFinishInputCount(StringRef) const { return 2; }
unsigned GradientAlgebraAttr::getFinishStateCount(StringRef) const { return 1; }

SmallVector<Value>
GradientAlgebraAttr::expandIdentity(OpBuilder &builder,
                                    Operation *operation) const {
  return zeroState(builder, cast<IdentityOp>(operation));
}

SmallVector<Value>
GradientAlgebraAttr::expandUpdate(OpBuilder &builder,
                                  Operation *operation) const {
  UpdateOperands update(operation);
  auto type = cast<FloatType>(getElementTypeOrSelf(update.states[0].getType()));
  SmallVector<TileOperand> inputs;
  for (unsigned i = 0; i < update.op.getInputs().size(); ++i)
    inputs.push_back(update.input(i));
  // A long chain of f32 additions would round once for every element.
  const bool isWide = type.isF32() && operation->hasAttr(serialSumsAttribute);
  FloatType sumType = isWide ? FloatType(builder.getF64Type()) : type;
  TileOperand sum = update.state(0);
  if (isWide)
    sum.tensor =
        linalg::FillOp::create(
            builder, update.loc(),
            ScalarMath{builder, update.loc()}.constant(0.0, sumType),
            emptyLike(builder, update.loc(), update.states[0], sumType))
            .getResult(0);
  // s' = s + sum y*g, or s + sum g
  TileArithmetic tile{builder, update.loc()};
  sum.tensor =
      tile.reduce("running sum", inputs, {sum}, {update.stream},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    Value term = m.cast(v[0], type);
                    if (inputs.size() == 2)
                      term = m.mul(term, m.cast(v[1], type));
                    return {m.add(m.cast(term, sumType), v.back())};
                  })[0];
  if (!isWide)
    return {sum.tensor};
  return {tile.mapInto("running sum and tile sum", {sum}, update.state(0),
                       [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                         return {m.add(v[1], m.cast(v[0], type))};
                       })};
}

SmallVector<Value>
GradientAlgebraAttr::expandMerge(OpBuilder &builder,
                                 Operation *operation) const {
  auto op = cast<MergeOp>(operation);
  AffineMap row = cast<AffineMapAttr>(op.getMaps()[0]).getValue();
  Value a = op.getLhs()[0], b = op.getRhs()[0];
  return TileArithmetic{builder, op.getLoc()}.map(
      "merge running sums", {{a, row}, {b, row}}, {{a, row}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        return {m.add(v[0], v[1])};
      });
}

bool GradientAlgebraAttr::hasParts() const { return true; }

/// s' = s + sum s_p
SmallVector<Value>
GradientAlgebraAttr::expandParts(OpBuilder &builder,
                                 Operation *operation) const {
  UpdateOperands update(operation);
  return {TileArithmetic{builder, update.loc()}.sum(
      "sum of parts", update.input(0), update.state(0), update.stream)};
}

SmallVector<Value>
GradientAlgebraAttr::expandFinish(OpBuilder &builder,
                                  Operation *operation) const {
  auto op = cast<FinishOp>(operation);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  Value state = op.getStates()[0];
  auto type = cast<FloatType>(getElementTypeOrSelf(state.getType()));
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  TileOperand output{op.getInputs()[0], maps[1]},
      gradient{op.getInputs()[1], maps[2]};
  Value empty = emptyFor(builder, op.getLoc(), resultType, output.tensor,
                         output.map, op.getResultMap());
  bool isSoftmax = getOf() == Gradient::Softmax;
  double scale = getScale().getValueAsDouble();
  // In base 2 it is as exact as a result in half precision needs it.
  bool isHalf = resultType.getElementTypeBitWidth() == 16 && type.isF32();
  auto exponential = [&](ScalarMath m, Value y) {
    if (!isHalf)
      return m.exp(y);
    return m.exp2(m.mul(y, m.constant(llvm::numbers::log2e, type)));
  };
  return TileArithmetic{builder, op.getLoc()}.map(
      "gradient", {output, gradient, {state, maps[0]}},
      {{empty, op.getResultMap()}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value y = m.cast(v[0], type), g = m.cast(v[1], type);
        Value value = isSoftmax ? m.mul(y, m.sub(g, v[2]))
                                : m.sub(g, m.mul(exponential(m, y), v[2]));
        if (scale != 1.0)
          value = m.mul(value, m.constant(scale, type));
        return {m.cast(value, resultType.getElementType())};
      });
}
