//===- FiniteColumns.cpp - products that values make infinite -------------===//

#include "FiniteColumns.h"

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::smx::gpu;

Value mlir::smx::gpu::hasOddColumn(OpBuilder &b, Location loc, Value product) {
  auto type = cast<RankedTensorType>(product.getType());
  // Sums of what a thread holds of a row hide none; where finite elements have
  // an infinite one, the longer way is right, too.
  constexpr int64_t columns = 8;
  auto sumsType = RankedTensorType::get(
      {type.getDimSize(0), columns}, type.getElementType(), type.getEncoding());
  Value sums =
      PartialReduceOp::create(b, loc, sumsType, Combiner::Add, product);
  auto element = cast<FloatType>(type.getElementType());
  Value infinity = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(sumsType,
                             APFloat::getInf(element.getFloatSemantics())));
  Value isOdd =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE,
                            math::AbsFOp::create(b, loc, sums), infinity);
  // 0 x NaN, 0 x Inf and p x NaN are NaN, and p x Inf is Inf: a value that is
  // not finite makes its column so in every row, whatever the weights. So one
  // of the two rows that a thread holds, 8 apart, tells of both.
  constexpr int64_t apart = 8;
  auto placesType = RankedTensorType::get(sumsType.getShape(), b.getIndexType(),
                                          type.getEncoding());
  auto splat = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(placesType, b.getIndexAttr(number)));
  };
  Value half = arith::AndIOp::create(
      b, loc, PositionOp::create(b, loc, placesType, 0), splat(apart));
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, half, splat(0));
  return AnyOp::create(b, loc, arith::AndIOp::create(b, loc, isOdd, isFirst));
}
