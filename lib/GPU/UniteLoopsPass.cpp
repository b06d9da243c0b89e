//===- UniteLoopsPass.cpp - one loop for whole tiles and cut ones ---------===//

#include "LoopPair.h"
#include "NumberSweep.h"
#include "ScoreArithmetic.h"

#include "smx/GPU/Passes.h"
#include "smx/Tiling/FewTiles.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cmath>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_UNITELOOPSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// What `condition` is computed from in its block, in order; none if that is
/// more than places: it is computed twice.
static std::optional<SmallVector<Operation *>> placesOf(Value condition) {
  llvm::SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [block = condition.getParentBlock()](Operation *op) {
    return op->getBlock() == block;
  };
  auto isPlace = [](Operation *op) {
    return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getResultTypes(), [](Type type) {
             return getElementTypeOrSelf(type).isIntOrIndex();
           });
  };
  if (failed(getBackwardSlice(condition, &needed, options)) ||
      !llvm::all_of(needed, isPlace))
    return std::nullopt;
  return needed.takeVector();
}

/// True if every mask can be asked for again, where it is needed, and nothing
/// but the mask looks at what it hides: else both would take registers.
static bool isCheap(const LoopPair &pair) {
  return llvm::all_of(pair.masks, [](TileMask mask) {
    return mask.shown().hasOneUse() && placesOf(mask.isShown);
  });
}

/// True if `value` is 0 where it is infinite: |x| = inf ? 0 : x.
static bool isNeverInfinite(Value value) {
  auto guard = value.getDefiningOp<arith::SelectOp>();
  if (!guard || !matchPattern(guard.getTrueValue(), m_AnyZeroFloat()))
    return false;
  auto isInfinite = guard.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!isInfinite || isInfinite.getPredicate() != arith::CmpFPredicate::OEQ ||
      !matchPattern(isInfinite.getRhs(), m_PosInfFloat()))
    return false;
  auto magnitude = isInfinite.getLhs().getDefiningOp<math::AbsFOp>();
  return magnitude && magnitude.getOperand() == guard.getFalseValue();
}

/// True for a number above 0, or one of two for each row.
static bool isPositive(Value factor) {
  if (auto broadcast = factor.getDefiningOp<BroadcastOp>())
    if (auto choice = broadcast.getValues().getDefiningOp<arith::SelectOp>())
      return isPositive(choice.getTrueValue()) &&
             isPositive(choice.getFalseValue());
  std::optional<double> number = splatValue(factor);
  return number && *number > 0;
}

/// True for exp2(s c - r) with a positive c: 0 where s is -inf, since a
/// reference r is neither infinite nor, being a maximum, NaN.
static bool isZeroOfInfinity(Value weights, Value scores) {
  auto exponential = weights.getDefiningOp<math::Exp2Op>();
  auto exponent = exponential
                      ? exponential.getOperand().getDefiningOp<math::FmaOp>()
                      : math::FmaOp();
  if (!exponent || exponent.getA() != scores)
    return false;
  auto broadcast = exponent.getC().getDefiningOp<BroadcastOp>();
  auto negated = broadcast
                     ? broadcast.getValues().getDefiningOp<arith::NegFOp>()
                     : arith::NegFOp();
  return isPositive(exponent.getB()) && negated &&
         isNeverInfinite(negated.getOperand());
}

/// True if the mask only tells zeros from each other: what it hides is 0
/// anyway, by another mask in front.
static bool isMark(const LoopPair &pair, TileMask mask) {
  std::optional<double> hidden = splatValue(mask.hidden());
  return hidden && *hidden == 0 && std::signbit(*hidden) &&
         llvm::any_of(pair.masks, [&](TileMask other) {
           return other.isShown == mask.isShown && !other.isInverted &&
                  matchPattern(other.hidden(), m_NegInfFloat()) &&
                  isZeroOfInfinity(mask.shown(), other.select.getResult());
         });
}

namespace {
/// Writes what only a tile that is cut needs.
class CutTile {
public:
  CutTile(RewriterBase &rewriter, Value isCut)
      : rewriter(rewriter), isCut(isCut) {}

  void hide(TileMask mask);
  /// Leaves zeros of all kinds, which a guarded product is to tell apart.
  void leaveUnmarked(TileMask mask);
  void guard(MmaOp product);

private:
  /// `op` is replaced by what `whenCut` gives in a tile that is cut, and by
  /// what `otherwise` gives in another.
  void choose(Operation *op, function_ref<Value()> whenCut,
              function_ref<Value()> otherwise);
  /// What is shown, computed once more.
  Value cloneShown(TileMask mask);
  RewriterBase &rewriter;
  Value isCut;
  /// By weights without marks, as first operands.
  llvm::DenseMap<Value, TileMask> unmarked;
};
} // namespace

void CutTile::choose(Operation *op, function_ref<Value()> whenCut,
                     function_ref<Value()> otherwise) {
  rewriter.setInsertionPoint(op);
  auto branch =
      scf::IfOp::create(rewriter, op->getLoc(), op->getResultTypes(), isCut,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [block, value] : {std::pair(branch.thenBlock(), whenCut),
                              std::pair(branch.elseBlock(), otherwise)}) {
    rewriter.setInsertionPointToEnd(block);
    Value result = value();
    scf::YieldOp::create(rewriter, op->getLoc(), result);
  }
  rewriter.replaceOp(op, branch);
}

Value CutTile::cloneShown(TileMask mask) {
  IRMapping copies;
  SmallVector<Operation *> places = *placesOf(mask.isShown);
  for (Operation *op : places)
    rewriter.clone(*op, copies);
  return copies.lookupOrDefault(mask.isShown);
}

void CutTile::hide(TileMask mask) {
  Value shown = mask.shown();
  auto whenCut = [&]() -> Value {
    Value isShown = cloneShown(mask);
    return arith::SelectOp::create(rewriter, mask.select.getLoc(), isShown,
                                   shown, mask.hidden());
  };
  choose(mask.select, whenCut, [&] { return shown; });
}

void CutTile::leaveUnmarked(TileMask mask) {
  Value weights = mask.shown();
  for (Operation *user : mask.select->getUsers())
    if (auto narrow = dyn_cast<arith::TruncFOp>(user))
      unmarked.try_emplace(narrow.getResult(), mask);
  unmarked.try_emplace(weights, mask);
  rewriter.replaceAllUsesWith(mask.select.getResult(), weights);
}

void CutTile::guard(MmaOp product) {
  auto copy = [&](bool isGuarded) -> Value {
    auto result = cast<MmaOp>(rewriter.clone(*product));
    result.setGuarded(isGuarded);
    return result.getResult();
  };
  auto whenCut = [&]() -> Value {
    auto marks = unmarked.find(product.getA());
    if (marks == unmarked.end())
      return copy(true);
    Location loc = product.getLoc();
    Value weights = product.getA(), isShown = cloneShown(marks->second);
    auto type = cast<RankedTensorType>(weights.getType());
    Value mark = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(
            type, rewriter.getFloatAttr(type.getElementType(), -0.0)));
    Value marked =
        arith::SelectOp::create(rewriter, loc, isShown, weights, mark);
    auto result = cast<MmaOp>(rewriter.clone(*product));
    result.setGuarded(true);
    result.getAMutable().assign(marked);
    return result.getResult();
  };
  choose(product, whenCut, [&] { return copy(false); });
}

/// The bounds of one loop that visits what the loops of `pair` do, and the
/// place of its round's tile; `isCut` is true in the rounds of cut tiles.
static void widen(RewriterBase &rewriter, LoopPair &pair, Value &isCut) {
  scf::ForOp loop = pair.cut;
  Location loc = loop.getLoc();
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(rewriter, loc, predicate, a, b);
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
    isCut = compare(arith::CmpIPredicate::sge, at, middle);
    return;
  }
  // From the last tile to the first one.
  rewriter.setInsertionPoint(loop);
  Value sum = arith::AddIOp::create(rewriter, loc, begin, end);
  Value last = arith::SubIOp::create(rewriter, loc, sum, loop.getStep());
  rewriter.setInsertionPointToStart(loop.getBody());
  Value place = arith::SubIOp::create(rewriter, loc, last, at);
  // What else is computed from the counter of before.
  AffineExpr here, from, to;
  bindDims(rewriter.getContext(), here, from, to);
  Value before = affine::AffineApplyOp::create(
      rewriter, loc,
      AffineMap::get(3, 0,
                     from + to - here - *getConstantIntValue(loop.getStep())),
      ValueRange{place, middle, endOfCut});
  rewriter.replaceUsesWithIf(at, before, [&](OpOperand &use) {
    return use.getOwner() != place.getDefiningOp();
  });
  rewriter.replaceOp(pair.place, place);
  isCut = compare(arith::CmpIPredicate::sge, place, middle);
  if (!pair.cutInFront)
    return;
  Value inFront =
      compare(arith::CmpIPredicate::slt, place, pair.whole.getLowerBound());
  isCut = arith::OrIOp::create(rewriter, loc, isCut, inFront);
}

static void unite(RewriterBase &rewriter, LoopPair &pair, bool marksLate) {
  scf::ForOp loop = pair.cut, whole = pair.whole;
  Value isCut;
  if (pair.place) {
    // The first of the loops becomes the last one.
    scf::ForOp last = pair.cutInFront ? pair.cutInFront : whole;
    rewriter.moveOpBefore(loop, last);
    rewriter.setInsertionPoint(loop);
    widen(rewriter, pair, isCut);
    rewriter.replaceAllUsesWith(last.getResults(), loop.getResults());
    if (pair.cutInFront)
      rewriter.eraseOp(pair.cutInFront);
  } else {
    rewriter.setInsertionPoint(loop);
    rewriter.modifyOpInPlace(
        loop, [&] { loop.getInitArgsMutable().assign(whole.getInitArgs()); });
    widen(rewriter, pair, isCut);
  }
  rewriter.eraseOp(whole);

  CutTile tile(rewriter, isCut);
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

namespace {
struct UniteLoopsPass
    : mlir::smx::gpu::impl::UniteLoopsPassBase<UniteLoopsPass> {
  using UniteLoopsPassBase::UniteLoopsPassBase;

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
          (marksLate && pair->guarded.empty()))
        continue;
      for (scf::ForOp of : {pair->whole, pair->cut, pair->cutInFront})
        if (of)
          united.insert(of);
      unite(rewriter, *pair, marksLate);
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
    // Sizes that are open take registers, too.
    return count && (columnsOf(pair) <= narrow || count->mean <= rounds);
  }
};
} // namespace
