//===- PositionSum.cpp - places of a tile's elements ----------------------===//

#include "PositionSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

bool PositionSum::add(Value tile, int64_t factor) {
  if (auto op = tile.getDefiningOp<gpu::PositionOp>()) {
    gpu::SliceAttr slice = gpu::getSlice(op.getTile().getType());
    bool isColumn = slice && rank == 2 ? slice.getDim() == 0 : op.getDim();
    factors[isColumn] += factor;
    return true;
  }
  if (auto op = tile.getDefiningOp<gpu::BroadcastOp>())
    return add(op.getValues(), factor);
  if (auto op = tile.getDefiningOp<tensor::SplatOp>()) {
    shared.push_back({factor, op.getInput()});
    return true;
  }
  if (auto op = tile.getDefiningOp<arith::ConstantOp>()) {
    auto value = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!value)
      return false;
    constant += factor * value.getSplatValue<APInt>().getSExtValue();
    return true;
  }
  if (auto op = tile.getDefiningOp<arith::AddIOp>())
    return add(op.getLhs(), factor) && add(op.getRhs(), factor);
  if (auto op = tile.getDefiningOp<arith::SubIOp>())
    return add(op.getLhs(), factor) && add(op.getRhs(), -factor);
  return false;
}

int64_t PositionSum::ofRegister(RankedTensorType tile, int64_t i) const {
  ::smx::gpu::Coordinate at = gpu::getElement(tile, 0, i);
  return factors[0] * at.row + factors[1] * at.column;
}

Value PositionSum::ofThread(ThreadCode &code, RankedTensorType tile,
                            ConversionPatternRewriter &rewriter) const {
  ThreadCoordinate at = code.threadPart(tile);
  Value sum = code.i64(constant);
  auto add = [&](int64_t factor, Value value) {
    sum = code.add(sum, code.mul(value, code.i64(factor)));
  };
  for (auto [factor, place] :
       {std::pair(factors[0], at.row), {factors[1], at.column}})
    if (factor)
      add(factor, LLVM::SExtOp::create(code, code.getI64Type(), place));
  for (auto [factor, value] : shared)
    add(factor, rewriter.getRemappedValue(value));
  return sum;
}
