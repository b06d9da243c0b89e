//===- CrossEntropy.cpp - losses of integer targets -----------------------===//

#include "CrossEntropy.h"

#include "Targets.h"
#include "smx/IR/IndexMath.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx;

void mlir::smx::buildCrossEntropy(OpBuilder &builder, CrossEntropyOp op,
                                  CrossEntropyAlgebraAttr algebra) {
  Location loc = op.getLoc();
  double scale = op.getScale().convertToDouble();
  bool isNegated = scale < 0;
  // Results are computed in the state's type, which f64 results want wide.
  Type wanted = getElementTypeOrSelf(op.getInput());
  if (wanted.getIntOrFloatBitWidth() < 16)
    wanted = getAccumulatorType(wanted);
  for (Type type : op.getResultTypes())
    if (getElementTypeOrSelf(type).isF64())
      wanted = builder.getF64Type();
  Value input = normalizedScores(builder, loc, op.getInput(), scale, wanted);
  OnlineReduction rows(builder, loc, algebra, input, op.getAxis());
  Targets targets(builder, op, rows.getRowSizes());
  SmallVector<Value> inputs{targets.scores(wanted, isNegated)};
  if (targets.ignored)
    inputs.push_back(targets.weights(wanted));
  op.getLoss().replaceAllUsesWith(
      rows.finish(targets.ignored ? "weighted_loss" : "loss", inputs,
                  op.getLoss().getType()));
  if (Value logSumExp = op.getLogSumExp())
    logSumExp.replaceAllUsesWith(
        rows.finish("logsumexp", {}, logSumExp.getType()));
  op.erase();
}

/// exp(x) as exactly as a result in half precision needs it.
static Value inBase2(OpBuilder &b, Location loc, Value x) {
  Value factor = Targets::constant(b, loc, llvm::numbers::log2e, x.getType());
  return math::Exp2Op::create(b, loc, arith::MulFOp::create(b, loc, x, factor),
                              arith::FastMathFlags::afn);
}

/// True where place `number` is the target. Numbers of 32 bits are enough for
/// any extent below 2^31: other targets that they are equal to are out of
/// range.
static Value isPlace(OpBuilder &b, Location loc, Value number, Value target,
                     int64_t extent) {
  if (!ShapedType::isDynamic(extent) && llvm::isInt<32>(extent)) {
    number = arith::IndexCastOp::create(b, loc, b.getI32Type(), number);
    target = arith::IndexCastOp::create(b, loc, b.getI32Type(), target);
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number,
                               target);
}

void mlir::smx::buildCrossEntropyBackward(CrossEntropyBackwardOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  unsigned axis = op.getAxis();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, op.getInput());
  Value extent = getValueOrCreateConstantIndexOp(builder, loc, sizes[axis]);
  int64_t knownExtent =
      getConstantIntValue(sizes[axis]).value_or(ShapedType::kDynamic);
  Type state =
      getAccumulatorType(type.getElementType().isF64()
                             ? type.getElementType()
                             : getElementTypeOrSelf(op.getInput().getType()));
  double scale = op.getScale().convertToDouble();
  double smoothing = op.getSmoothing().convertToDouble();
  bool isHalf = type.getElementTypeBitWidth() == 16 && state.isF32();
  Targets targets(builder, op, {});

  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap row = all.dropResult(axis);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  // Not of the type of the result, which may know less.
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  // What is the same for a row is computed first: it costs nothing beside its
  // elements.
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    auto wide = [&](Value x) -> Value {
      if (x.getType() == state)
        return x;
      if (x.getType().getIntOrFloatBitWidth() > state.getIntOrFloatBitWidth())
        return arith::TruncFOp::create(b, loc, state, x);
      return arith::ExtFOp::create(b, loc, state, x);
    };
    auto number = [&](double value) {
      return Targets::constant(b, loc, value, state);
    };
    auto scaled = [&](Value x) -> Value {
      return scale == 1.0 ? x : arith::MulFOp::create(b, loc, x, number(scale));
    };
    Value target = IndexMath{b, loc}.asIndex(args[1]);
    Value gradient = arith::SelectOp::create(
        b, loc, Targets::isInRange(b, loc, target, extent),
        scaled(wide(args[3])),
        number(std::numeric_limits<double>::quiet_NaN()));

    // A log-sum-exp that has more bits than the state is large beside the
    // distance from it.
    Type exact = args[2].getType().isF64() ? b.getF64Type() : state;
    Value score = wide(args[0]);
    if (exact != state)
      score = arith::ExtFOp::create(b, loc, exact, score);
    if (scale != 1.0)
      score = arith::MulFOp::create(b, loc, score,
                                    Targets::constant(b, loc, scale, exact));
    Value distance = wide(arith::SubFOp::create(
        b, loc, score, exact == state ? wide(args[2]) : args[2]));
    Value weight = isHalf ? inBase2(b, loc, distance)
                          : math::ExpOp::create(b, loc, distance).getResult();
    if (smoothing != 0) {
      // What each place has of it. Computed here, from an extent: hosts of
      // kernels compute nothing but sizes.
      Value count = arith::UIToFPOp::create(
          b, loc, state,
          arith::IndexCastOp::create(b, loc, b.getI64Type(), extent));
      weight = arith::SubFOp::create(
          b, loc, weight,
          arith::DivFOp::create(b, loc, number(smoothing), count));
    }
    Value isTarget = isPlace(b, loc, linalg::IndexOp::create(b, loc, axis),
                             target, knownExtent);
    Value difference = arith::SelectOp::create(
        b, loc, isTarget,
        arith::SubFOp::create(b, loc, weight, number(1 - smoothing)), weight);
    Value value = arith::MulFOp::create(b, loc, gradient, difference);
    if (targets.ignored)
      // Selected away and not multiplied: 0 * NaN is NaN.
      value = arith::SelectOp::create(
          b, loc, Targets::isEqual(b, loc, args[1], *targets.ignored),
          number(0.0), value);
    if (state != type.getElementType())
      value = arith::TruncFOp::create(b, loc, type.getElementType(), value);
    linalg::YieldOp::create(b, loc, value);
  };
  Value result =
      linalg::GenericOp::create(
          builder, loc, empty.getType(),
          ValueRange{op.getInput(), op.getTargets(), op.getLogSumExp(),
                     op.getGradient()},
          empty, ArrayRef<AffineMap>{all, row, row, row, all}, iterators, body)
          .getResult(0);
  if (result.getType() != type)
    result = tensor::CastOp::create(builder, loc, type, result);
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}
