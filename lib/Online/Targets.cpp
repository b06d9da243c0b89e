//===- Targets.cpp - the integer operand of a cross entropy ---------------===//
//
// The logit of a target is one element of its row, read beside the stream: a
// gather costs a sector of memory per row, where a comparison in the stream
// costs instructions per element. A gather must not leave the tensor: targets
// out of range read element 0 and are NaN. Where the extent is open the row may
// have no element 0; there the logit is a masked sum.
//
//===----------------------------------------------------------------------===//

#include "Targets.h"
#include "smx/IR/IndexMath.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx;

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
                                         IndexMath{b, loc}.asIndex(args[1]));
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
          Value target = IndexMath{b, loc}.asIndex(args[0]);
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
  return mapRows(
      inputs, element,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value none = constant(b, loc, nan, element);
        if (known)
          return none;
        return arith::SelectOp::create(
            b, loc,
            isInRange(b, loc, IndexMath{b, loc}.asIndex(args[0]), extent),
            args[1], none);
      });
}
