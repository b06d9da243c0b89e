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

namespace {
/// One element of the gradient of a cross entropy, as the body of a generic
/// computes it: of score x and log-sum-exp l, with g the gradient of the loss,
///
///   g * scale * (exp(scale * x - l) - smoothing / extent
///                - (at the target ? 1 - smoothing : 0)).
///
/// What is the same for a row is computed first: it costs nothing beside the
/// elements of the row.
struct BackwardElement {
  CrossEntropyBackwardOp op;
  const Targets &targets;
  /// Elements of a row: a value, and the number if it is known.
  Value extent;
  int64_t knownExtent;
  /// What is computed in.
  FloatType state;
  OpBuilder &b;
  Location loc;

  double scale() { return op.getScale().convertToDouble(); }
  double smoothing() { return op.getSmoothing().convertToDouble(); }
  Type resultType() { return getElementTypeOrSelf(op.getResult()); }
  Value number(double value) { return Targets::constant(b, loc, value, state); }

  /// `x` in the type `state`.
  Value asState(Value x) {
    if (x.getType() == state)
      return x;
    if (x.getType().getIntOrFloatBitWidth() > state.getWidth())
      return arith::TruncFOp::create(b, loc, state, x);
    return arith::ExtFOp::create(b, loc, state, x);
  }

  /// g * scale; NaN for targets that are no places.
  Value rowFactor(Value target, Value gradient) {
    Value isKnown = Targets::isInRange(b, loc, target, extent);
    gradient = asState(gradient);
    if (scale() != 1.0)
      gradient = arith::MulFOp::create(b, loc, gradient, number(scale()));
    return arith::SelectOp::create(
        b, loc, isKnown, gradient,
        number(std::numeric_limits<double>::quiet_NaN()));
  }

  /// exp(scale * x - l) - smoothing / extent.
  Value weight(Value score, Value logSumExp) {
    // A log-sum-exp that has more bits than the state is large beside the
    // distance from it.
    Type exact = logSumExp.getType().isF64() ? b.getF64Type() : state;
    score = asState(score);
    if (exact != state)
      score = arith::ExtFOp::create(b, loc, exact, score);
    if (scale() != 1.0)
      score = arith::MulFOp::create(b, loc, score,
                                    Targets::constant(b, loc, scale(), exact));
    if (exact == state)
      logSumExp = asState(logSumExp);
    Value distance = asState(arith::SubFOp::create(b, loc, score, logSumExp));
    bool isHalf = resultType().getIntOrFloatBitWidth() == 16 && state.isF32();
    Value weight = isHalf ? inBase2(b, loc, distance)
                          : math::ExpOp::create(b, loc, distance).getResult();
    if (smoothing() == 0)
      return weight;
    // Computed here, from an extent: hosts of kernels compute nothing but
    // sizes.
    Value count = arith::UIToFPOp::create(
        b, loc, state,
        arith::IndexCastOp::create(b, loc, b.getI64Type(), extent));
    return arith::SubFOp::create(
        b, loc, weight,
        arith::DivFOp::create(b, loc, number(smoothing()), count));
  }

  Value build(Value score, Value target, Value logSumExp, Value gradient) {
    Value place = IndexMath{b, loc}.asIndex(target);
    Value factor = rowFactor(place, gradient);
    Value others = weight(score, logSumExp);
    Value isTarget =
        isPlace(b, loc, linalg::IndexOp::create(b, loc, op.getAxis()), place,
                knownExtent);
    Value difference = arith::SelectOp::create(
        b, loc, isTarget,
        arith::SubFOp::create(b, loc, others, number(1 - smoothing())), others);
    Value value = arith::MulFOp::create(b, loc, factor, difference);
    if (targets.ignored)
      // Selected away and not multiplied: 0 * NaN is NaN.
      value = arith::SelectOp::create(
          b, loc, Targets::isEqual(b, loc, target, *targets.ignored),
          number(0.0), value);
    if (state != resultType())
      value = arith::TruncFOp::create(b, loc, resultType(), value);
    return value;
  }
};
} // namespace

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
  FloatType state =
      getAccumulatorType(type.getElementType().isF64()
                             ? type.getElementType()
                             : getElementTypeOrSelf(op.getInput().getType()));
  Targets targets(builder, op, {});

  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap row = all.dropResult(axis);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  // Not of the type of the result, which may know less.
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    BackwardElement element{op, targets, extent, knownExtent, state, b, loc};
    linalg::YieldOp::create(b, loc,
                            element.build(args[0], args[1], args[2], args[3]));
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
