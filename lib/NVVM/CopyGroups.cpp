//===- CopyGroups.cpp - copies that threads wait for when they read -------===//
//
// Where a thread reads of a shared tile only what it has copied itself, nobody
// has to meet. Each copy is a group, and as groups complete in their order, the
// first access to its tile waits until at most the groups after it are left:
// what has arrived is computed with while the rest is on its way.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "SharedAddress.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::CopyGrid;

/// The ops that access the tile of `copy`, through names for it.
static SmallVector<Operation *> accessesOf(gpu::CopyOp copy) {
  SmallVector<Operation *> accesses;
  SmallVector<Value> handles{copy.getShared()};
  for (size_t i = 0; i < handles.size(); ++i)
    for (Operation *user : handles[i].getUsers()) {
      if (isa<gpu::HoldOp>(user))
        handles.push_back(user->getResult(0));
      else if (user != copy)
        accesses.push_back(user);
    }
  return accesses;
}

/// The elements of one row that a thread accesses are those that it copies:
/// both go by 16 bytes, in the order of threads.
static bool accessesItsOwn(Operation *op, const CopyGrid &grid,
                           int64_t threads) {
  Value tile;
  if (auto read = dyn_cast<gpu::ReadOp>(op))
    tile = read.getTile();
  else if (auto write = dyn_cast<gpu::WriteOp>(op))
    tile = write.getTile();
  auto striped = tile ? dyn_cast_or_null<gpu::StripedAttr>(gpu::getLayout(
                            cast<RankedTensorType>(tile.getType())))
                      : gpu::StripedAttr();
  return striped && striped.getRowThreads() == 1 &&
         striped.getColumnThreads() == grid.columnThreads &&
         striped.getVector() == grid.vector && grid.columnThreads == threads;
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
  constexpr int64_t copyBytes = 16;
  SmallVector<gpu::CopyOp> copies;
  llvm::DenseMap<Operation *, Operation *> firstAccess;
  kernel.walk([&](gpu::CopyOp copy) {
    gpu::SharedType type = copy.getShared().getType();
    int64_t bytes = bytesOfElement(type.getElementType()),
            threads = team(copy).groupThreads();
    if (type.getShape()[0] != 1 || copy.getAligned() < copyBytes ||
        type.getSwizzle() != 0)
      return;
    CopyGrid grid(1, type.getShape()[1], threads, copyBytes / bytes);
    Operation *first = nullptr;
    for (Operation *op : accessesOf(copy)) {
      // What is copied again for the next round has been read by then.
      bool isInRound = op->getBlock() == copy->getBlock() &&
                       op->isBeforeInBlock(copy) &&
                       isa<scf::ForOp>(op->getParentOp());
      bool isBehind =
          op->getBlock()->findAncestorOpInBlock(*copy) == nullptr
              ? copy->getBlock()->findAncestorOpInBlock(*op) &&
                    copy->isBeforeInBlock(
                        copy->getBlock()->findAncestorOpInBlock(*op))
              : copy->isBeforeInBlock(op);
      if (isa<gpu::CopyOp>(op))
        continue;
      if ((!isInRound && !isBehind) || !accessesItsOwn(op, grid, threads))
        return;
      if (!first || op->isBeforeInBlock(first))
        first = op;
    }
    copies.push_back(copy);
    groupedCopies.insert(copy);
    firstAccess[copy] = first;
  });
  for (gpu::CopyOp copy : copies) {
    Operation *first = firstAccess.lookup(copy);
    if (!first)
      continue;
    bool isSame = first->getBlock() == copy->getBlock();
    laterCopies[first] = llvm::count_if(copies, [&](gpu::CopyOp other) {
      if (other->getBlock() != copy->getBlock())
        return false;
      return copy->isBeforeInBlock(other) &&
             (!isSame || first->isBeforeInBlock(copy) ||
              other->isBeforeInBlock(first));
    });
  }
}

} // namespace mlir::smx
