//===- FetchLoops.cpp - one loop of copies instead of two -----------------===//
//
// The loops visit [middle, end) and [begin, middle), each from its last tile on
// (`LoopPair`). Where the first interval is whole tiles, that is [begin, end)
// from its last tile on.
//
//===----------------------------------------------------------------------===//

#include "FetchLoops.h"

#include "LoopPair.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::smx::gpu {

/// True if both loops do the same at the places `a` and `b`.
static bool areEqual(scf::ForOp first, Value a, scf::ForOp second, Value b) {
  IRMapping mapping;
  mapping.map(a, b);
  auto rest = [](scf::ForOp loop, Value place) {
    return llvm::make_filter_range(
        loop.getBody()->without_terminator(),
        [=](Operation &op) { return &op != place.getDefiningOp(); });
  };
  auto inFirst = rest(first, a), inSecond = rest(second, b);
  if (std::distance(inFirst.begin(), inFirst.end()) !=
      std::distance(inSecond.begin(), inSecond.end()))
    return false;
  for (auto [op, other] : llvm::zip_equal(inFirst, inSecond)) {
    bool areAlike = OperationEquivalence::isEquivalentTo(
        &op, &other,
        [&](Value x, Value y) {
          return success(mapping.lookupOrDefault(x) == y);
        },
        /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
    if (!areAlike || op.getNumRegions() != 0)
      return false;
    mapping.map(op.getResults(), other.getResults());
  }
  return true;
}

static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

static scf::ForOp nextLoop(scf::ForOp loop) {
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<scf::ForOp>(op))
      return next;
    if (!isMemoryEffectFree(op))
      return {};
  }
  return {};
}

/// Makes `first` a part of the loop behind it, if it can be.
static void joinWithNext(scf::ForOp first) {
  scf::ForOp second = nextLoop(first);
  if (!second || first.getNumResults() != 0 || second.getNumResults() != 0 ||
      !isContinued(first, second, /*isBackward=*/true))
    return;
  eraseDeadOps(*first.getBody());
  eraseDeadOps(*second.getBody());
  affine::AffineApplyOp place = mirroredPlace(first),
                        next = mirroredPlace(second);
  if (!place || !next || !first.getInductionVar().hasOneUse() ||
      !second.getInductionVar().hasOneUse() ||
      !areEqual(first, place, second, next))
    return;
  OpBuilder builder(second);
  Location loc = second.getLoc();
  // There may be nothing to do for one of them.
  Value middle = first.getLowerBound(), begin = second.getLowerBound();
  Value end =
      arith::MaxSIOp::create(builder, loc, first.getUpperBound(), middle);
  if (!isAtLeast(middle, begin))
    begin = arith::MinSIOp::create(builder, loc, begin, middle);
  second.setLowerBound(begin);
  second.setUpperBound(end);
  builder.setInsertionPoint(next);
  affine::AffineApplyOp joined =
      createMirroredPlace(builder, loc, second.getInductionVar(), begin, end,
                          *getConstantIntValue(second.getStep()));
  next.replaceAllUsesWith(joined.getResult());
  next.erase();
  first.erase();
}

void joinLoops(RoleOp role) {
  SmallVector<scf::ForOp> loops;
  role.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    joinWithNext(loop);
}

} // namespace mlir::smx::gpu
