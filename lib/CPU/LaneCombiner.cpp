//===- LaneCombiner.cpp - merging partial accumulators --------------------===//

#include "LaneCombiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::smx;

/// select(cmp(x, y), x, y) in any order of x and y, one of them `accumulator`.
static bool isComparedSelect(arith::SelectOp select, Value accumulator) {
  Operation *compare = select.getCondition().getDefiningOp();
  if (!isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(compare))
    return false;
  Value x = compare->getOperand(0), y = compare->getOperand(1);
  Value t = select.getTrueValue(), f = select.getFalseValue();
  bool samePair = (x == t && y == f) || (x == f && y == t);
  return samePair && (x == accumulator || y == accumulator) &&
         accumulator.hasNUses(2) && compare->hasOneUse();
}

FailureOr<LaneCombiner> LaneCombiner::match(linalg::GenericOp generic,
                                            unsigned init) {
  Block *body = generic.getBody();
  Value accumulator = body->getArgument(generic.getNumDpsInputs() + init);
  Operation *def = body->getTerminator()->getOperand(init).getDefiningOp();
  // Each lane has an accumulator of its own, so nothing but the yield may look
  // at what is accumulated so far.
  if (!def || def->getBlock() != body || !def->hasOneUse())
    return failure();

  LaneCombiner combiner;
  combiner.op = def;
  if (auto select = dyn_cast<arith::SelectOp>(def)) {
    if (!isComparedSelect(select, accumulator))
      return failure();
    combiner.kind = Kind::Idempotent;
    return combiner;
  }
  if (!accumulator.hasOneUse() || *accumulator.user_begin() != def)
    return failure();
  if (auto fma = dyn_cast<math::FmaOp>(def)) {
    if (fma.getC() != accumulator)
      return failure();
    return combiner;
  }
  if (isa<arith::AddFOp, arith::AddIOp, arith::XOrIOp>(def))
    combiner.kind = Kind::Sum;
  else if (isa<arith::MulFOp, arith::MulIOp>(def))
    combiner.kind = Kind::Product;
  else if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
               arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
               arith::MinUIOp, arith::AndIOp, arith::OrIOp>(def))
    combiner.kind = Kind::Idempotent;
  else
    return failure();
  return combiner;
}

Value LaneCombiner::combine(OpBuilder &b, Location loc, Value lhs,
                            Value rhs) const {
  if (isa<math::FmaOp>(op))
    return arith::AddFOp::create(b, loc, lhs, rhs);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Operation *compare = select.getCondition().getDefiningOp();
    Value condition;
    if (auto cmpf = dyn_cast<arith::CmpFOp>(compare))
      condition = arith::CmpFOp::create(b, loc, cmpf.getPredicate(), lhs, rhs);
    else
      condition = arith::CmpIOp::create(
          b, loc, cast<arith::CmpIOp>(compare).getPredicate(), lhs, rhs);
    bool keepsFirst = compare->getOperand(0) == select.getTrueValue();
    return arith::SelectOp::create(b, loc, condition, keepsFirst ? lhs : rhs,
                                   keepsFirst ? rhs : lhs);
  }
  OperationState state(loc, op->getName().getIdentifier(), {lhs, rhs},
                       {lhs.getType()}, op->getAttrs());
  return b.create(state)->getResult(0);
}

Value LaneCombiner::startLanes(OpBuilder &b, Location loc, Value initial,
                               VectorType type) const {
  if (kind == Kind::Idempotent)
    return vector::BroadcastOp::create(b, loc, type, initial);
  Type element = type.getElementType();
  TypedAttr identity;
  if (isa<FloatType>(element))
    // -0.0 is the exact identity of addition: 0.0 would turn a sum of -0.0 into
    // 0.0.
    identity = b.getFloatAttr(element, kind == Kind::Product ? 1.0 : -0.0);
  else
    identity = b.getIntegerAttr(element, kind == Kind::Product ? 1 : 0);
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, identity));
}

Value LaneCombiner::reduceLanes(OpBuilder &b, Location loc,
                                Value vector) const {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    Value low = vector::ExtractStridedSliceOp::create(
        b, loc, vector, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{half},
        ArrayRef<int64_t>{1});
    Value high = vector::ExtractStridedSliceOp::create(
        b, loc, vector, ArrayRef<int64_t>{half}, ArrayRef<int64_t>{half},
        ArrayRef<int64_t>{1});
    vector = combine(b, loc, low, high);
  }
  return vector::ExtractOp::create(b, loc, vector, 0);
}
