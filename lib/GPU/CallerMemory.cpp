//===- CallerMemory.cpp - results that are written in place ---------------===//

#include "CallerMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// Memory with any strides can be seen in more dimensions, of which one of
/// those that were one is not known, and in fewer where all but one of those
/// that become one have a single element.
static bool isView(Operation *reshape) {
  if (isa<tensor::CastOp>(reshape))
    return true;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    return llvm::all_of(collapse.getReassociationIndices(), [&](auto &group) {
      return llvm::count_if(group, [&](int64_t dim) {
               return collapse.getSrcType().isDynamicDim(dim);
             }) <= 1;
    });
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  return expand &&
         llvm::all_of(expand.getReassociationIndices(), [&](auto &group) {
           return llvm::count_if(group, [&](int64_t dim) {
                    return expand.getResultType().getDimSize(dim) != 1;
                  }) <= 1;
         });
}

std::optional<CallerMemory> mlir::smx::gpu::findCallerMemory(Value tensor) {
  for (Operation *user : tensor.getUsers()) {
    auto copy = dyn_cast<bufferization::MaterializeInDestinationOp>(user);
    if (copy && isa<MemRefType>(copy.getDest().getType()) &&
        copy.getSource() == tensor)
      return CallerMemory{copy, {}};
    if (!isView(user))
      continue;
    std::optional<CallerMemory> found = findCallerMemory(user->getResult(0));
    // Sizes between two changes of shape are not known here.
    if (!found ||
        (!isa<tensor::CastOp>(user) &&
         !llvm::all_of(found->reshapes, llvm::IsaPred<tensor::CastOp>)))
      continue;
    found->reshapes.insert(found->reshapes.begin(), user);
    return found;
  }
  return std::nullopt;
}

Value mlir::smx::gpu::viewAsTensor(OpBuilder &builder, Location loc,
                                   CallerMemory memory,
                                   ArrayRef<OpFoldResult> sizes) {
  Value view = memory.copy.getDest();
  for (Operation *reshape : llvm::reverse(memory.reshapes)) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape)) {
      // A subview would leave open which dimensions of one element go.
      view = memref::CollapseShapeOp::create(builder, loc, view,
                                             expand.getReassociationIndices());
      continue;
    }
    if (auto castOp = dyn_cast<tensor::CastOp>(reshape)) {
      auto type = cast<MemRefType>(view.getType());
      view = builder.createOrFold<memref::CastOp>(
          loc,
          MemRefType::get(
              cast<RankedTensorType>(castOp.getSource().getType()).getShape(),
              type.getElementType(), type.getLayout(), type.getMemorySpace()),
          view);
      continue;
    }
    auto collapse = cast<tensor::CollapseShapeOp>(reshape);
    // Sizes that are not known here are those of the tensor itself.
    auto shape = collapse.getSrcType().getShape();
    SmallVector<OpFoldResult> output;
    for (auto [dim, size] : llvm::enumerate(shape))
      output.push_back(ShapedType::isDynamic(size)
                           ? sizes[dim]
                           : OpFoldResult(builder.getIndexAttr(size)));
    auto type = memref::ExpandShapeOp::computeExpandedType(
        cast<MemRefType>(view.getType()), shape,
        collapse.getReassociationIndices());
    view = memref::ExpandShapeOp::create(
        builder, loc, *type, view, collapse.getReassociationIndices(), output);
  }
  return view;
}
