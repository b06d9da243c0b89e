//===- CopyGroups.cpp - copies that threads wait for when they read -------===//
//
// Where a thread reads of a shared tile only what it has copied itself, nobody
// has to meet. Each copy is a group, and as groups complete in their order, the
// first access to its tile waits until at most the groups after it are left:
// what has arrived is computed with while the rest is on its way.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "smx/GPU/RowCopy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

/// Where the tile of a copy is accessed next.
struct NextAccess {
  Operation *access = nullptr;
  /// By the next round of the loop that both are in.
  bool isInNextRound = false;
};

/// The next access is known where all are in one block: the copy's own, or the
/// body of a loop behind it.
static std::optional<NextAccess> findNextAccess(gpu::CopyOp copy,
                                                int64_t threads) {
  NextAccess behind, before;
  Block *block = nullptr;
  auto keepFirst = [](NextAccess &first, Operation *access) {
    if (!first.access || access->isBeforeInBlock(first.access))
      first.access = access;
  };
  for (Operation *access : gpu::getAccesses(copy)) {
    // It waits for its own.
    if (isa<gpu::CopyOp>(access))
      continue;
    if (!gpu::accessesOwnCopy(copy, access, threads) ||
        (block && access->getBlock() != block))
      return std::nullopt;
    block = access->getBlock();
    if (block == copy->getBlock()) {
      keepFirst(copy->isBeforeInBlock(access) ? behind : before, access);
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
    if (!loop || loop->getBlock() != copy->getBlock() ||
        !copy->isBeforeInBlock(loop))
      return std::nullopt;
    keepFirst(behind, access);
  }
  if (behind.access || !before.access)
    return behind;
  if (!isa<scf::ForOp>(block->getParentOp()))
    return std::nullopt;
  before.isInNextRound = true;
  return before;
}

bool KernelPlan::isAwaitedByReaders(gpu::CopyOp copy) const {
  return groupedCopies.contains(copy);
}

std::optional<int64_t> KernelPlan::copiesInFlight(Operation *op) const {
  auto found = laterCopies.find(op);
  return found == laterCopies.end() ? std::nullopt
                                    : std::optional(found->second);
}

void KernelPlan::addCopyGroups(gpu::KernelOp kernel) {
  SmallVector<gpu::CopyOp> copies;
  llvm::DenseMap<Operation *, NextAccess> next;
  kernel.walk([&](gpu::CopyOp copy) {
    int64_t threads = team(copy).groupThreads();
    if (!gpu::copiesByThreads(copy, threads))
      return;
    std::optional<NextAccess> access = findNextAccess(copy, threads);
    if (!access)
      return;
    copies.push_back(copy);
    groupedCopies.insert(copy);
    next[copy] = *access;
  });
  for (gpu::CopyOp copy : copies) {
    auto [access, isInNextRound] = next.lookup(copy);
    if (!access)
      continue;
    // What a round counts more than these is waited for as well.
    Operation *end = copy->getBlock()->findAncestorOpInBlock(*access);
    int64_t later = llvm::count_if(copies, [&](gpu::CopyOp other) {
      return other->getBlock() == copy->getBlock() &&
             copy->isBeforeInBlock(other) &&
             (isInNextRound || other->isBeforeInBlock(end));
    });
    // Before the loop and in it, it is copied for the same access.
    auto [place, isNew] = laterCopies.try_emplace(access, later);
    if (!isNew)
      place->second = std::min(place->second, later);
  }
}

} // namespace mlir::smx
