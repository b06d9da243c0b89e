//===- ProducerFusion.cpp - tiles of the tensors that are streamed --------===//

#include "ProducerFusion.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::smx;

DomainTile mlir::smx::sliceFor(OpBuilder &builder, Location loc, AffineMap map,
                               const DomainTile &tile) {
  DomainTile slice;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      slice.offsets.push_back(tile.offsets[dim.getPosition()]);
      slice.sizes.push_back(tile.sizes[dim.getPosition()]);
      continue;
    }
    slice.offsets.push_back(affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(map.getNumDims(), 0, expr), tile.offsets));
    slice.sizes.push_back(builder.getIndexAttr(1));
  }
  return slice;
}

/// True if each element of the result is computed from its own position alone.
static bool isElementwise(Operation *op) {
  if (isa<MaskOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() == 0;
}

ProducerFusion::ProducerFusion(ArrayRef<Operation *> consumers,
                               bool isOnePass) {
  llvm::SmallPtrSet<Operation *, 8> group(consumers.begin(), consumers.end());
  // What feeds a product of this reduction is asked for many times: no product
  // behind a product.
  llvm::SmallPtrSet<Operation *, 8> behindProduct;
  SmallVector<Operation *> worklist(consumers);
  while (!worklist.empty()) {
    Operation *consumer = worklist.pop_back_val();
    bool isProduct = fused.contains(consumer) && !isElementwise(consumer) &&
                     isa<linalg::LinalgOp>(consumer);
    bool isBehindProduct = isProduct || behindProduct.contains(consumer);
    for (Value operand : consumer->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || group.contains(producer))
        continue;
      bool isSlice = isa<tensor::ExtractSliceOp, tensor::EmptyOp>(producer);
      bool isTileable =
          isa<MaskOp, linalg::LinalgOp>(producer) &&
          producer->getNumResults() == 1 &&
          (isElementwise(producer) || (isOnePass && !isBehindProduct));
      // A producer that somebody else needs whole is not computed twice.
      bool isOurs = llvm::all_of(producer->getUsers(), [&](Operation *user) {
        return group.contains(user) || isa<tensor::DimOp>(user);
      });
      if (!(isSlice || isTileable) || !isOurs)
        continue;
      group.insert(producer);
      fused.insert(producer);
      if (isBehindProduct)
        behindProduct.insert(producer);
      worklist.push_back(producer);
    }
  }
}

static DomainTile shifted(OpBuilder &builder, Location loc,
                          const DomainTile &slice,
                          ArrayRef<OpFoldResult> offsets) {
  AffineExpr x, y;
  bindDims(builder.getContext(), x, y);
  DomainTile result = slice;
  for (auto [offset, by] : llvm::zip_equal(result.offsets, offsets))
    offset = affine::makeComposedFoldedAffineApply(builder, loc, x + y,
                                                   {offset, by});
  return result;
}

Value ProducerFusion::tileOf(OpBuilder &builder, Location loc, Value tensor,
                             const DomainTile &slice, MaskOp seenWhole) const {
  Operation *producer = tensor.getDefiningOp();
  if (isFused(producer)) {
    if (auto mask = dyn_cast<MaskOp>(producer); mask && mask == seenWhole)
      return tileOf(builder, loc, mask.getInput(), slice, seenWhole);
    if (auto empty = dyn_cast<tensor::EmptyOp>(producer))
      return tensor::EmptyOp::create(builder, loc, slice.sizes,
                                     empty.getType().getElementType());
    auto outer = dyn_cast<tensor::ExtractSliceOp>(producer);
    if (outer && outer.hasUnitStride() &&
        outer.getSourceType().getRank() == outer.getResultType().getRank())
      return tileOf(builder, loc, outer.getSource(),
                    shifted(builder, loc, slice, outer.getMixedOffsets()),
                    seenWhole);
    if (auto tileable = dyn_cast<TilingInterface>(producer)) {
      FailureOr<TilingResult> tiled = tileable.generateResultTileValue(
          builder, 0, slice.offsets, slice.sizes);
      if (succeeded(tiled)) {
        for (Operation *generated : tiled->generatedSlices) {
          auto inner = cast<tensor::ExtractSliceOp>(generated);
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(inner);
          if (!isFused(inner.getSource().getDefiningOp()))
            continue;
          inner.replaceAllUsesWith(tileOf(
              builder, loc, inner.getSource(),
              {inner.getMixedOffsets(), inner.getMixedSizes()}, seenWhole));
          inner.erase();
        }
        return tiled->tiledValues.front();
      }
    }
  }
  SmallVector<OpFoldResult> strides(slice.sizes.size(),
                                    builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, tensor, slice.offsets,
                                        slice.sizes, strides);
}
