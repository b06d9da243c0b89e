//===- SinkIntoBranchesPass.cpp - work of the threads that need it --------===//

#include "BranchSides.h"
#include "smx/NVVM/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/TypeUtilities.h"
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

/// What only the two sides of a branch use, but for f64, is computed in each of
/// them.
static bool computeInSides(scf::IfOp branch) {
  bool isComputed = false;
  Block *body = branch->getBlock();
  Region *sides[] = {&branch.getThenRegion(), &branch.getElseRegion()};
  // Functions and quotients of f64 are calls.
  auto isDouble = [](Operation &op) {
    return llvm::any_of(
        llvm::concat<const Type>(SmallVector<Type>(op.getOperandTypes()),
                                 SmallVector<Type>(op.getResultTypes())),
        [](Type type) { return getElementTypeOrSelf(type).isF64(); });
  };
  auto isOnlyUsedInside = [&](Operation &op) {
    return !op.use_empty() && llvm::all_of(op.getUsers(), [&](Operation *user) {
      return body->findAncestorOpInBlock(*user) == branch && user != branch;
    });
  };
  for (Operation *op = branch->getPrevNode(), *next; op; op = next) {
    next = op->getPrevNode();
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 || isDouble(*op) ||
        !isOnlyUsedInside(*op))
      continue;
    for (Region *side : sides) {
      OpBuilder builder = OpBuilder::atBlockBegin(&side->front());
      Operation *own = builder.clone(*op);
      op->replaceUsesWithIf(own->getResults(), [&](OpOperand &use) {
        return side->isAncestor(use.getOwner()->getParentRegion());
      });
    }
    op->erase();
    isComputed = true;
  }
  return isComputed;
}

static void addAttribute(LLVM::LLVMFuncOp function, StringRef name) {
  SmallVector<Attribute> attributes;
  if (ArrayAttr before = function.getPassthroughAttr())
    llvm::append_range(attributes, before);
  auto attribute = StringAttr::get(function.getContext(), name);
  if (!llvm::is_contained(attributes, attribute))
    attributes.push_back(attribute);
  function.setPassthroughAttr(
      ArrayAttr::get(function.getContext(), attributes));
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
    for (auto branch : body.getOps<scf::IfOp>())
      if (branch->hasAttr(sidesAttribute) && computeInSides(branch))
        addAttribute(function, branchSidesAttribute);
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
