//===- RowAlignment.cpp - where rows of host memory start -----------------===//

#include "RowAlignment.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

/// The alignment of rows of `elements`, from memory in which rows are at
/// multiples of `bytes`. An open extent says nothing, nor does memory of which
/// nothing is known.
static int64_t ofRows(int64_t elements, Type shaped, int64_t bytes) {
  if (ShapedType::isDynamic(elements) || bytes == 0)
    return 0;
  int64_t width = mlir::smx::elementBytes(shaped);
  return std::gcd(bytes, elements * width);
}

/// Rows that follow each other without a gap.
static int64_t ofDense(Type shaped, int64_t bytes) {
  auto shape = cast<ShapedType>(shaped).getShape();
  return shape.size() < 2 ? bytes : ofRows(shape.back(), shaped, bytes);
}

/// Rows in the groups of an expansion: those of the last one are new.
static int64_t ofExpansion(Type shaped, ArrayRef<ReassociationIndices> groups,
                           int64_t bytes) {
  if (groups.empty() || groups.back().size() == 1)
    return bytes;
  return ofRows(cast<ShapedType>(shaped).getShape().back(), shaped, bytes);
}

int64_t mlir::smx::gpu::alignmentOfRows(Value memory, int64_t promised) {
  if (promised == 0)
    return 0;
  if (auto argument = dyn_cast<BlockArgument>(memory))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? promised : 0;
  auto of = [&](Value source) { return alignmentOfRows(source, promised); };
  auto ofSlice = [&](auto slice) -> int64_t {
    // Without the fastest dimension, neighbours are none in memory.
    if (!slice.hasUnitStride() || slice.getType().getRank() == 0 ||
        slice.getDroppedDims().test(slice.getSourceType().getRank() - 1))
      return 0;
    OpFoldResult last = slice.getMixedOffsets().back();
    std::optional<int64_t> offset = getConstantIntValue(last);
    if (!offset)
      return 0;
    int64_t bytes = of(slice.getSource());
    return *offset == 0 ? bytes
                        : ofRows(*offset, slice.getSource().getType(), bytes);
  };
  return llvm::TypeSwitch<Operation *, int64_t>(memory.getDefiningOp())
      .Case<tensor::CastOp, memref::CastOp>(
          [&](auto op) { return of(op.getSource()); })
      .Case<memref::CollapseShapeOp>([&](auto op) { return of(op.getSrc()); })
      // It may be a copy, whose rows have no gaps.
      .Case<tensor::CollapseShapeOp>(
          [&](auto op) { return ofDense(op.getResultType(), of(op.getSrc())); })
      .Case<tensor::ExpandShapeOp, memref::ExpandShapeOp>([&](auto op) {
        return ofExpansion(op.getResultType(), op.getReassociationIndices(),
                           of(op.getSrc()));
      })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>(ofSlice)
      .Case<bufferization::ToTensorOp, bufferization::ToBufferOp>(
          [&](Operation *op) { return of(op->getOperand(0)); })
      // What the function allocates starts at multiples of everything.
      .Case<memref::AllocOp, bufferization::AllocTensorOp>(
          [&](Operation *) { return ofDense(memory.getType(), promised); })
      .Default([](Operation *) { return 0; });
}
