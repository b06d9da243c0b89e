//===- PartialSumsPass.cpp - sums over lanes after the loop ---------------===//

#include "PartialStates.h"
#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_PARTIALSUMSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// A row sum that a loop carries: l' = sum_c p_c + f l.
struct CarriedSum {
  scf::ForOp loop;
  unsigned index;
  arith::AddFOp add;
  ReduceOp reduce;
  /// Null where the sum is not scaled.
  arith::MulFOp scaled;

  static std::optional<CarriedSum> match(scf::ForOp loop, unsigned index);
  /// Has the loop carry partial sums as well, and the row sum made of them.
  scf::ForOp rewrite(RewriterBase &rewriter);

private:
  Value carried() { return loop.getRegionIterArg(index); }
  Value initial(OpBuilder &builder, RankedTensorType type);
};
} // namespace

std::optional<CarriedSum> CarriedSum::match(scf::ForOp loop, unsigned index) {
  Value carried = loop.getRegionIterArg(index);
  auto add = loop.getYieldedValues()[index].getDefiningOp<arith::AddFOp>();
  if (!carried.hasOneUse() || !add || !add->hasOneUse() ||
      add->getBlock() != loop.getBody())
    return std::nullopt;
  for (auto [first, second] : {std::pair(add.getLhs(), add.getRhs()),
                               std::pair(add.getRhs(), add.getLhs())}) {
    CarriedSum sum{loop, index, add, first.getDefiningOp<ReduceOp>(),
                   second.getDefiningOp<arith::MulFOp>()};
    if (!sum.reduce || sum.reduce.getKind() != Combiner::Add ||
        !sum.reduce->hasOneUse() || sum.reduce.getDim() != 1)
      continue;
    RankedTensorType tile = sum.reduce.getTile().getType();
    if (!isa_and_nonnull<FragmentAttr>(getLayout(tile)) ||
        tile.getDimSize(1) == 8)
      continue;
    if (second == carried ||
        (sum.scaled && sum.scaled->hasOneUse() &&
         llvm::is_contained(sum.scaled->getOperands(), carried)))
      return sum;
  }
  return std::nullopt;
}

/// Partial sums of the row sums that the loop starts from.
Value CarriedSum::initial(OpBuilder &builder, RankedTensorType type) {
  Location loc = loop.getLoc();
  Value rows = loop.getInitArgs()[index];
  if (auto reduced = rows.getDefiningOp<ReduceOp>())
    if (reduced.getKind() == Combiner::Add &&
        reduced.getTile().getType() == type)
      return reduced.getTile();
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  if (matchPattern(rows, m_AnyZeroFloat()))
    return zeros;
  // All in the first column.
  auto indices = type.clone(builder.getIndexType());
  Value column = PositionOp::create(builder, loc, indices, /*dim=*/1);
  Value first =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(indices));
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        column, first);
  Value spread = BroadcastOp::create(builder, loc, type, rows);
  return arith::SelectOp::create(builder, loc, isFirst, spread, zeros);
}

scf::ForOp CarriedSum::rewrite(RewriterBase &rewriter) {
  RankedTensorType tile = reduce.getTile().getType();
  auto type = RankedTensorType::get({tile.getDimSize(0), 8},
                                    tile.getElementType(), tile.getEncoding());
  rewriter.setInsertionPoint(loop);
  Value start = initial(rewriter, type);
  auto addPartial = [&](OpBuilder &b, Location loc,
                        ArrayRef<BlockArgument> added) -> SmallVector<Value> {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(add);
    Value before = added.front();
    if (scaled) {
      Value factor =
          scaled.getLhs() == carried() ? scaled.getRhs() : scaled.getLhs();
      Value factors = BroadcastOp::create(b, loc, type, factor);
      before = arith::MulFOp::create(b, loc, before, factors);
    }
    Value sums =
        PartialReduceOp::create(b, loc, type, Combiner::Add, reduce.getTile());
    return {arith::AddFOp::create(b, loc, sums, before)};
  };
  auto wider = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, start, /*replaceInitOperandUsesInLoop=*/false, addPartial));
  // The row sum itself is carried no further, and goes with the dead code.
  wider.getBody()->getTerminator()->setOperand(index,
                                               wider.getRegionIterArg(index));
  rewriter.setInsertionPointAfter(wider);
  Value rows = ReduceOp::create(rewriter, wider.getLoc(),
                                wider.getResult(index).getType(), Combiner::Add,
                                wider.getResults().back(), /*dim=*/1);
  rewriter.replaceAllUsesWith(wider.getResult(index), rows);
  return wider;
}

/// Of weights that need not be right to their last bits a thread adds up to
/// eight in their own type before they are widened, as conversions are slow.
static void addNarrow(RewriterBase &rewriter, ReduceOp reduce) {
  RankedTensorType wide = reduce.getTile().getType();
  auto striped = dyn_cast<StripedAttr>(getLayout(wide));
  if (reduce.getKind() != Combiner::Add || reduce.getDim() != 1 || !striped ||
      !wide.getElementType().isF64())
    return;
  std::optional<Weight> weight = matchWeight(reduce.getTile());
  constexpr int64_t mostAdded = 8;
  int64_t columns = striped.getColumnThreads() * striped.getVector();
  int64_t extent = wide.getDimSize(1);
  while (columns * mostAdded < extent)
    columns *= 2;
  if (!weight || !weight->exponential->hasAttr("result_bits") ||
      extent <= columns || extent % columns != 0)
    return;
  rewriter.setInsertionPoint(reduce);
  Value narrow = beforeExtension(rewriter, reduce.getTile(), /*neutral=*/0.0);
  if (!narrow)
    return;
  auto few = RankedTensorType::get({wide.getDimSize(0), columns},
                                   getElementTypeOrSelf(narrow), striped);
  Value sums = PartialReduceOp::create(rewriter, reduce.getLoc(), few,
                                       Combiner::Add, narrow);
  sums = arith::ExtFOp::create(rewriter, reduce.getLoc(),
                               few.clone(wide.getElementType()), sums);
  rewriter.modifyOpInPlace(reduce, [&] { reduce.getTileMutable().set(sums); });
}

/// Products of more than 16 bits take the registers that partial sums would.
static bool hasWideProducts(scf::ForOp loop) {
  return loop
      .walk([](MmaOp product) {
        Type element = product.getB().getType().getElementType();
        return element.getIntOrFloatBitWidth() > 16 ? WalkResult::interrupt()
                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct PartialSumsPass
    : mlir::smx::gpu::impl::PartialSumsPassBase<PartialSumsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      if (hasWideProducts(loop))
        continue;
      for (unsigned i = 0, count = loop.getNumRegionIterArgs(); i < count; ++i)
        if (std::optional<CarriedSum> sum = CarriedSum::match(loop, i))
          loop = sum->rewrite(rewriter);
    }
    getOperation().walk([&](ReduceOp reduce) { addNarrow(rewriter, reduce); });
  }
};
} // namespace
