//===- ThreadBranchesPass.cpp - no question whose answer is known ---------===//

#include "smx/NVVM/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace mlir::smx {
#define GEN_PASS_DEF_SMXNVVMTHREADBRANCHESPASS
#include "smx/NVVM/Passes.h.inc"

namespace {
/// A branch on an argument of the block where paths meet.
struct KnownBranch {
  static std::optional<KnownBranch> match(cf::CondBranchOp branch);
  /// True if nothing else than `other` leads to needs what the paths hand over.
  bool isNeededOnlyIn(Block *other, DominanceInfo &dominance) const;
  void thread(cf::BranchOp path, bool answer);

  cf::CondBranchOp branch;
  Block *meeting;
  unsigned index;
};
} // namespace

std::optional<KnownBranch> KnownBranch::match(cf::CondBranchOp branch) {
  auto condition = dyn_cast<BlockArgument>(branch.getCondition());
  Block *block = branch->getBlock();
  if (!condition || !llvm::hasSingleElement(*block))
    return std::nullopt;
  Block *meeting = condition.getOwner();
  bool isEmpty = llvm::hasSingleElement(*meeting) &&
                 isa<cf::BranchOp>(meeting->getTerminator()) &&
                 block->getSinglePredecessor() == meeting &&
                 block->getNumArguments() == 0;
  if (meeting != block && !isEmpty)
    return std::nullopt;
  return KnownBranch{branch, meeting, condition.getArgNumber()};
}

bool KnownBranch::isNeededOnlyIn(Block *other, DominanceInfo &dominance) const {
  if (other->getSinglePredecessor() != branch->getBlock())
    return false;
  return llvm::all_of(meeting->getArguments(), [&](BlockArgument argument) {
    return llvm::all_of(argument.getUsers(), [&](Operation *user) {
      return user == branch || dominance.dominates(other, user->getBlock());
    });
  });
}

void KnownBranch::thread(cf::BranchOp path, bool answer) {
  IRMapping handed;
  handed.map(meeting->getArguments(), path.getDestOperands());
  OperandRange passed =
      answer ? branch.getTrueDestOperands() : branch.getFalseDestOperands();
  auto operands = llvm::map_to_vector(
      passed, [&](Value value) { return handed.lookupOrDefault(value); });
  OpBuilder builder(path);
  cf::BranchOp::create(builder, path.getLoc(),
                       answer ? branch.getTrueDest() : branch.getFalseDest(),
                       operands);
  path.erase();
}

namespace {
struct SmxNVVMThreadBranchesPass
    : impl::SmxNVVMThreadBranchesPassBase<SmxNVVMThreadBranchesPass> {
  using SmxNVVMThreadBranchesPassBase::SmxNVVMThreadBranchesPassBase;

  void runOnOperation() override {
    SmallVector<KnownBranch> branches;
    getOperation().walk([&](cf::CondBranchOp branch) {
      if (std::optional<KnownBranch> found = KnownBranch::match(branch))
        branches.push_back(*found);
    });
    for (KnownBranch &known : branches)
      for (Block *before : llvm::to_vector(known.meeting->getPredecessors())) {
        auto path = dyn_cast<cf::BranchOp>(before->getTerminator());
        if (!path)
          continue;
        APInt answer;
        if (!matchPattern(path.getDestOperands()[known.index],
                          m_ConstantInt(&answer)))
          continue;
        Block *other = answer.isOne() ? known.branch.getFalseDest()
                                      : known.branch.getTrueDest();
        // Paths change; so does what dominates what.
        DominanceInfo dominance(getOperation());
        if (known.isNeededOnlyIn(other, dominance))
          known.thread(path, answer.isOne());
      }
  }
};
} // namespace

} // namespace mlir::smx
