//===- IdleGroupsPass.cpp - groups whose rows are beyond the end ----------===//
//
// The last tile of rows may end before those of a group begin, and what such a
// group computes is stored nowhere. It gives back what it gets, and no more:
//
//   for j in [begin, end) { round }
//   middle = has rows ? end : begin
//   for j in [begin, middle) { round }
//   for j in [middle, end) { get, release and turns of a round }
//
//===----------------------------------------------------------------------===//

#include "TileWalk.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_IDLEGROUPSPASS
#include "smx/GPU/Passes.h.inc"

namespace {
/// A tile of rows that a role stores: loops over its rounds, and how many rows
/// of a group are valid.
class RaggedTile {
public:
  /// Nothing where all groups have rows of every tile.
  static std::optional<RaggedTile> match(RoleOp role);
  void rewrite(RewriterBase &rewriter);

private:
  bool matchRows(ArrayRef<StoreOp> stores);
  Value hasRows(RewriterBase &rewriter);

  Block *body = nullptr;
  SmallVector<scf::ForOp> rounds;
  /// Valid rows of each store, and what they are computed from behind the
  /// rounds.
  llvm::SmallSetVector<Value, 2> validRows;
  llvm::SetVector<Operation *> numbers;
};
} // namespace

/// True for what keeps a channel or the turns going.
static bool isProtocol(Operation *op) {
  return isa<GetOp, ReleaseOp, TakeTurnOp, PassTurnOp>(op);
}

/// True if nobody but its group sees what an op of a round does.
static bool isOfGroup(Operation *op) {
  return isa<AnyOp, MmaOp, MmaAsyncOp, NotFiniteOp, WaitOp, scf::IfOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op) ||
         hasSingleEffect<MemoryEffects::Read>(op);
}

/// True for a loop whose rounds get tiles, and may be left out but for that.
static bool isLoopOfRounds(scf::ForOp loop) {
  auto isFree = [&](Operation *op) {
    return isProtocol(op) ? op->getBlock() == loop.getBody() : isOfGroup(op);
  };
  return !loop.getBody()->getOps<GetOp>().empty() &&
         !loop.getBody()
              ->walk([&](Operation *op) {
                return isFree(op) ? WalkResult::advance()
                                  : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The block of the tile that an op is of, in or outside of a branch.
static Block *blockOfTile(Operation *op) {
  while (isa<scf::IfOp>(op->getParentOp()))
    op = op->getParentOp();
  return op->getBlock();
}

/// True if a group may have no row of the last tile that goes to `store`.
static bool mayBeIdle(StoreOp store, int64_t groups) {
  const int64_t dim = store.getDims()[0];
  if (dim < 0)
    return false;
  const int64_t extent = store.getDestination().getType().getDimSize(dim),
                rows = store.getTile().getType().getDimSize(0),
                rest = extent % (groups * rows);
  return ShapedType::isDynamic(extent) ||
         (rest != 0 && rest <= (groups - 1) * rows);
}

/// True for what is stored where a store that says which rows are valid is not:
/// a part of the tile, of which whoever merges it takes these rows.
static bool isStoredInstead(StoreOp part, ArrayRef<StoreOp> stores) {
  auto branch = dyn_cast<scf::IfOp>(part->getParentOp());
  return branch && llvm::any_of(stores, [&](StoreOp store) {
           return store->getParentOp() == branch &&
                  store->getBlock() != part->getBlock();
         });
}

std::optional<RaggedTile> RaggedTile::match(RoleOp role) {
  const int64_t groups = role.getWarps() / role.getGroup();
  SmallVector<StoreOp> ragged, others;
  role.walk([&](StoreOp store) {
    (store.getValid().empty() ? others : ragged).push_back(store);
  });
  if (groups == 1 || ragged.empty() ||
      !llvm::all_of(
          others,
          [&](StoreOp store) { return isStoredInstead(store, ragged); }) ||
      !llvm::all_of(ragged,
                    [&](StoreOp store) { return mayBeIdle(store, groups); }))
    return std::nullopt;
  RaggedTile tile;
  tile.body = blockOfTile(ragged.front());
  for (auto loop : tile.body->getOps<scf::ForOp>())
    if (isLoopOfRounds(loop))
      tile.rounds.push_back(loop);
  return !tile.rounds.empty() && tile.matchRows(ragged) ? std::optional(tile)
                                                        : std::nullopt;
}

bool RaggedTile::matchRows(ArrayRef<StoreOp> stores) {
  DominanceInfo dominance;
  BackwardSliceOptions behind;
  behind.inclusive = behind.omitBlockArguments = true;
  behind.filter = [&](Operation *op) {
    return !dominance.properlyDominates(op, rounds.front());
  };
  for (StoreOp store : stores) {
    Value valid = store.getValid()[0];
    validRows.insert(valid);
    if (blockOfTile(store) != body ||
        failed(getBackwardSlice(valid, &numbers, behind)))
      return false;
  }
  return llvm::all_of(numbers, [&](Operation *op) {
    return TileWalk::isNumber(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return operand.getDefiningOp() ||
                    dominance.properlyDominates(operand, rounds.front());
           });
  });
}

Value RaggedTile::hasRows(RewriterBase &rewriter) {
  IRMapping mapping;
  for (Operation *op : numbers)
    rewriter.clone(*op, mapping);
  Location loc = rounds.front().getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0), result;
  for (Value rows : validRows) {
    Value isSome =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                              mapping.lookupOrDefault(rows), zero);
    result =
        result ? arith::OrIOp::create(rewriter, loc, result, isSome) : isSome;
  }
  return result;
}

void RaggedTile::rewrite(RewriterBase &rewriter) {
  rewriter.setInsertionPoint(rounds.front());
  Value isBusy = hasRows(rewriter);
  for (scf::ForOp loop : rounds) {
    Location loc = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    Value begin = loop.getLowerBound(), end = loop.getUpperBound();
    Value middle = arith::SelectOp::create(rewriter, loc, isBusy, end, begin);
    rewriter.modifyOpInPlace(loop, [&] { loop.setUpperBound(middle); });
    rewriter.setInsertionPointAfter(loop);
    auto idle = scf::ForOp::create(rewriter, loc, middle, end, loop.getStep());
    rewriter.setInsertionPointToStart(idle.getBody());
    for (Operation &op : *loop.getBody())
      if (isProtocol(&op))
        rewriter.clone(op);
  }
}

namespace {
struct IdleGroupsPass : impl::IdleGroupsPassBase<IdleGroupsPass> {
  using IdleGroupsPassBase::IdleGroupsPassBase;

  void runOnOperation() override {
    constexpr llvm::StringLiteral category = "smx-gpu-idle-groups";
    auto options = remark::RemarkOpts::name("IdleGroups").category(category);
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](RoleOp role) {
      std::optional<RaggedTile> tile = RaggedTile::match(role);
      if (!tile)
        return;
      tile->rewrite(rewriter);
      remark::passed(role.getLoc(), options)
          << "groups without rows of the last tile leave out its rounds";
    });
  }
};
} // namespace
} // namespace mlir::smx::gpu
