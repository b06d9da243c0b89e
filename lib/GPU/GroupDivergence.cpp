//===- GroupDivergence.cpp - what only some groups of a role reach --------===//
//
// All scalars of a role are the same in all of its groups but those computed
// from `group_id`. Control flow on these separates the groups, and an op that
// all of them execute together would wait for ever (K14). So does control flow
// on the answer of an `any` with the warps of a group, unless these agree on
// one (`any_of_warps`).
//
// A tile of a channel is got and released by each group for itself: where two
// loops in a row share the rounds, it is enough that every round is in one, and
// where both sides of a branch have the same rounds, either will do.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// Values that differ between groups, and the control flow that depends on
/// them.
class GroupDivergence {
public:
  /// Values that differ come from ops of type OpTy.
  template <typename OpTy>
  static GroupDivergence from(Operation *team) {
    GroupDivergence divergence;
    divergence.isOfWarps = std::is_same_v<OpTy, AnyOp>;
    team->walk([&](OpTy op) { divergence.mark(op->getResult(0)); });
    divergence.follow();
    return divergence;
  }

  /// The op that separates the groups around `op`, or null.
  Operation *separatorOf(Operation *op) const {
    const bool isOfChannel = isa<GetOp, ReleaseOp>(op);
    while ((op = op->getParentOp()) && !isa<RoleOp, KernelOp>(op))
      if (separators.contains(op) && !(isOfChannel && isShared(op)))
        return op;
    return nullptr;
  }

private:
  /// True for a loop that shares its rounds with one before or behind it, and
  /// for a branch with the same rounds on both sides.
  bool isShared(Operation *op) const {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return branch.elseBlock() &&
             haveSameRounds(*branch.thenBlock(), *branch.elseBlock());
    auto loop = dyn_cast<scf::ForOp>(op);
    return loop && llvm::any_of(op->getBlock()->getOps<scf::ForOp>(),
                                [&](scf::ForOp other) {
                                  return areShared(loop, other) ||
                                         areShared(other, loop);
                                });
  }

  /// The number before it was made one of fewer or more bits.
  static Value sourceOf(Value number) {
    while (Operation *cast = number.getDefiningOp()) {
      if (!isa<arith::IndexCastOp, arith::IndexCastUIOp>(cast))
        break;
      number = cast->getOperand(0);
    }
    return number;
  }

  static bool areSame(Value a, Value b) {
    return isEqualConstantIntOrValue(sourceOf(a), sourceOf(b));
  }

  /// True if every group goes through the same gets and releases in all of
  /// [begin, middle) and [middle, end), where each has a middle of its own, one
  /// of the ends.
  bool areShared(scf::ForOp first, scf::ForOp second) const {
    Value begin = first.getLowerBound(), end = second.getUpperBound();
    auto middle =
        sourceOf(first.getUpperBound()).getDefiningOp<arith::SelectOp>();
    auto isEnd = [&](Value value) {
      return areSame(value, begin) || areSame(value, end);
    };
    auto accesses = accessesOf(first);
    return accesses && accesses == accessesOf(second) && middle &&
           areSame(middle.getResult(), second.getLowerBound()) &&
           isEnd(middle.getTrueValue()) && isEnd(middle.getFalseValue()) &&
           areSame(first.getStep(), second.getStep()) &&
           !varying.contains(begin) && !varying.contains(end) &&
           !varying.contains(first.getStep()) && first->isBeforeInBlock(second);
  }

  /// True for loops in the same order, over the same rounds that do the same
  /// with channels, and nothing else that does.
  static bool haveSameRounds(Block &a, Block &b) {
    auto loopsOf = [](Block &block) {
      SmallVector<scf::ForOp> loops;
      bool isPlain = true;
      block.walk([&](Operation *op) {
        if (isa<GetOp, ReleaseOp>(op))
          isPlain &= isa<scf::ForOp>(op->getParentOp()) &&
                     op->getParentOp()->getBlock() == &block;
        if (auto loop = dyn_cast<scf::ForOp>(op))
          loops.push_back(loop);
      });
      return isPlain ? loops : SmallVector<scf::ForOp>();
    };
    SmallVector<scf::ForOp> ofA = loopsOf(a), ofB = loopsOf(b);
    return !ofA.empty() && ofA.size() == ofB.size() &&
           llvm::all_of(llvm::zip(ofA, ofB), [](auto pair) {
             auto [first, second] = pair;
             auto accesses = accessesOf(first);
             return accesses && accesses == accessesOf(second) &&
                    areSame(first.getLowerBound(), second.getLowerBound()) &&
                    areSame(first.getUpperBound(), second.getUpperBound()) &&
                    areSame(first.getStep(), second.getStep());
           });
  }

  /// What a round does with channels; none where that may depend on more.
  static std::optional<SmallVector<std::pair<StringRef, Value>>>
  accessesOf(scf::ForOp loop) {
    SmallVector<std::pair<StringRef, Value>> accesses;
    bool isPlain = true;
    loop.getBody()->walk([&](Operation *op) {
      if (!isa<GetOp, ReleaseOp>(op))
        return;
      isPlain &= op->getBlock() == loop.getBody();
      accesses.emplace_back(op->getName().getStringRef(), op->getOperand(0));
    });
    if (!isPlain)
      return std::nullopt;
    return accesses;
  }

  void follow() {
    while (!worklist.empty())
      for (OpOperand &use : worklist.pop_back_val().getUses())
        follow(use);
  }

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
    if (isOfWarps && isa<AnyOfWarpsOp>(user))
      return;
    unsigned index = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      if (index < loop.getNumControlOperands())
        return markSeparator(loop);
      return markLoopValue(loop, index - loop.getNumControlOperands());
    }
    if (auto loop = dyn_cast<scf::WhileOp>(user))
      return mark(loop.getBeforeArguments()[index]);
    if (auto condition = dyn_cast<scf::ConditionOp>(user)) {
      auto loop = cast<scf::WhileOp>(condition->getParentOp());
      if (index == 0)
        return markSeparator(loop);
      mark(loop.getAfterArguments()[index - 1]);
      return mark(loop.getResult(index - 1));
    }
    if (auto yield = dyn_cast<scf::YieldOp>(user)) {
      if (auto loop = dyn_cast<scf::WhileOp>(yield->getParentOp()))
        return mark(loop.getBeforeArguments()[index]);
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

  /// True if the warps of a group are separated, who may agree again.
  bool isOfWarps = false;
  DenseSet<Value> varying;
  SmallVector<Value> worklist;
  DenseSet<Operation *> separators;
};
} // namespace

/// True if the threads along a dimension of the layout are of one warp.
static bool isInWarp(LayoutAttrInterface layout, int64_t dim) {
  auto striped = dyn_cast<StripedAttr>(layout);
  if (!striped)
    return dim == 1 || cast<FragmentAttr>(layout).getWarps() == 1;
  int64_t threads = striped.getColumnThreads();
  if (dim == 0)
    threads *= striped.getRowThreads();
  return threads <= ::smx::gpu::warpThreads;
}

/// True for what each warp does by itself on its rows.
static bool isOfWarp(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return isInWarp(
        getLayout(cast<RankedTensorType>(reduce.getTile().getType())),
        reduce.getDim());
  if (auto largest = dyn_cast<LargestOp>(op))
    return isInWarp(
        getLayout(cast<RankedTensorType>(largest.getTile().getType())),
        /*dim=*/1);
  auto product = dyn_cast<MmaOp>(op);
  return product && product.getTerms();
}

/// K14 for ops of type Together of a role or a kernel, of which `who` execute
/// each at the same time.
template <typename Root, typename... Together>
static LogicalResult verifyMeeting(Operation *team, StringRef who) {
  auto divergence = GroupDivergence::from<Root>(team);
  WalkResult result = team->walk([&](Operation *op) {
    if (!isa<Together...>(op) || isOfWarp(op))
      return WalkResult::advance();
    Operation *separator = divergence.separatorOf(op);
    if (!separator)
      return WalkResult::advance();
    InFlightDiagnostic diagnostic =
        op->emitOpError("is executed by all ")
        << who << " together, but not all of them reach it";
    diagnostic.attachNote(separator->getLoc())
        << "control flow depends on '" << Root::getOperationName() << "' here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Verifies what the warps of a team do together.
static LogicalResult verifyTogether(Operation *team, StringRef who) { // K14
  return verifyMeeting<AnyOp, AnyOfWarpsOp, BarrierOp, ClusterBarrierOp,
                       ClusterReduceOp, CollectOp, CopyOp, PutOp, DrawOp, GetOp,
                       ReleaseOp, ConvertOp, ReduceOp, LargestOp, MmaOp,
                       MmaAsyncOp, NotFiniteOp, WaitOp, TakeTurnOp, PassTurnOp>(
      team, who);
}

LogicalResult mlir::smx::gpu::verifyGroupsMeet(RoleOp role) { // K14
  if (failed(
          verifyMeeting<GroupIdOp, BarrierOp, ClusterBarrierOp, ClusterReduceOp,
                        CollectOp, CopyOp, PutOp, DrawOp, GetOp, ReleaseOp>(
              role, "groups of a role")))
    return failure();
  return verifyTogether(role, "warps of a group");
}

LogicalResult mlir::smx::gpu::verifyWarpsMeet(KernelOp kernel) { // K14
  bool hasRoles = !kernel.getBody().getOps<WarpSpecializeOp>().empty();
  if (hasRoles || kernel.getWarps() == 1)
    return success();
  return verifyTogether(kernel, "warps of the kernel");
}
