//===- DropUnitReductionsPass.cpp - sums of one term ----------------------===//

#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx {
#define GEN_PASS_DEF_DROPUNITREDUCTIONSPASS
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// The reduction loops of one round, if `op` is no product of matrices.
static SmallVector<unsigned> findUnitReductions(linalg::GenericOp op) {
  if (linalg::isaContractionOpInterface(op))
    return {};
  SmallVector<unsigned> found;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && ranges[loop] == 1)
      found.push_back(loop);
  return found;
}

namespace {
struct DropUnitReductionsPass
    : mlir::smx::impl::DropUnitReductionsPassBase<DropUnitReductionsPass> {
  using DropUnitReductionsPassBase::DropUnitReductionsPassBase;

  void runOnOperation() override {
    linalg::ControlDropUnitDims control;
    control.controlFn = [](Operation *op) {
      auto generic = dyn_cast<linalg::GenericOp>(op);
      return generic ? findUnitReductions(generic) : SmallVector<unsigned>();
    };
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics() && !findUnitReductions(op).empty())
        generics.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : generics) {
      rewriter.setInsertionPoint(op);
      auto dropped = linalg::dropUnitDims(rewriter, op, control);
      if (succeeded(dropped)) // Else it is reduced as it is.
        rewriter.replaceOp(op, dropped->replacements);
    }
  }
};
} // namespace
