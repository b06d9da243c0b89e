//===- ColumnOrder.h - ops that tell no column from another -----*- C++ -*-===//
#ifndef SMX_LIB_GPU_COLUMNORDER_H
#define SMX_LIB_GPU_COLUMNORDER_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx::gpu {

/// True if `op` does the same to all columns of a row, wherever they stand: it
/// reduces the row, gives them a value of it or one number, or works on each.
inline bool treatsColumnsAlike(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getDim() == 1;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return getSlice(broadcast.getValues().getType()).getDim() == 1;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa<HoldOp, tensor::SplatOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_COLUMNORDER_H
