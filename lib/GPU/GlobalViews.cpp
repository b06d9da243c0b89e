//===- GlobalViews.cpp - tensors that lie in global memory ----------------===//

#include "GlobalViews.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

Value mlir::smx::gpu::viewWithStops(OpBuilder &builder, Location loc,
                                    Value memref, ArrayRef<Value> conditions) {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  SmallVector<OpFoldResult> sizes = metadata.getConstifiedMixedSizes(),
                            strides = metadata.getConstifiedMixedStrides();
  SmallVector<int64_t> staticSizes(type.getShape());
  SmallVector<int64_t> staticStrides = type.getStridesAndOffset().first;
  auto unless = [&](Value condition, int64_t instead, OpFoldResult value) {
    Value otherwise = arith::ConstantIndexOp::create(builder, loc, instead);
    return arith::SelectOp::create(
               builder, loc, condition, otherwise,
               getValueOrCreateConstantIndexOp(builder, loc, value))
        .getResult();
  };
  for (auto [dim, condition] : llvm::enumerate(conditions)) {
    if (!condition)
      continue;
    sizes[dim] =
        unless(condition, std::numeric_limits<int32_t>::max(), sizes[dim]);
    strides[dim] = unless(condition, 0, strides[dim]);
    staticSizes[dim] = staticStrides[dim] = ShapedType::kDynamic;
  }
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, staticStrides);
  return memref::ReinterpretCastOp::create(
      builder, loc, MemRefType::get(staticSizes, type.getElementType(), layout),
      metadata.getBaseBuffer(), metadata.getConstifiedMixedOffset(), sizes,
      strides);
}

bool mlir::smx::gpu::isMultipleOf(OpFoldResult folded, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(folded))
    return *constant % factor == 0;
  Value value = cast<Value>(folded);
  auto all = [&](ValueRange operands) {
    return llvm::all_of(
        operands, [&](Value operand) { return isMultipleOf(operand, factor); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           all({loop.getLowerBound(), loop.getStep()});
  }
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    if (map.getResult(0).isMultipleOf(factor))
      return true;
    // A symbol or dimension that is a multiple itself.
    auto expr = map.getResult(0);
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return isMultipleOf(apply.getOperand(dim.getPosition()), factor);
    return false;
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return all(op->getOperands());
  if (isa<arith::MulIOp>(op))
    return isMultipleOf(op->getOperand(0), factor) ||
           isMultipleOf(op->getOperand(1), factor);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return all({select.getTrueValue(), select.getFalseValue()});
  return false;
}
