//===- SinkIntoBranchesPass.cpp - work of the threads that need it --------===//

#include "smx/NVVM/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXNVVMSINKINTOBRANCHESPASS
#include "smx/NVVM/Passes.h.inc"

/// A branch that only has effects.
static bool isPlain(scf::IfOp branch) {
  return branch.getNumResults() == 0 && !branch.elseBlock();
}

/// Branches on one condition, with nothing but values between them, become the
/// last of them.
static void joinBranches(Block &block) {
  scf::IfOp before;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || !isPlain(branch)) {
      if (!isMemoryEffectFree(&op))
        before = {};
      continue;
    }
    if (before && before.getCondition() == branch.getCondition()) {
      Block *from = before.thenBlock(), *to = branch.thenBlock();
      from->getTerminator()->erase();
      to->getOperations().splice(to->begin(), from->getOperations());
      before.erase();
    }
    before = branch;
  }
}

namespace {
struct SmxNVVMSinkIntoBranchesPass
    : impl::SmxNVVMSinkIntoBranchesPassBase<SmxNVVMSinkIntoBranchesPass> {
  using SmxNVVMSinkIntoBranchesPassBase::SmxNVVMSinkIntoBranchesPassBase;

  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    if (function.isExternal())
      return;
    Block &body = function.getBody().front();
    joinBranches(body);
    SmallVector<Region *> regions;
    for (auto branch : body.getOps<scf::IfOp>())
      if (isPlain(branch))
        regions.push_back(&branch.getThenRegion());
    DominanceInfo dominance(function);
    controlFlowSink(
        regions, dominance,
        [](Operation *op, Region *) { return isMemoryEffectFree(op); },
        [](Operation *op, Region *region) {
          op->moveBefore(&region->front(), region->front().begin());
        });
  }
};
} // namespace

} // namespace mlir::smx
