//===- GroupDivergence.cpp - what only some groups of a role reach --------===//
//
// All scalars of a role are the same in all of its groups but those computed
// from `group_id`. Control flow on these separates the groups, and an op that
// all of them execute together would wait for ever (K14).
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// Values that differ between groups, and the control flow that depends on
/// them.
class GroupDivergence {
public:
  explicit GroupDivergence(RoleOp role) {
    role.getBody().walk([&](GroupIdOp id) { mark(id.getId()); });
    while (!worklist.empty())
      for (OpOperand &use : worklist.pop_back_val().getUses())
        follow(use);
  }

  /// The op that separates the groups around `op`, or null.
  Operation *separatorOf(Operation *op) const {
    while ((op = op->getParentOp()) && !isa<RoleOp>(op))
      if (separators.contains(op))
        return op;
    return nullptr;
  }

private:
  void mark(Value value) {
    if (varying.insert(value).second)
      worklist.push_back(value);
  }

  void markSeparator(Operation *op) {
    separators.insert(op);
    for (Value result : op->getResults())
      mark(result);
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        mark(argument);
  }

  void markLoopValue(scf::ForOp loop, unsigned index) {
    mark(loop.getRegionIterArg(index));
    mark(loop.getResult(index));
  }

  void follow(OpOperand &use) {
    Operation *user = use.getOwner();
    unsigned index = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      if (index < loop.getNumControlOperands())
        return markSeparator(loop);
      return markLoopValue(loop, index - loop.getNumControlOperands());
    }
    if (auto yield = dyn_cast<scf::YieldOp>(user)) {
      if (auto loop = dyn_cast<scf::ForOp>(yield->getParentOp()))
        return markLoopValue(loop, index);
      if (auto branch = dyn_cast<scf::IfOp>(yield->getParentOp()))
        return mark(branch.getResult(index));
    }
    // Of other control flow nothing is known but that the value goes in.
    if (user->hasTrait<OpTrait::IsTerminator>())
      return markSeparator(user->getParentOp());
    if (user->getNumRegions() != 0)
      return markSeparator(user);
    for (Value result : user->getResults())
      mark(result);
  }

  DenseSet<Value> varying;
  SmallVector<Value> worklist;
  DenseSet<Operation *> separators;
};
} // namespace

LogicalResult mlir::smx::gpu::verifyGroupsMeet(RoleOp role) { // K14
  GroupDivergence divergence(role);
  WalkResult result = role.getBody().walk([&](Operation *op) {
    if (!isa<BarrierOp, ClusterBarrierOp, ClusterReduceOp, CopyOp, PutOp, GetOp,
             ReleaseOp>(op))
      return WalkResult::advance();
    Operation *separator = divergence.separatorOf(op);
    if (!separator)
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op->emitOpError(
        "is executed by all groups of a role together, but not all of them "
        "reach it");
    diagnostic.attachNote(separator->getLoc())
        << "control flow depends on 'smx_gpu.group_id' here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
