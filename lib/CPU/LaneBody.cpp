//===- LaneBody.cpp - a generic's body on vectors -------------------------===//

#include "LaneBody.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

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

/// How large `place` is at most, if it is computed from places alone, which are
/// below 2^48; nothing for data, and what may be anything.
static std::optional<uint64_t> mostOf(Value place) {
  constexpr uint64_t places = uint64_t(1) << 48;
  APInt constant;
  if (matchPattern(place, m_ConstantInt(&constant)))
    return constant.abs().getLimitedValue();
  Operation *op = place.getDefiningOp();
  if (!op || isa<affine::AffineApplyOp, affine::AffineMinOp,
                 affine::AffineMaxOp, tensor::DimOp, memref::DimOp>(op))
    return place.getType().isIndex() ? std::optional(places) : std::nullopt;
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return mostOf(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<uint64_t> left = mostOf(op->getOperand(0)),
                          right = mostOf(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  return llvm::SaturatingAdd(*left, *right);
}

/// A comparison of a ramp with a scalar as a comparison of 32-bit lane numbers:
/// 64-bit lanes would take twice the registers. The scalar, which may be data,
/// is clamped to the ramp's neighbourhood, so their distance is exact. A ramp
/// that could leave 64 bits is compared lane by lane.
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
  Type wide = lhs.value.getType();
  bool isWide = wide.isIndex() || wide.getIntOrFloatBitWidth() == 64;
  constexpr uint64_t limit = uint64_t(1) << 62;
  auto staysInside = [&](LaneValue side) {
    std::optional<uint64_t> most = mostOf(side.value);
    return most && *most < limit;
  };
  if ((ramp != 1 && ramp != -1) || !isWide || !staysInside(lhs) ||
      (rhs.ramp != 0 && !staysInside(rhs)))
    return std::nullopt;
  // left + ramp * k  p  right: from k = -1 to k = lanes, nothing changes
  // beyond.
  if (ramp < 0)
    predicate = mirrored(predicate);
  auto beside = [&](int64_t k) -> Value {
    return arith::AddIOp::create(
        b, loc, lhs.value,
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(wide, k)));
  };
  Value right =
      arith::MaxSIOp::create(b, loc, rhs.value, beside(ramp > 0 ? -1 : -lanes));
  right = arith::MinSIOp::create(b, loc, right, beside(ramp > 0 ? lanes : 1));
  Value distance = ramp > 0 ? arith::SubIOp::create(b, loc, right, lhs.value)
                            : arith::SubIOp::create(b, loc, lhs.value, right);
  Type narrow = b.getI32Type();
  if (isa<IndexType>(wide))
    distance = arith::IndexCastOp::create(b, loc, narrow, distance);
  else
    distance = arith::TruncIOp::create(b, loc, narrow, distance);
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
