//===- TileElements.cpp - elements that all places of a tile read ---------===//

#include "TileConverter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// True if `op` reads an element that the tensor certainly has.
static bool isInBounds(tensor::ExtractOp op) {
  using Bounds = ValueBoundsConstraintSet;
  OpFoldResult zero = Builder(op.getContext()).getIndexAttr(0);
  for (auto [dim, index] : llvm::enumerate(op.getIndices()))
    if (!Bounds::compare(index, Bounds::GE, zero) ||
        !Bounds::compare(index, Bounds::LT, {op.getTensor(), int64_t(dim)}))
      return false;
  return true;
}

/// An element that all places of a tile read: in front of the rounds that read
/// the same one, where also none of them may read it.
LogicalResult TileConverter::convertExtract(tensor::ExtractOp op) {
  GlobalView *view = viewOf(op.getTensor());
  if (!view)
    return op.emitOpError("expected to read from a tensor in memory");
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  auto isInvariant = [&](scf::ForOp loop) {
    return llvm::all_of(op.getIndices(),
                        [&](Value index) {
                          return loop.isDefinedOutsideOfLoop(scalarOf(index));
                        }) &&
           llvm::all_of(view->offsets, [&](OpFoldResult offset) {
             auto value = dyn_cast<Value>(offset);
             return !value || loop.isDefinedOutsideOfLoop(value);
           });
  };
  if (isInBounds(op))
    while (auto loop = dyn_cast<scf::ForOp>(
               builder.getInsertionBlock()->getParentOp())) {
      if (!isInvariant(loop))
        break;
      builder.setInsertionPoint(loop);
    }
  AffineExpr offset, index;
  bindDims(op.getContext(), offset, index);
  SmallVector<OpFoldResult> places(view->offsets);
  for (auto [dim, value] : llvm::zip(view->dims, op.getIndices()))
    if (dim >= 0)
      places[dim] = affine::makeComposedFoldedAffineApply(
          builder, loc, offset + index,
          {places[dim], OpFoldResult(scalarOf(value))});
  auto indices = llvm::map_to_vector(places, [&](OpFoldResult place) {
    return getValueOrCreateConstantIndexOp(builder, loc, place);
  });
  // Loops over whole and over cut tiles read one number, as one value.
  for (auto load : builder.getInsertionBlock()->getOps<memref::LoadOp>())
    if (load.getMemRef() == view->memref &&
        llvm::equal(load.getIndices(), indices) &&
        (builder.getInsertionPoint() == builder.getInsertionBlock()->end() ||
         load->isBeforeInBlock(&*builder.getInsertionPoint()))) {
      scalars.map(op.getResult(), load.getResult());
      return success();
    }
  scalars.map(
      op.getResult(),
      memref::LoadOp::create(builder, loc, view->memref, indices).getResult());
  return success();
}
