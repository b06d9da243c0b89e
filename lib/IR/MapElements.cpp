//===- MapElements.cpp - elementwise ops on one tensor --------------------===//

#include "smx/IR/MapElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

Value mlir::smx::mapElements(
    OpBuilder &builder, Location loc, Value tensor, Type element,
    llvm::function_ref<Value(OpBuilder &, Location, Value)> body) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, tensor), element);
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), tensor, empty,
             ArrayRef<AffineMap>{map, map}, iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, body(b, loc, args[0]));
             })
      .getResult(0);
}

Value mlir::smx::extended(OpBuilder &builder, Location loc, Value tensor,
                          Type wanted) {
  return mapElements(builder, loc, tensor, wanted,
                     [&](OpBuilder &b, Location loc, Value x) -> Value {
                       return arith::ExtFOp::create(b, loc, wanted, x);
                     });
}

Value mlir::smx::truncated(OpBuilder &builder, Location loc, Value tensor,
                           Type wanted) {
  return mapElements(builder, loc, tensor, wanted,
                     [&](OpBuilder &b, Location loc, Value x) -> Value {
                       return arith::TruncFOp::create(b, loc, wanted, x);
                     });
}
