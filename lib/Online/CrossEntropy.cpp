//===- CrossEntropy.cpp - losses of integer targets -----------------------===//
//
// The logit of a target is one element of its row, read once the row has been
// streamed: a gather costs a sector of memory per row, where a comparison in
// the stream costs instructions per element. A gather must not leave the
// tensor: targets out of range read element 0 and are NaN. Where the extent is
// open the row may have no element 0; there the logit is a masked sum.
//
//===----------------------------------------------------------------------===//

#include "CrossEntropy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx;

namespace {
/// Arithmetic on the targets of an op.
class Targets {
public:
  /// `op` is a cross entropy or its gradient.
  template <typename OpT>
  Targets(OpBuilder &builder, OpT op, ArrayRef<OpFoldResult> rowSizes)
      : builder(builder), loc(op.getLoc()), input(op.getInput()),
        targets(op.getTargets()), axis(op.getAxis()), rowSizes(rowSizes) {
    if (std::optional<uint64_t> value = op.getIgnored())
      ignored = static_cast<int64_t>(*value);
  }

  /// The scores at the targets: logits of type `element`, negated if asked for;
  /// NaN for a target out of range.
  Value scores(Type element, bool isNegated);
  /// 0 for rows that are ignored, 1 for others.
  Value weights(Type element);

  static Value asIndex(OpBuilder &b, Location loc, Value target) {
    if (target.getType().isIndex())
      return target;
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), target);
  }
  /// True for a target that names a place of a row of `extent` places.
  static Value isInRange(OpBuilder &b, Location loc, Value index,
                         Value extent) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                                 extent);
  }
  static Value constant(OpBuilder &b, Location loc, double value, Type type) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  static Value isEqual(OpBuilder &b, Location loc, Value target,
                       int64_t number) {
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, target,
        arith::ConstantOp::create(b, loc,
                                  b.getIntegerAttr(target.getType(), number)));
  }

  std::optional<int64_t> ignored;

private:
  using Body = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

  /// One value per row from `inputs`, which have one per row.
  Value mapRows(ValueRange inputs, Type element, Body body);
  Value maskedSum(Value extent, Type element, bool isNegated);
  static Value asScore(OpBuilder &b, Location loc, Value logit, Type element,
                       bool isNegated) {
    if (logit.getType() != element)
      logit = arith::ExtFOp::create(b, loc, element, logit);
    return isNegated ? arith::NegFOp::create(b, loc, logit).getResult() : logit;
  }

  OpBuilder &builder;
  Location loc;
  Value input, targets;
  unsigned axis;
  ArrayRef<OpFoldResult> rowSizes;
};
} // namespace

Value Targets::mapRows(ValueRange inputs, Type element, Body body) {
  Value empty = tensor::EmptyOp::create(builder, loc, rowSizes, element);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(rowSizes.size()));
  SmallVector<utils::IteratorType> iterators(rowSizes.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), inputs, empty, maps, iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, body(b, loc, args));
             })
      .getResult(0);
}

Value Targets::weights(Type element) {
  return mapRows(targets, element,
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   return arith::SelectOp::create(
                       b, loc, isEqual(b, loc, args[0], *ignored),
                       constant(b, loc, 0.0, element),
                       constant(b, loc, 1.0, element));
                 });
}

/// sum_k [k = t] x_k: no element is read for its place.
Value Targets::maskedSum(Value extent, Type element, bool isNegated) {
  unsigned rows = rowSizes.size();
  SmallVector<AffineExpr> all, row;
  for (unsigned dim = 0; dim <= rows; ++dim) {
    all.push_back(
        builder.getAffineDimExpr(dim == axis ? rows : dim - (dim > axis)));
    if (dim != rows)
      row.push_back(builder.getAffineDimExpr(dim));
  }
  MLIRContext *context = builder.getContext();
  AffineMap rowMap = AffineMap::get(rows + 1, 0, row, context);
  Value zero =
      linalg::FillOp::create(
          builder, loc, constant(builder, loc, 0.0, element),
          tensor::EmptyOp::create(builder, loc, rowSizes, element).getResult())
          .getResult(0);
  SmallVector<utils::IteratorType> iterators(rows,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, zero.getType(), ValueRange{input, targets}, zero,
             ArrayRef<AffineMap>{AffineMap::get(rows + 1, 0, all, context),
                                 rowMap, rowMap},
             iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value isTarget =
                   arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         linalg::IndexOp::create(b, loc, rows),
                                         asIndex(b, loc, args[1]));
               Value term = arith::SelectOp::create(
                   b, loc, isTarget,
                   asScore(b, loc, args[0], element, isNegated),
                   constant(b, loc, 0.0, element));
               Value sum = arith::AddFOp::create(b, loc, term, args[2]);
               linalg::YieldOp::create(b, loc, sum);
             })
      .getResult(0);
}

Value Targets::scores(Type element, bool isNegated) {
  OpFoldResult size = tensor::getMixedSize(builder, loc, input, axis);
  Value extent = getValueOrCreateConstantIndexOp(builder, loc, size);
  std::optional<int64_t> known = getConstantIntValue(size);
  double nan = std::numeric_limits<double>::quiet_NaN();
  if (known && *known != 0)
    return mapRows(
        targets, element,
        [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          Value target = asIndex(b, loc, args[0]);
          Value inRange = isInRange(b, loc, target, extent);
          Value first = arith::ConstantIndexOp::create(b, loc, 0);
          SmallVector<Value> place;
          for (unsigned dim = 0; dim <= rowSizes.size(); ++dim) {
            if (dim == axis)
              place.push_back(
                  arith::SelectOp::create(b, loc, inRange, target, first));
            else
              place.push_back(
                  linalg::IndexOp::create(b, loc, dim - (dim > axis)));
          }
          Value logit = tensor::ExtractOp::create(b, loc, input, place);
          return arith::SelectOp::create(
              b, loc, inRange, asScore(b, loc, logit, element, isNegated),
              constant(b, loc, nan, element));
        });
  SmallVector<Value> inputs{targets};
  if (!known)
    inputs.push_back(maskedSum(extent, element, isNegated));
  return mapRows(inputs, element,
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value none = constant(b, loc, nan, element);
                   if (known)
                     return none;
                   return arith::SelectOp::create(
                       b, loc,
                       isInRange(b, loc, asIndex(b, loc, args[0]), extent),
                       args[1], none);
                 });
}

void mlir::smx::buildCrossEntropy(OpBuilder &builder, CrossEntropyOp op,
                                  CrossEntropyAlgebraAttr algebra) {
  Location loc = op.getLoc();
  double scale = op.getScale().convertToDouble();
  bool isNegated = scale < 0;
  // Results are computed in the state's type, which f64 results want wide.
  Type wanted = getElementTypeOrSelf(op.getInput());
  for (Type type : op.getResultTypes())
    if (getElementTypeOrSelf(type).isF64())
      wanted = builder.getF64Type();
  Value input = normalizedScores(builder, loc, op.getInput(), scale, wanted);
  RowReduction rows(builder, loc, algebra, input, op.getAxis());
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

void mlir::smx::buildCrossEntropyBackward(CrossEntropyBackwardOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  unsigned axis = op.getAxis();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  unsigned rank = type.getRank();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, op.getInput());
  Value extent = getValueOrCreateConstantIndexOp(builder, loc, sizes[axis]);
  Type state =
      getAccumulatorType(type.getElementType().isF64()
                             ? type.getElementType()
                             : getElementTypeOrSelf(op.getInput().getType()));
  double scale = op.getScale().convertToDouble();
  double smoothing = op.getSmoothing().convertToDouble();
  Targets targets(builder, op, {});

  AffineMap all = builder.getMultiDimIdentityMap(rank);
  AffineMap row = all.dropResult(axis);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  // Not of the type of the result, which may know less.
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    auto wide = [&](Value x) -> Value {
      if (x.getType() == state)
        return x;
      if (x.getType().getIntOrFloatBitWidth() > state.getIntOrFloatBitWidth())
        return arith::TruncFOp::create(b, loc, state, x);
      return arith::ExtFOp::create(b, loc, state, x);
    };
    Value target = Targets::asIndex(b, loc, args[1]);
    Value score = wide(args[0]);
    if (scale != 1.0)
      score = arith::MulFOp::create(b, loc, score,
                                    Targets::constant(b, loc, scale, state));
    Value weight = math::ExpOp::create(
        b, loc, arith::SubFOp::create(b, loc, score, wide(args[2])));
    if (smoothing != 0) {
      // What each place has of it. Computed here, from an extent: hosts of
      // kernels compute nothing but sizes.
      Value count = arith::UIToFPOp::create(
          b, loc, state,
          arith::IndexCastOp::create(b, loc, b.getI64Type(), extent));
      Value share = arith::DivFOp::create(
          b, loc, Targets::constant(b, loc, smoothing, state), count);
      weight = arith::SubFOp::create(b, loc, weight, share);
    }
    Value isTarget =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                              linalg::IndexOp::create(b, loc, axis), target);
    Value hit = arith::SubFOp::create(
        b, loc, weight, Targets::constant(b, loc, 1 - smoothing, state));
    Value difference = arith::SelectOp::create(b, loc, isTarget, hit, weight);
    Value gradient = wide(args[3]);
    if (scale != 1.0)
      gradient = arith::MulFOp::create(b, loc, gradient,
                                       Targets::constant(b, loc, scale, state));
    Value value = arith::MulFOp::create(b, loc, gradient, difference);
    value = arith::SelectOp::create(
        b, loc, Targets::isInRange(b, loc, target, extent), value,
        Targets::constant(b, loc, std::numeric_limits<double>::quiet_NaN(),
                          state));
    if (targets.ignored)
      value = arith::SelectOp::create(
          b, loc, Targets::isEqual(b, loc, args[1], *targets.ignored),
          Targets::constant(b, loc, 0.0, state), value);
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
