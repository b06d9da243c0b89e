//===- OverlappedLoop.cpp - loops of products that may overlap ------------===//

#include "OverlappedLoop.h"

#include "LoopPair.h"
#include "Multiples.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx::gpu {

/// The one release of a channel in a block, or null.
static ReleaseOp releaseOf(Block *block, Value channel) {
  ReleaseOp found;
  for (auto release : block->getOps<ReleaseOp>())
    if (release.getChannel() == channel) {
      if (found)
        return {};
      found = release;
    }
  return found;
}

/// The product that is the last thing of a block but for its terminator.
static MmaOp lastProductOf(Block *block) {
  if (!block || block->without_terminator().empty())
    return {};
  auto product = dyn_cast<MmaOp>(block->getTerminator()->getPrevNode());
  return product && product->getResults() == block->back().getOperands()
             ? product
             : MmaOp();
}

bool OverlappedLoop::matchCutSum() {
  MmaOp cut = lastProductOf(cutSum.thenBlock());
  if (!getConstantIntValue(loop.getStep()) || !cut || !cut.getGuarded() ||
      cut.getB() != sum.getB() || cut.getAcc() != sum.getAcc() ||
      cut.getTransposeB() != sum.getTransposeB() ||
      !llvm::all_of(
          cutSum.thenBlock()->without_terminator(),
          [&](Operation &op) { return &op == cut || isMemoryEffectFree(&op); }))
    return false;
  // Computed again in the round after, from the counter alone.
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> worklist{cutSum.getCondition()};
  auto isOfBody = [&](Value value) {
    return value.getParentBlock() == loop.getBody();
  };
  cutSum.getThenRegion().walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isOfBody(operand) && !llvm::is_contained(sum->getOperands(), operand))
        worklist.push_back(operand);
  });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (value == loop.getInductionVar() || !isOfBody(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || !isMemoryEffectFree(op) || op->getNumRegions())
      return false;
    needed.insert(op);
    llvm::append_range(worklist, op->getOperands());
  }
  places = needed.takeVector();
  llvm::sort(places,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  matchFirstCut();
  return true;
}

void OverlappedLoop::matchFirstCut() {
  auto isCut = cutSum.getCondition().getDefiningOp<arith::CmpIOp>();
  int64_t step = *getConstantIntValue(loop.getStep());
  if (isCut && isCut.getPredicate() == arith::CmpIPredicate::sge &&
      isCut.getLhs() == loop.getInductionVar() &&
      loop.isDefinedOutsideOfLoop(isCut.getRhs()) &&
      isMultipleOf(isCut.getRhs(), step) &&
      isMultipleOf(loop.getLowerBound(), step))
    firstCut = isCut.getRhs();
}

std::optional<OverlappedLoop> OverlappedLoop::match(scf::ForOp loop) {
  Block *body = loop.getBody();
  OverlappedLoop result;
  result.loop = loop;
  auto products = llvm::to_vector(body->getOps<MmaOp>());
  for (auto branch : body->getOps<scf::IfOp>())
    if (MmaOp whole = lastProductOf(branch.elseBlock());
        whole && !result.cutSum) {
      result.cutSum = branch;
      products.push_back(whole);
    }
  if (products.size() != 2 || llvm::any_of(*body, [&](Operation &op) {
        return op.getNumRegions() && &op != result.cutSum &&
               !isMemoryEffectFree(&op);
      }))
    return std::nullopt;
  result.scores = products[0];
  result.sum = products[1];
  if (result.cutSum && !result.matchCutSum())
    return std::nullopt;
  auto keys = result.scores.getB().getDefiningOp<GetOp>();
  result.getValues = result.sum.getB().getDefiningOp<GetOp>();
  if (!keys || !result.getValues || keys->getBlock() != body ||
      result.getValues->getBlock() != body ||
      keys.getChannel() == result.getValues.getChannel())
    return std::nullopt;
  result.releaseValues = releaseOf(body, result.getValues.getChannel());
  if (!result.releaseValues || !releaseOf(body, keys.getChannel()))
    return std::nullopt;
  // The unit has no guard, and an accumulator of zeros is none.
  if (result.scores.getGuarded() || result.sum.getGuarded() ||
      !matchPattern(result.scores.getAcc(), m_AnyZeroFloat()) ||
      !loop.isDefinedOutsideOfLoop(result.scores.getA()) ||
      !isa<RankedTensorType>(result.sum.getA().getType()) ||
      loop.isDefinedOutsideOfLoop(result.sum.getA()))
    return std::nullopt;

  // The sum is carried, and nothing else looks at it.
  Value sum = result.cutSum ? result.cutSum.getResult(0)
                            : Value(result.sum.getResult());
  if (!sum.hasOneUse() || !isa<scf::YieldOp>(*sum.user_begin()))
    return std::nullopt;
  result.accumulator = sum.use_begin()->getOperandNumber();
  SmallVector<Value> worklist{loop.getRegionIterArgs()[result.accumulator]};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (user == result.sum || result.rescaling.contains(user) ||
          (result.cutSum && result.cutSum->isProperAncestor(user)))
        continue;
      if (!isMemoryEffectFree(user) || user->getNumResults() != 1)
        return std::nullopt;
      result.rescaling.insert(user);
      worklist.push_back(user->getResult(0));
    }
  // In the order of the block.
  SmallVector<Operation *> ordered = result.rescaling.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  result.rescaling.insert(ordered.begin(), ordered.end());
  if (result.sum.getAcc() != loop.getRegionIterArgs()[result.accumulator] &&
      !result.rescaling.contains(result.sum.getAcc().getDefiningOp()))
    return std::nullopt;
  return result;
}

} // namespace mlir::smx::gpu
