//===- ReleaseOrder.cpp - which tile of a channel a release is of ---------===//
//
// A release is of the oldest tile that was got and not released. Where a reader
// never holds two tiles of a channel, that is the one that it got last, whose
// stage it still knows, and needs no counter of its own. Tiles that are held
// are counted along the ops: a loop leaves as many as it found, and both sides
// of a branch as many as the other.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

// Not by using-directives: `gpu` would be upstream's dialect as well.
namespace mlir::smx {

namespace {
/// The readers of a channel, and how many tiles they hold.
class HeldTileCount {
public:
  explicit HeldTileCount(ArrayRef<Operation *> readers)
      : readers(llvm::from_range, readers) {}

  /// Tiles that are held behind `block`, of `held` before it; nothing if two
  /// are at some place, or it is not known.
  std::optional<int64_t> behind(Block &block, int64_t held) const {
    for (Operation &op : block) {
      std::optional<int64_t> then = behind(op, held);
      if (!then)
        return std::nullopt;
      held = *then;
    }
    return held;
  }

private:
  std::optional<int64_t> behind(Operation &op, int64_t held) const {
    if (readers.contains(&op)) {
      const bool isGet = isa<gpu::GetOp>(op);
      if (held != (isGet ? 0 : 1))
        return std::nullopt;
      return isGet ? 1 : 0;
    }
    if (!isAround(op))
      return held;
    if (!isa<LoopLikeOpInterface, scf::IfOp>(op))
      return std::nullopt;
    // What no side of a branch or no round of a loop does leaves `held`.
    std::optional<int64_t> after;
    if (isa<LoopLikeOpInterface>(op) || op.getRegion(1).empty())
      after = held;
    for (Region &region : op.getRegions()) {
      if (region.empty())
        continue;
      std::optional<int64_t> ofRegion = behind(region.front(), held);
      if (!ofRegion || (after && *after != *ofRegion))
        return std::nullopt;
      after = ofRegion;
    }
    return after;
  }

  bool isAround(Operation &op) const {
    return llvm::any_of(readers, [&](Operation *reader) {
      return op.isProperAncestor(reader);
    });
  }

  llvm::SmallPtrSet<Operation *, 8> readers;
};
} // namespace

void KernelPlan::addReleaseOrder(gpu::KernelOp kernel) {
  for (auto channel : kernel.getBody().getOps<gpu::MakeChannelOp>()) {
    SmallVector<Operation *> users, readers;
    collectUsers(channel.getChannel(), users);
    llvm::copy_if(users, std::back_inserter(readers),
                  llvm::IsaPred<gpu::GetOp, gpu::ReleaseOp>);
    if (readers.empty())
      continue;
    // One place gets and releases: a role, or the kernel around the roles.
    Operation *place = readers.front();
    while (!isa<gpu::RoleOp, gpu::KernelOp>(place))
      place = place->getParentOp();
    if (HeldTileCount(readers).behind(place->getRegion(0).front(), /*held=*/0))
      ofOneTile.insert(readers.begin(), readers.end());
  }
}

} // namespace mlir::smx
