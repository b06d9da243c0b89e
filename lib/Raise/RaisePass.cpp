//===- RaisePass.cpp - smx-raise ------------------------------------------===//
//
// The order in which the matchers run. Each matcher starts at the last op of
// what it looks for, so ops are visited from the end of the function.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "DynamicShapes.h"
#include "KnownIntegers.h"
#include "MaskConstants.h"
#include "Rows.h"
#include "ScalarTensors.h"
#include "smx/IR/ElementBits.h"
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

/// Calls `raise`, which returns true if it replaced its op, on every op, last
/// first.
static void visitFromEnd(Operation *root,
                         function_ref<bool(Operation *)> raise) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) { ops.push_back(op); });
  while (!ops.empty()) {
    if (!raise(ops.pop_back_val()))
      continue;
    // A raise erases ops before its root, which would be visited later.
    llvm::SmallPtrSet<Operation *, 32> alive;
    root->walk([&](Operation *op) { alive.insert(op); });
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

static void raiseRows(RewriterBase &rewriter, Operation *root) {
  SharedRows shared;
  auto raise = [&](Operation *op) {
    return isElementwiseRoot(op) && (raiseSoftmax(rewriter, shared, op) ||
                                     raiseLateDivision(rewriter, shared, op) ||
                                     raiseLogSoftmax(rewriter, shared, op) ||
                                     raiseLogSumExp(rewriter, shared, op) ||
                                     raiseLayerNorm(rewriter, shared, op) ||
                                     raiseRmsNorm(rewriter, shared, op));
  };
  visitFromEnd(root, raise);
  // Rows that the first visit has made use what roots may share.
  eraseDead(rewriter, root);
  shared.decide();
  visitFromEnd(root, raise);
}

namespace {
struct RaisePass : smx::impl::RaisePassBase<RaisePass> {
  void runOnOperation() override {
    Operation *root = getOperation();
    IRRewriter rewriter(&getContext());
    foldKnownIntegers(rewriter, root);
    recoverReshapes(rewriter, root);
    separateMaskConstants(rewriter, root);
    visitFromEnd(root, [&](Operation *op) {
      auto softmax = dyn_cast<linalg::SoftmaxOp>(op);
      return softmax && raiseLinalgSoftmax(rewriter, softmax);
    });
    eraseDead(rewriter, root);
    raiseRows(rewriter, root);
    visitFromEnd(root, [&](Operation *op) {
      auto softmax = dyn_cast<SoftmaxOp>(op);
      return softmax && dropShift(rewriter, softmax);
    });
    visitFromEnd(root, [&](Operation *op) {
      return isElementwiseRoot(op) && raiseMaskedRowGuard(rewriter, op);
    });
    eraseDead(rewriter, root);
    visitFromEnd(root, [&](Operation *op) {
      auto product = dyn_cast<linalg::LinalgOp>(op);
      return product && llvm::all_of(op->getResultTypes(), isTypeOfResults) &&
             raiseAttention(rewriter, product);
    });
    visitFromEnd(root, [&](Operation *op) {
      auto softmax = dyn_cast<SoftmaxOp>(op);
      return softmax && absorbScale(rewriter, softmax);
    });
    eraseDead(rewriter, root);
    computeScalarTensors(rewriter, root);
    joinMaskConstants(root);
  }
};
} // namespace
