//===- UniteLoopsPass.cpp - one loop for whole tiles and cut ones ---------===//

#include "CutTile.h"
#include "GroupCode.h"
#include "NumberSweep.h"

#include "smx/GPU/Passes.h"
#include "smx/IR/OptionBounds.h"
#include "smx/Tiling/FewTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_UNITELOOPSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// True if what becomes of `use` is hidden as `mask` does: what is made of the
/// elements that it hides does not matter. Elementwise, and behind the mask.
static bool isHiddenLater(OpOperand &use, LoopPair &pair, TileMask mask) {
  Operation *user = use.getOwner();
  for (TileMask other : pair.masks)
    if (other.select == user && other.isShown == mask.isShown &&
        other.shown() == use.get() && other.hidden() != use.get())
      return true;
  return user->getBlock() == mask.select->getBlock() &&
         mask.select->isBeforeInBlock(user) && isMemoryEffectFree(user) &&
         OpTrait::hasElementwiseMappableTraits(user) &&
         llvm::all_of(user->getUses(), [&](OpOperand &next) {
           return isHiddenLater(next, pair, mask);
         });
}

/// True if every mask can be asked for again, where it is needed, and nothing
/// but the mask looks at what it hides: else both would take registers.
static bool isCheap(LoopPair &pair) {
  // Two masks on one value would each put theirs in the place of the other's.
  auto isMask = [&](Operation *op) {
    return llvm::any_of(pair.masks,
                        [&](TileMask mask) { return mask.select == op; });
  };
  return llvm::all_of(pair.masks, [&](TileMask mask) {
    return placesOf(mask.isShown) &&
           llvm::all_of(mask.shown().getUses(), [&](OpOperand &use) {
             return use.getOwner() == mask.select ||
                    (!isMask(use.getOwner()) && isHiddenLater(use, pair, mask));
           });
  });
}

/// The place of a round's tile in one loop, from the last tile to the first.
static Value placeFromBack(RewriterBase &rewriter, scf::ForOp loop) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value sum = arith::AddIOp::create(rewriter, loc, loop.getLowerBound(),
                                    loop.getUpperBound());
  Value last = arith::SubIOp::create(rewriter, loc, sum, loop.getStep());
  rewriter.setInsertionPointToStart(loop.getBody());
  return arith::SubIOp::create(rewriter, loc, last, loop.getInductionVar());
}

/// The place of a round's tile in one loop over the tiles of three, in which
/// those of the whole ones, [begin, middle), are first: then the ones in front
/// of them, and then those behind. `isCut` is true in the rounds after them:
/// such a bound, unlike one on either side, makes two loops of the rounds.
///
///   counter from first:  middle - begin   begin - first   end - middle
///   place:               begin ..         first ..        middle ..
static Value placeWholeFirst(RewriterBase &rewriter, LoopPair &pair,
                             Value middle, Value &isCut) {
  scf::ForOp loop = pair.cut;
  Location loc = loop.getLoc();
  Value at = loop.getInductionVar(), first = loop.getLowerBound(),
        begin = pair.whole.getLowerBound();
  rewriter.setInsertionPoint(loop);
  Value front = arith::SubIOp::create(rewriter, loc, begin, first);
  Value firstCut = arith::SubIOp::create(rewriter, loc, middle, front);
  Value back = arith::SubIOp::create(rewriter, loc, first, firstCut);
  rewriter.setInsertionPointToStart(loop.getBody());
  isCut = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge, at,
                                firstCut);
  Value isBehind = arith::CmpIOp::create(rewriter, loc,
                                         arith::CmpIPredicate::sge, at, middle);
  Value shift = arith::SelectOp::create(rewriter, loc, isCut, back, front);
  Value inFront = arith::AddIOp::create(rewriter, loc, at, shift);
  return arith::SelectOp::create(rewriter, loc, isBehind, at, inFront);
}

/// The bounds of one loop that visits what the loops of `pair` do, and the
/// place of its round's tile; `isCut` is true in the rounds of cut tiles.
/// Of three loops, whole tiles are first if `wholeFirst`.
static void widen(RewriterBase &rewriter, LoopPair &pair, bool wholeFirst,
                  Value &isCut) {
  scf::ForOp loop = pair.cut;
  Location loc = loop.getLoc();
  auto isBehindMiddle = [&](Value place, Value middle) {
    return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge,
                                 place, middle);
  };
  Value middle = loop.getLowerBound(), begin = pair.whole.getLowerBound();
  Value end =
      arith::MaxSIOp::create(rewriter, loc, loop.getUpperBound(), middle);
  Value endOfCut = loop.getUpperBound();
  if (pair.cutInFront)
    begin = pair.cutInFront.getLowerBound();
  else if (pair.place && !isAtLeast(middle, begin))
    begin = arith::MinSIOp::create(rewriter, loc, begin, middle);
  rewriter.modifyOpInPlace(loop, [&] {
    loop.setLowerBound(begin);
    loop.setUpperBound(end);
  });
  Value at = loop.getInductionVar();
  rewriter.setInsertionPointToStart(loop.getBody());
  if (!pair.place) {
    isCut = isBehindMiddle(at, middle);
    return;
  }
  Value place = pair.cutInFront && wholeFirst
                    ? placeWholeFirst(rewriter, pair, middle, isCut)
                    : placeFromBack(rewriter, loop);
  if (!isCut) {
    isCut = isBehindMiddle(place, middle);
    if (pair.cutInFront) {
      Value inFront =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, place,
                                pair.whole.getLowerBound());
      isCut = arith::OrIOp::create(rewriter, loc, isCut, inFront);
    }
  }
  // What else is computed from the counter of before.
  Value before = createMirroredPlace(rewriter, loc, place, middle, endOfCut,
                                     *getConstantIntValue(loop.getStep()));
  rewriter.replaceUsesWithIf(at, before, [&](OpOperand &use) {
    Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
    return before.getDefiningOp()->isBeforeInBlock(user);
  });
  rewriter.replaceOp(pair.place, place);
}

static void unite(RewriterBase &rewriter, LoopPair &pair, bool marksLate,
                  bool wholeFirst) {
  scf::ForOp loop = pair.cut, whole = pair.whole;
  Value isCut;
  if (pair.place) {
    // The first of the loops becomes the last one.
    scf::ForOp last = pair.cutInFront ? pair.cutInFront : whole;
    rewriter.moveOpBefore(loop, last);
    rewriter.setInsertionPoint(loop);
    widen(rewriter, pair, wholeFirst, isCut);
    rewriter.replaceAllUsesWith(last.getResults(), loop.getResults());
    if (pair.cutInFront)
      rewriter.eraseOp(pair.cutInFront);
  } else {
    rewriter.setInsertionPoint(loop);
    rewriter.modifyOpInPlace(
        loop, [&] { loop.getInitArgsMutable().assign(whole.getInitArgs()); });
    widen(rewriter, pair, wholeFirst, isCut);
  }
  rewriter.eraseOp(whole);

  CutTile tile(rewriter, isCut);
  for (CutExtent extent : pair.extents)
    tile.widen(extent);
  SmallVector<TileMask> marks;
  for (const TileMask &mask : pair.masks)
    if (marksLate && isMark(pair, mask))
      marks.push_back(mask);
  for (const TileMask &mask : marks)
    tile.leaveUnmarked(mask);
  for (const TileMask &mask : pair.masks)
    if (!llvm::is_contained(marks, mask))
      tile.hide(mask);
  for (MmaOp product : pair.guarded)
    tile.guard(product);
  for (Operation &op : llvm::make_early_inc_range(
           llvm::reverse(loop.getBody()->getOperations())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
}

/// True for loops that this visits [begin, middle) and [middle, end) in: the
/// middle of three parts is not in front of its begin.
static bool areInOrder(const LoopPair &pair) {
  scf::ForOp cut = pair.cut, whole = pair.whole;
  return !pair.cutInFront ||
         isAtLeast(cut.getLowerBound(), whole.getLowerBound());
}

/// Columns of the widest sum of weights.
static int64_t columnsOf(const LoopPair &pair) {
  int64_t widest = 0;
  for (MmaOp product : pair.guarded)
    widest = std::max(widest, product.getResult().getType().getDimSize(1));
  return widest;
}

/// True if tiles that the loop fetches have more columns than their tensors.
static bool hasPaddedColumns(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<PutOp>(), [](PutOp put) {
    return !put.getValid().empty() &&
           getConstantIntValue(put.getValid().back()) !=
               put.getChannel().getType().getShape().back();
  });
}

/// True where the end of an open length cuts a tile, and rounds are so short
/// that two loops of them are little code, and asking in each would be seen.
static bool hasShortRounds(LoopPair &pair, int64_t narrow) {
  return !pair.extents.empty() &&
         llvm::any_of(pair.cut.getYieldedValues(), [&](Value next) {
           auto sum = next.getDefiningOp<MmaOp>();
           return sum &&
                  sum.getB()
                          .getType()
                          .getElementType()
                          .getIntOrFloatBitWidth() <= 16 &&
                  sum.getResult().getType().getDimSize(1) <= narrow;
         });
}

namespace {
struct UniteLoopsPass
    : mlir::smx::gpu::impl::UniteLoopsPassBase<UniteLoopsPass> {
  using UniteLoopsPassBase::UniteLoopsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(context, {{"widest", widest},
                                             {"narrow", narrow},
                                             {"rounds", rounds},
                                             {"open-groups", openGroups}});
  }

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](Operation *op) {
      if (isa<WarpSpecializeOp>(op))
        return WalkResult::skip();
      if (auto loop = dyn_cast<scf::ForOp>(op))
        loops.push_back(loop);
      return WalkResult::advance();
    });
    IRRewriter rewriter(&getContext());
    // The last one of three knows the other two.
    llvm::SmallPtrSet<Operation *, 8> united;
    for (scf::ForOp loop : llvm::reverse(loops)) {
      if (united.contains(loop))
        continue;
      std::optional<LoopPair> pair = LoopPair::match(loop);
      if (!pair || !isCheap(*pair) || !areInOrder(*pair) ||
          (fewTiles && !loop->hasAttr(mlir::smx::fewTilesAttribute) &&
           !isWorthSplitting(*pair)) ||
          (marksLate && pair->guarded.empty()) || hasShortRounds(*pair, narrow))
        continue;
      for (scf::ForOp of : {pair->whole, pair->cut, pair->cutInFront})
        if (of)
          united.insert(of);
      // Elsewhere rounds stay together, and the order takes registers.
      unite(rewriter, *pair, marksLate, /*wholeFirst=*/fewTiles);
    }
  }

  /// True if whole and cut tiles, each in rounds of their own, are better off
  /// in one loop.
  bool isWorthSplitting(LoopPair &pair) {
    if (pair.place || columnsOf(pair) > widest)
      return false;
    std::optional<RoundCount> count =
        countRounds(pair.whole.getLowerBound(), pair.cut.getUpperBound(),
                    pair.cut.getStep());
    // Sizes that are open take registers, too: those of three groups are few,
    // and so are those beside padded columns where rounds begin anywhere.
    if (!count)
      return int64_t(getOperation().getWarps()) <=
                 openGroups * warpgroupWarps &&
             (getConstantIntValue(pair.whole.getLowerBound()) ||
              !hasPaddedColumns(pair.whole));
    return columnsOf(pair) <= narrow || count->mean <= rounds;
  }
};
} // namespace
