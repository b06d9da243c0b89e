//===- ScoreRegion.cpp - score and visibility as regions ------------------===//

#include "Attention.h"
#include "RowReductions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::smx;

void RegionBuilder::enterRegion(Region &region, bool takesScore) {
  SmallVector<Type> types(positions.getOrder().size(), builder.getIndexType());
  if (takesScore)
    types.insert(types.begin(), op.getScoreType());
  emitted.clear();
  SmallVector<Location> locations(types.size(), op.getLoc());
  Block *block = builder.createBlock(&region, {}, types, locations);
  score = takesScore ? block->getArgument(0) : Value();
  indices = ValueRange(block->getArguments().drop_front(takesScore ? 1 : 0));
}

/// Scores narrower than f32 are never rounded to their type in a region.
Type RegionBuilder::mapType(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return floatType && floatType.getWidth() < 32 ? builder.getF32Type() : type;
}

Value RegionBuilder::convert(Value value, Type type) {
  if (value.getType() == type)
    return value;
  auto from = dyn_cast<FloatType>(value.getType());
  auto to = dyn_cast<FloatType>(type);
  if (!from || !to)
    return {};
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(builder, op.getLoc(), type, value);
  return arith::TruncFOp::create(builder, op.getLoc(), type, value);
}

Value RegionBuilder::emitConstant(double value, Type type) {
  TypedAttr attr;
  if (isa<FloatType>(type))
    attr = builder.getFloatAttr(type, value);
  else
    attr = builder.getIntegerAttr(type, (int64_t)value);
  return arith::ConstantOp::create(builder, op.getLoc(), attr);
}

Value RegionBuilder::emitIndex(AffineExpr expr) {
  SmallVector<AffineExpr> dims(reader.getPositions().size(),
                               builder.getAffineConstantExpr(0));
  for (auto [n, position] : llvm::enumerate(positions.getOrder()))
    dims[position] = builder.getAffineDimExpr(n);
  AffineExpr mapped = expr.replaceDims(dims);
  if (auto dim = dyn_cast<AffineDimExpr>(mapped))
    return indices[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(mapped))
    return arith::ConstantIndexOp::create(builder, op.getLoc(),
                                          constant.getValue());
  return affine::AffineApplyOp::create(
      builder, op.getLoc(), AffineMap::get(indices.size(), 0, mapped), indices);
}

Value RegionBuilder::extract(const Element &e) {
  SmallVector<Value> at;
  for (AffineExpr index : e.at)
    at.push_back(emitIndex(index));
  Value value = tensor::ExtractOp::create(builder, op.getLoc(), e.value, at);
  return convert(value, mapType(value.getType()));
}

Value RegionBuilder::emitOp(const Element &e) {
  Operation *source = e.value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(source))
    return emitIndex(e.at[index.getDim()]);
  Type type = mapType(e.getType());
  SmallVector<Value> operands;
  for (unsigned n = 0; n < source->getNumOperands(); ++n) {
    operands.push_back(emit(reader.operand(e, n)));
    if (!operands.back())
      return {};
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(source))
    return isConversion(source) ? convert(operands[0], type) : Value();
  // The bits of a type that the region does not compute in.
  auto isKept = [&](Type type) { return mapType(type) == type; };
  if (isa<arith::BitcastOp>(source) &&
      (!isKept(e.getType()) || !isKept(reader.operand(e, 0).getType())))
    return {};
  OperationState state(op.getLoc(), source->getName(), operands, type,
                       source->getAttrs());
  // A division is harmless once its divisor is a constant.
  Operation *copy = builder.create(state);
  if (isPure(copy))
    return copy->getResult(0);
  copy->erase();
  return {};
}

Value RegionBuilder::emit(const Element &e) {
  for (auto &[known, value] : emitted)
    if (known == e)
      return value;
  Value value = emitNew(e);
  emitted.push_back({e, value});
  return value;
}

Value RegionBuilder::emitNew(Element e) {
  if (score && isProduct(e))
    return convert(score, mapType(e.getType()));
  // The tensor that holds the value ready, if there is one.
  std::optional<Element> stored;
  while (true) {
    if (e.isTensor())
      stored = e;
    std::optional<Element> next = reader.step(e);
    if (!next)
      break;
    e = std::move(*next);
  }
  // No integer is rounded on its way.
  if (auto literal = dyn_cast_or_null<IntegerAttr>(reader.literal(e)))
    return arith::ConstantOp::create(builder, op.getLoc(), literal);
  if (std::optional<double> constant = reader.constant(e))
    return emitConstant(*constant, mapType(e.getType()));
  Operation *source = reader.arithmetic(e);
  if (!source) {
    if (e.isTensor())
      return extract(e);
    // A scalar of another body, like what is looked up at a computed place, can
    // not be named here.
    if (e.body)
      return stored ? extract(*stored) : Value();
    return convert(e.value, mapType(e.getType()));
  }
  auto isStoredLeaf = [&](const Element &part) {
    return (part.isTensor() || part.body) && !reader.arithmetic(part) &&
           !reader.literal(part);
  };
  bool needsScore = score && reader.contains(e, isProduct);
  // What comes from positions alone is cheaper to compute than to read.
  if (stored && !needsScore && !isa<arith::ExtFOp>(source) &&
      reader.contains(e, isStoredLeaf))
    return extract(*stored);
  return emitOp(e);
}

Value RegionBuilder::emitAll(ArrayRef<MaskCondition> conditions) {
  Value all;
  for (const MaskCondition &condition : conditions) {
    Value holds = emit(condition.condition);
    if (!holds || !holds.getType().isInteger(1))
      return {};
    if (!condition.visibleWhen)
      holds = arith::XOrIOp::create(builder, op.getLoc(), holds,
                                    emitConstant(1, holds.getType()));
    all = all ? arith::AndIOp::create(builder, op.getLoc(), all, holds) : holds;
  }
  return all;
}

/// `value`, of which what is beyond `limit`, away from 0, is brought there, but
/// for infinities and NaN. At powers of two, what stays finite when it is
/// scaled and multiplied by log2(e) is not rounded by that either: of a row of
/// lowest numbers all weights are equal.
Value RegionBuilder::bounded(Value value, double limit) {
  Location loc = op.getLoc();
  Type type = value.getType();
  Value bound = emitConstant(limit, type);
  Value inside;
  if (limit < 0)
    inside = arith::MaximumFOp::create(builder, loc, value, bound);
  else
    inside = arith::MinimumFOp::create(builder, loc, value, bound);
  Value infinity = emitConstant(
      std::copysign(std::numeric_limits<double>::infinity(), limit), type);
  Value isInfinite = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, value, infinity);
  return arith::SelectOp::create(builder, loc, isInfinite, value, inside);
}

LogicalResult RegionBuilder::buildScore(const Element &scores,
                                        const ScoreMask &mask, double scale) {
  enterRegion(op.getScore(), /*takesScore=*/true);
  auto type = cast<FloatType>(op.getScoreType());
  Value value = emit(scores);
  if (!value || !(value = convert(value, type)))
    return failure();
  if (scale != 1)
    value = arith::MulFOp::create(builder, op.getLoc(), value,
                                  emitConstant(scale, type));
  int highest = APFloat::semanticsMaxExponent(type.getFloatSemantics()) - 1;
  // Only what is written out can be as large.
  for (double limit : {-std::ldexp(1.0, highest), std::ldexp(1.0, highest)})
    if (reader.contains(scores, [&](const Element &e) {
          std::optional<double> constant = reader.constant(e);
          return constant && std::isfinite(*constant) &&
                 *constant * scale / limit >= 1;
        })) {
      value = bounded(value, limit);
      isBounded = true;
    }
  if (!mask.finiteConditions.empty()) {
    isBounded = true;
    Value isVisible = emitAll(mask.finiteConditions);
    if (!isVisible)
      return failure();
    // A power of two: what scores are multiplied by in a kernel neither rounds
    // it nor makes it infinite, so rows of nothing else have equal weights.
    double hidden = std::ldexp(
        -1.0, std::min(std::ilogb(mask.finiteValue * scale), highest));
    value = arith::SelectOp::create(builder, op.getLoc(), isVisible, value,
                                    emitConstant(hidden, type));
  }
  YieldOp::create(builder, op.getLoc(), value);
  return success();
}

LogicalResult RegionBuilder::buildVisible(ArrayRef<MaskCondition> conditions) {
  enterRegion(op.getVisible(), /*takesScore=*/false);
  Value all = emitAll(conditions);
  if (!all)
    return failure();
  YieldOp::create(builder, op.getLoc(), all);
  return success();
}
