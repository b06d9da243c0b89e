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
