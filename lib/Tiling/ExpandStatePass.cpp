//===- ExpandStatePass.cpp - state ops become arithmetic ------------------===//

#include "CarriedSums.h"
#include "StateReaders.h"
#include "smx/IR/ReferenceSlack.h"
#include "smx/IR/SerialSums.h"
#include "smx/IR/Smx.h"
#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::smx {
#define GEN_PASS_DEF_EXPANDSTATEPASS
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {
struct ExpandStatePass : mlir::smx::impl::ExpandStatePassBase<ExpandStatePass> {
  using ExpandStatePassBase::ExpandStatePassBase;

  void runOnOperation() override {
    markStateReaders(getOperation());
    carryDoubleSums(getOperation());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<IdentityOp, UpdateOp, MergeOp, FinishOp, MaskOp, PagedOp>(op))
        ops.push_back(op);
      if (isa<UpdateOp>(op) && slack != 0)
        op->setAttr(referenceSlackAttribute,
                    Builder(op).getF64FloatAttr(slack));
      if (isa<UpdateOp>(op) && serialSums)
        op->setAttr(serialSumsAttribute, UnitAttr::get(&getContext()));
      if (isa<UpdateOp, FinishOp>(op) && lead != 0)
        op->setAttr(referenceLeadAttribute, Builder(op).getF64FloatAttr(lead));
    });
    // Consumers first: a finish looks at the update it finishes.
    for (Operation *op : llvm::reverse(ops)) {
      OpBuilder builder(op);
      SmallVector<Value> values = expand(builder, op);
      if (ValueRange(values) != ValueRange(op->getResults()))
        op->replaceAllUsesWith(values);
    }
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

  static SmallVector<Value> expand(OpBuilder &builder, Operation *op) {
    return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
        .Case([&](IdentityOp identity) {
          return identity.getAlgebra().expandIdentity(builder, op);
        })
        .Case([&](UpdateOp update) {
          return update.getAlgebra().expandUpdate(builder, op);
        })
        .Case([&](MergeOp merge) {
          return merge.getAlgebra().expandMerge(builder, op);
        })
        .Case([&](FinishOp finish) {
          return finish.getAlgebra().expandFinish(builder, op);
        })
        .Case([&](MaskOp mask) {
          return SmallVector<Value>{mask.expand(builder)};
        })
        .Case([&](PagedOp paged) {
          return SmallVector<Value>{paged.expand(builder)};
        });
  }
};
} // namespace
