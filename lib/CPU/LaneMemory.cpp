//===- LaneMemory.cpp - loads and stores of a nest ------------------------===//

#include "LaneNest.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::smx;

SmallVector<Value> LaneNest::indicesOf(OpOperand &operand, const Point &point,
                                       int64_t row, int64_t vector,
                                       int64_t lane) {
  SmallVector<Value> at(point.base);
  if (plan.row >= 0 && at[plan.row])
    at[plan.row] = plus(at[plan.row], row);
  if (plan.lane >= 0 && at[plan.lane])
    at[plan.lane] = plus(at[plan.lane], vector * point.lanes + lane);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      indices.push_back(at[dim.getPosition()]);
      continue;
    }
    if (auto fixed = dyn_cast<AffineConstantExpr>(expr)) {
      indices.push_back(constant(fixed.getValue()));
      continue;
    }
    SmallVector<OpFoldResult> dims;
    for (Value value : at)
      dims.push_back(value ? OpFoldResult(value)
                           : OpFoldResult(b.getIndexAttr(0)));
    indices.push_back(getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(
            b, loc, AffineMap::get(map.getNumDims(), 0, expr), dims)));
  }
  return indices;
}

/// The same memory with elements of type `element`, which has the size in
/// memory of the old one.
static Value viewAs(OpBuilder &b, Location loc, Value memref, Type element) {
  auto type = cast<MemRefType>(memref.getType());
  auto view = MemRefType::get(type.getShape(), element, type.getLayout(),
                              type.getMemorySpace());
  return UnrealizedConversionCastOp::create(b, loc, view, memref).getResult(0);
}

Value LaneNest::loadVector(OpOperand &operand, const Point &point,
                           SmallVector<Value> indices) {
  Value memref = operand.get();
  Type element = getElementTypeOrSelf(memref.getType());
  bool isBoolean = element.isInteger(1);
  if (isBoolean) {
    // A vector of i1 is packed in bits, a memref of i1 is not.
    memref = viewAs(b, loc, memref, b.getI8Type());
    element = b.getI8Type();
  }
  auto type = VectorType::get({plan.lanes}, element);
  Value zero =
      point.mask || isBoolean
          ? arith::ConstantOp::create(b, loc, b.getZeroAttr(type)).getResult()
          : nullptr;
  Value loaded =
      point.mask
          ? vector::MaskedLoadOp::create(b, loc, type, memref, indices,
                                         point.mask, zero)
                .getResult()
          : vector::LoadOp::create(b, loc, type, memref, indices).getResult();
  if (isBoolean)
    loaded =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, loaded, zero);
  return loaded;
}

void LaneNest::fetchVector(OpOperand &operand, const Point &point,
                           ValueRange indices, int64_t vector) {
  constexpr int64_t lineBytes = 64;
  Value view = options.fetched.empty()
                   ? Value()
                   : options.fetched[operand.getOperandNumber()];
  if (!view)
    return;
  // One fetch a cache line.
  int64_t bytes =
      std::max<int64_t>(point.lanes * elementBits(view.getType()) / 8, 1);
  if (vector % std::max<int64_t>(lineBytes / bytes, 1) != 0)
    return;
  constexpr unsigned nearest = 3;
  memref::PrefetchOp::create(b, loc, view, indices, /*isWrite=*/false, nearest,
                             /*isDataCache=*/true);
}

void LaneNest::storeVector(OpOperand &operand, const Point &point,
                           SmallVector<Value> indices, Value value) {
  Value memref = operand.get();
  auto type = cast<VectorType>(value.getType());
  if (type.getElementType().isInteger(1)) {
    memref = viewAs(b, loc, memref, b.getI8Type());
    type = type.clone(b.getI8Type());
    value = arith::ExtUIOp::create(b, loc, type, value);
  }
  if (point.mask) {
    vector::MaskedStoreOp::create(b, loc, memref, indices, point.mask, value);
    return;
  }
  llvm::MaybeAlign alignment;
  if (options.streaming)
    alignment = llvm::Align(type.getNumElements() * elementBytes(type));
  vector::StoreOp::create(b, loc, value, memref, indices, options.streaming,
                          alignment);
}

LaneValue LaneNest::load(OpOperand &operand, const Point &point, int64_t row,
                         int64_t vector) {
  if (!isa<MemRefType>(operand.get().getType()))
    return {operand.get()};
  SmallVector<Value> indices = indicesOf(operand, point, row, vector);
  if (inLanes(operand, point)) {
    fetchVector(operand, point, indices, vector);
    return {loadVector(operand, point, indices), false};
  }
  return {memref::LoadOp::create(b, loc, operand.get(), indices)};
}

void LaneNest::store(OpOperand &operand, const Point &point, int64_t row,
                     int64_t vector, LaneValue value) {
  SmallVector<Value> indices = indicesOf(operand, point, row, vector);
  if (inLanes(operand, point)) {
    Value lanes = LaneBody(op, point.lanes).materialize(b, loc, value);
    return storeVector(operand, point, indices, lanes);
  }
  memref::StoreOp::create(b, loc, value.value, operand.get(), indices);
}
