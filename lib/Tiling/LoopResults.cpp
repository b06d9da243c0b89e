//===- LoopResults.cpp - more results of loops over tiles -----------------===//

#include "LoopResults.h"
#include "ProductTiles.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

scf::ForallOp
mlir::smx::addResults(RewriterBase &rewriter, scf::ForallOp loop,
                      ArrayRef<Value> more,
                      function_ref<void(Value, Value)> onArgument) {
  SmallVector<Value> destinations(loop.getOutputs());
  llvm::append_range(destinations, more);
  auto wider =
      scf::ForallOp::create(rewriter, loop.getLoc(), loop.getMixedLowerBound(),
                            loop.getMixedUpperBound(), loop.getMixedStep(),
                            destinations, loop.getMapping());
  rewriter.eraseOp(wider.getTerminator());
  SmallVector<Value> arguments(wider.getBody()->getArguments().take_front(
      loop.getBody()->getNumArguments()));
  if (onArgument)
    for (auto [old, value] :
         llvm::zip(loop.getBody()->getArguments(), arguments))
      onArgument(old, value);
  rewriter.mergeBlocks(loop.getBody(), wider.getBody(), arguments);
  return wider;
}

SmallVector<OpFoldResult> mlir::smx::pickLoops(ArrayRef<OpFoldResult> numbers,
                                               AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return numbers[cast<AffineDimExpr>(expr).getPosition()];
  });
}

Value mlir::smx::sliceOfTile(OpBuilder &builder, Location loc, Value tensor,
                             AffineMap map, ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes) {
  return tensor::ExtractSliceOp::create(
      builder, loc, tensor, pickLoops(offsets, map), pickLoops(sizes, map),
      SmallVector<OpFoldResult>(map.getNumResults(), builder.getIndexAttr(1)));
}

bool mlir::smx::multipliesMatrices(scf::ForallOp loop) {
  return loop
      .walk([](linalg::LinalgOp op) {
        return isSumOfProducts(op) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mlir::smx::isInOrder(AffineMap map) {
  return map.isProjectedPermutation() &&
         llvm::is_sorted(map.getResults(), [](AffineExpr a, AffineExpr b) {
           return cast<AffineDimExpr>(a).getPosition() <
                  cast<AffineDimExpr>(b).getPosition();
         });
}
