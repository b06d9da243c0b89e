//===- RaisePass.cpp - smx-raise ------------------------------------------===//
//
// The order in which the matchers run. Each matcher starts at the last op of
// what it looks for, so ops are visited from the end of the function.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Rows.h"
#include "smx/Raise/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::smx {
#define GEN_PASS_DEF_RAISEPASS
#include "smx/Raise/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// Calls `raise`, which returns true if it replaced its op, on every `OpT`,
/// last first.
template <typename OpT>
static void visitFromEnd(Operation *root, function_ref<bool(OpT)> raise) {
  SmallVector<Operation *> ops;
  root->walk([&](OpT op) { ops.push_back(op); });
  while (!ops.empty()) {
    bool replaced = raise(cast<OpT>(ops.pop_back_val()));
    if (!replaced)
      continue;
    // A raise erases ops before its root, which would be visited later.
    llvm::SmallPtrSet<Operation *, 16> alive;
    root->walk([&](OpT op) { alive.insert(op); });
    llvm::erase_if(ops, [&](Operation *op) { return !alive.contains(op); });
  }
}

/// Erases what only the replaced ops needed: fills, masks, transposed keys.
static void eraseDead(RewriterBase &rewriter, Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  for (Operation *op : llvm::reverse(ops))
    if (op != root && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

namespace {
struct RaisePass : smx::impl::RaisePassBase<RaisePass> {
  void runOnOperation() override {
    Operation *root = getOperation();
    IRRewriter rewriter(&getContext());
    visitFromEnd<linalg::SoftmaxOp>(root, [&](linalg::SoftmaxOp op) {
      return raiseLinalgSoftmax(rewriter, op);
    });
    visitFromEnd<linalg::LinalgOp>(root, [&](linalg::LinalgOp op) {
      return isElementwiseRoot(op) &&
             (raiseSoftmax(rewriter, op) || raiseLogSoftmax(rewriter, op) ||
              raiseLogSumExp(rewriter, op));
    });
    visitFromEnd<linalg::LinalgOp>(root, [&](linalg::LinalgOp op) {
      return isElementwiseRoot(op) && raiseMaskedRowGuard(rewriter, op);
    });
    eraseDead(rewriter, root);
    visitFromEnd<linalg::LinalgOp>(root, [&](linalg::LinalgOp op) {
      return raiseAttention(rewriter, op);
    });
    visitFromEnd<SoftmaxOp>(
        root, [&](SoftmaxOp op) { return absorbScale(rewriter, op); });
    eraseDead(rewriter, root);
  }
};
} // namespace
