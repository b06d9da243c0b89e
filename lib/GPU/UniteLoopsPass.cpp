//===- UniteLoopsPass.cpp - one loop for whole tiles and cut ones ---------===//

#include "LoopPair.h"
#include "smx/GPU/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

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

namespace {
/// Writes what only a tile that is cut needs.
class CutTile {
public:
  CutTile(RewriterBase &rewriter, Value isCut)
      : rewriter(rewriter), isCut(isCut) {}

  void hide(TileMask mask);
  void guard(MmaOp product);

private:
  /// `op` is replaced by what `whenCut` gives in a tile that is cut, and by
  /// what `otherwise` gives in another.
  void choose(Operation *op, function_ref<Value()> whenCut,
              function_ref<Value()> otherwise);
  RewriterBase &rewriter;
  Value isCut;
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

void CutTile::hide(TileMask mask) {
  Value shown = mask.shown();
  auto whenCut = [&]() -> Value {
    IRMapping copies;
    SmallVector<Operation *> places = *placesOf(mask.isShown);
    for (Operation *op : places)
      rewriter.clone(*op, copies);
    return arith::SelectOp::create(rewriter, mask.select.getLoc(),
                                   copies.lookupOrDefault(mask.isShown), shown,
                                   mask.hidden());
  };
  choose(mask.select, whenCut, [&] { return shown; });
}

void CutTile::guard(MmaOp product) {
  auto copy = [&](bool isGuarded) -> Value {
    auto result = cast<MmaOp>(rewriter.clone(*product));
    result.setGuarded(isGuarded);
    return result.getResult();
  };
  choose(
      product, [&] { return copy(true); }, [&] { return copy(false); });
}

static void unite(RewriterBase &rewriter, LoopPair &pair) {
  scf::ForOp loop = pair.cut, whole = pair.whole;
  Location loc = loop.getLoc();
  Value middle = loop.getLowerBound();
  rewriter.setInsertionPoint(loop);
  Value end =
      arith::MaxSIOp::create(rewriter, loc, loop.getUpperBound(), middle);
  rewriter.modifyOpInPlace(loop, [&] {
    loop.setLowerBound(whole.getLowerBound());
    loop.setUpperBound(end);
    loop.getInitArgsMutable().assign(whole.getInitArgs());
  });
  rewriter.eraseOp(whole);

  rewriter.setInsertionPointToStart(loop.getBody());
  Value isCut = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge,
                                      loop.getInductionVar(), middle);
  CutTile tile(rewriter, isCut);
  for (const TileMask &mask : pair.masks)
    tile.hide(mask);
  for (MmaOp product : pair.guarded)
    tile.guard(product);
  for (Operation &op : llvm::make_early_inc_range(
           llvm::reverse(loop.getBody()->getOperations())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
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
    for (scf::ForOp loop : loops)
      if (std::optional<LoopPair> pair = LoopPair::match(loop))
        if (isCheap(*pair))
          unite(rewriter, *pair);
  }
};
} // namespace
