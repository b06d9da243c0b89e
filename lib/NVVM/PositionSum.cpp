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

int64_t PositionSum::mostOfPositions(RankedTensorType tile) const {
  int64_t most = 0;
  for (auto [factor, extent] : llvm::zip(factors, tile.getShape()))
    most += std::abs(factor) * extent;
  return most;
}

/// `sum` and `factor * value`, of the type of `sum`; `sum` may be null.
static Value addMultiple(ThreadCode &code, Value sum, int64_t factor,
                         Value value) {
  Type type = value.getType();
  Value multiple = code.mul(
      value,
      LLVM::ConstantOp::create(code, type, code.getIntegerAttr(type, factor)));
  return sum ? code.add(sum, multiple) : multiple;
}

Value PositionSum::ofFirstRegister(ThreadCode &code,
                                   RankedTensorType tile) const {
  ThreadCoordinate at = code.threadPart(tile);
  Value sum;
  for (auto [factor, place] :
       {std::pair(factors[0], at.row), {factors[1], at.column}})
    if (factor)
      sum = addMultiple(code, sum, factor, place);
  return sum ? sum : code.i32(0);
}

Value PositionSum::ofTile(ThreadCode &code,
                          ConversionPatternRewriter &rewriter) const {
  Value sum = code.i64(constant);
  for (auto [factor, value] : shared)
    sum = addMultiple(code, sum, factor, rewriter.getRemappedValue(value));
  return sum;
}

Value PositionSum::ofThread(ThreadCode &code, RankedTensorType tile,
                            ConversionPatternRewriter &rewriter) const {
  Value first = LLVM::SExtOp::create(code, code.getI64Type(),
                                     ofFirstRegister(code, tile));
  return code.add(first, ofTile(code, rewriter));
}
