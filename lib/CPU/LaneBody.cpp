//===- LaneBody.cpp - a generic's body on vectors -------------------------===//

#include "LaneBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::smx;

static Value laneNumbers(OpBuilder &b, Location loc, Type element,
                         int64_t lanes, int ramp) {
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(b.getIntegerAttr(element, lane * ramp));
  auto type = VectorType::get({lanes}, element);
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, numbers));
}

Value LaneBody::materialize(OpBuilder &b, Location loc, LaneValue lane) const {
  if (!lane.uniform)
    return lane.value;
  Type element = lane.value.getType();
  Value all = vector::BroadcastOp::create(
      b, loc, VectorType::get({lanes}, element), lane.value);
  if (lane.ramp == 0)
    return all;
  return arith::AddIOp::create(b, loc, all,
                               laneNumbers(b, loc, element, lanes, lane.ramp));
}

/// The sum or difference of two scalars or ramps, when it is one again.
static std::optional<LaneValue> addRamps(OpBuilder &b, Operation &op,
                                         LaneValue lhs, LaneValue rhs) {
  bool subtracts = isa<arith::SubIOp>(op);
  int ramp = subtracts ? lhs.ramp - rhs.ramp : lhs.ramp + rhs.ramp;
  if (ramp > 1 || ramp < -1)
    return std::nullopt;
  Value base =
      subtracts
          ? b.createOrFold<arith::SubIOp>(op.getLoc(), lhs.value, rhs.value)
          : b.createOrFold<arith::AddIOp>(op.getLoc(), lhs.value, rhs.value);
  return LaneValue{base, true, ramp};
}

/// Mirrors a signed predicate: x p y == y mirrored(p) x.
static arith::CmpIPredicate mirrored(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::slt:
    return P::sgt;
  case P::sle:
    return P::sge;
  case P::sgt:
    return P::slt;
  case P::sge:
    return P::sle;
  default:
    return predicate;
  }
}

/// A comparison of a ramp with a scalar as a comparison of 32-bit lane numbers:
/// 64-bit lanes would take twice the registers. The distance is clamped to the
/// lane numbers' range, so it is exact.
static std::optional<LaneValue> compareRamps(OpBuilder &b, arith::CmpIOp op,
                                             LaneValue lhs, LaneValue rhs,
                                             int64_t lanes) {
  using P = arith::CmpIPredicate;
  P predicate = op.getPredicate();
  if (llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate))
    return std::nullopt;
  if (lhs.ramp == 0) {
    std::swap(lhs, rhs);
    predicate = mirrored(predicate);
  }
  Location loc = op.getLoc();
  int ramp = lhs.ramp - rhs.ramp;
  if (ramp == 0)
    return LaneValue{
        arith::CmpIOp::create(b, loc, predicate, lhs.value, rhs.value)};
  if (ramp != 1 && ramp != -1)
    return std::nullopt;
  // left + ramp * k  p  right
  if (ramp < 0)
    predicate = mirrored(predicate);
  Value distance = ramp > 0
                       ? arith::SubIOp::create(b, loc, rhs.value, lhs.value)
                       : arith::SubIOp::create(b, loc, lhs.value, rhs.value);
  Type wide = distance.getType();
  auto bound = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(wide, value));
  };
  distance = arith::MaxSIOp::create(b, loc, distance, bound(-1));
  distance = arith::MinSIOp::create(b, loc, distance, bound(lanes));
  Type narrow = b.getI32Type();
  if (isa<IndexType>(wide))
    distance = arith::IndexCastOp::create(b, loc, narrow, distance);
  else if (wide.getIntOrFloatBitWidth() > 32)
    distance = arith::TruncIOp::create(b, loc, narrow, distance);
  else if (wide.getIntOrFloatBitWidth() < 32)
    distance = arith::ExtSIOp::create(b, loc, narrow, distance);
  Value all = vector::BroadcastOp::create(
      b, loc, VectorType::get({lanes}, narrow), distance);
  return LaneValue{arith::CmpIOp::create(b, loc, predicate,
                                         laneNumbers(b, loc, narrow, lanes, 1),
                                         all),
                   false};
}

LaneValue LaneBody::emitOp(OpBuilder &b, Operation &nested,
                           ArrayRef<LaneValue> operands) const {
  auto isRamp = [](LaneValue lane) { return lane.ramp != 0; };
  auto isScalar = [](LaneValue lane) { return lane.uniform; };
  if (llvm::all_of(operands, isScalar) && llvm::any_of(operands, isRamp)) {
    std::optional<LaneValue> folded;
    if (isa<arith::AddIOp, arith::SubIOp>(nested))
      folded = addRamps(b, nested, operands[0], operands[1]);
    else if (auto compare = dyn_cast<arith::CmpIOp>(nested))
      folded = compareRamps(b, compare, operands[0], operands[1], lanes);
    else if (auto cast = dyn_cast<arith::IndexCastOp>(nested))
      folded =
          LaneValue{arith::IndexCastOp::create(
                        b, nested.getLoc(), cast.getType(), operands[0].value),
                    true, operands[0].ramp};
    if (folded)
      return *folded;
  } else if (llvm::all_of(operands, isScalar)) {
    IRMapping mapping;
    for (auto [old, lane] : llvm::zip(nested.getOperands(), operands))
      mapping.map(old, lane.value);
    return {b.clone(nested, mapping)->getResult(0)};
  }
  SmallVector<Value> vectors;
  for (LaneValue lane : operands)
    vectors.push_back(materialize(b, nested.getLoc(), lane));
  OperationState state(
      nested.getLoc(), nested.getName().getIdentifier(), vectors,
      {VectorType::get({lanes}, nested.getResult(0).getType())},
      nested.getAttrs());
  return {b.create(state)->getResult(0), false};
}

/// One scalar copy of the body; its ops may be any.
static void emitScalar(OpBuilder &b, linalg::GenericOp op, IRMapping &mapping,
                       ArrayRef<LaneValue> indices) {
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      mapping.map(index.getResult(), indices[index.getDim()].value);
      continue;
    }
    Operation *copy = b.clone(nested, mapping);
    SmallVector<linalg::IndexOp> inside;
    copy->walk([&](linalg::IndexOp index) { inside.push_back(index); });
    for (linalg::IndexOp index : inside) {
      index.replaceAllUsesWith(indices[index.getDim()].value);
      index.erase();
    }
  }
}

SmallVector<LaneValue> LaneBody::emit(OpBuilder &b,
                                      ArrayRef<LaneValue> arguments,
                                      ArrayRef<LaneValue> indices) const {
  SmallVector<LaneValue> yielded;
  Operation *terminator = op.getBody()->getTerminator();
  if (lanes == 1) {
    IRMapping mapping;
    for (auto [argument, lane] :
         llvm::zip(op.getBody()->getArguments(), arguments))
      if (lane.value)
        mapping.map(argument, lane.value);
    emitScalar(b, op, mapping, indices);
    for (Value value : terminator->getOperands())
      yielded.push_back({mapping.lookupOrDefault(value)});
    return yielded;
  }
  DenseMap<Value, LaneValue> values;
  for (auto [argument, lane] :
       llvm::zip(op.getBody()->getArguments(), arguments))
    values[argument] = lane;
  // What is defined outside the body is the same for all lanes.
  auto lookup = [&](Value value) {
    auto it = values.find(value);
    return it == values.end() ? LaneValue{value} : it->second;
  };
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      values[index.getResult()] = indices[index.getDim()];
      continue;
    }
    SmallVector<LaneValue> operands;
    for (Value operand : nested.getOperands())
      operands.push_back(lookup(operand));
    values[nested.getResult(0)] = emitOp(b, nested, operands);
  }
  for (Value value : terminator->getOperands())
    yielded.push_back(lookup(value));
  return yielded;
}
