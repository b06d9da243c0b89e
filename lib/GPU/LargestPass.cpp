//===- LargestPass.cpp - the largest keys of a row, by their scores -------===//
//
// A key is larger where its score is, and of equal scores where its place is
// lower: the r-th key is that of the r-th largest score, of which the first
// counts.
//
//===----------------------------------------------------------------------===//

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/TopKKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_LARGESTPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {

/// Keys, or nothing in places beyond the row; and of the keys those below
/// `before`.
struct KeysLeft {
  Value keys, inside, before;
};

/// A reduction to the largest key, then to the largest one below it, and so on.
struct Ranking {
  KeysLeft all;
  SmallVector<ReduceOp> ranks;
};

} // namespace

static bool isNothing(Value tile) {
  return matchPattern(tile, m_NegInfFloat());
}

static KeysLeft matchKeysLeft(Value tile) {
  KeysLeft found;
  found.keys = tile;
  auto select = tile.getDefiningOp<arith::SelectOp>();
  if (!select || !isNothing(select.getFalseValue()))
    return found;
  // Below the one before, and inside; or one of both.
  Value condition = select.getCondition();
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    condition = both.getLhs();
    found.inside = both.getRhs();
  }
  if (condition.getDefiningOp<arith::CmpIOp>()) {
    found.inside = condition;
    found.keys = select.getTrueValue();
    return found;
  }
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  auto before =
      compare ? compare.getLhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!before || compare.getPredicate() != arith::CmpFPredicate::OGT ||
      compare.getRhs() != select.getTrueValue())
    return {tile, Value(), Value()};
  found.keys = select.getTrueValue();
  found.before = before.getValues();
  return found;
}

/// The reduction that `value` is the result of, or the larger one of its result
/// and nothing.
static ReduceOp reductionOf(Value value) {
  if (auto larger = value.getDefiningOp<arith::MaxNumFOp>();
      larger && isNothing(larger.getRhs()))
    value = larger.getLhs();
  return value.getDefiningOp<ReduceOp>();
}

static SmallVector<Ranking> findRankings(Block &block) {
  SmallVector<Ranking> rankings;
  for (auto reduce : block.getOps<ReduceOp>()) {
    if (reduce.getKind() != Combiner::MaxNum || reduce.getDim() != 1)
      continue;
    KeysLeft left = matchKeysLeft(reduce.getTile());
    if (!left.before) {
      rankings.push_back({left, {reduce}});
      continue;
    }
    ReduceOp before = reductionOf(left.before);
    for (Ranking &ranking : rankings)
      if (before && ranking.ranks.back() == before &&
          ranking.all.keys == left.keys && ranking.all.inside == left.inside)
        ranking.ranks.push_back(reduce);
  }
  return rankings;
}

/// True for columns and what is added to all of them.
static bool risesAlongRow(Value places) {
  if (auto position = places.getDefiningOp<PositionOp>())
    return position.getDim() == 1;
  auto sum = places.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return false;
  auto isSame = [](Value tile) {
    SplatElementsAttr splat;
    return tile.getDefiningOp<tensor::SplatOp>() ||
           matchPattern(tile, m_Constant(&splat));
  };
  return (isSame(sum.getLhs()) && risesAlongRow(sum.getRhs())) ||
         (isSame(sum.getRhs()) && risesAlongRow(sum.getLhs()));
}

namespace {

/// Makes keys of single elements of the row.
class KeyBuilder {
public:
  KeyBuilder(OpBuilder &builder, Value scores, RankedTensorType slice)
      : builder(builder), scores(scores), slice(slice) {}

  /// Everything that `tile` is computed from has a value for a single element.
  bool canBuild(Value tile) const {
    if (tile == scores)
      return true;
    Operation *op = tile.getDefiningOp();
    if (!op)
      return false;
    if (auto position = dyn_cast<PositionOp>(op))
      return position.getDim() == 1;
    SplatElementsAttr splat;
    if (isa<tensor::SplatOp>(op) || matchPattern(op, m_Constant(&splat)))
      return true;
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return getSlice(broadcast.getValues().getType()).getDim() == 1;
    return OpTrait::hasElementwiseMappableTraits(op) &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return canBuild(operand); });
  }

  /// What `tile` has where the scores have `value`, in `column`.
  Value build(Value tile, Value value, Value column) {
    IRMapping known;
    known.map(scores, value);
    return build(tile, column, known);
  }

private:
  Value build(Value tile, Value column, IRMapping &known) {
    if (Value value = known.lookupOrNull(tile))
      return value;
    Operation *op = tile.getDefiningOp();
    RankedTensorType type = slice.clone(getElementTypeOrSelf(tile.getType()));
    Value value;
    SplatElementsAttr splat;
    if (isa<PositionOp>(op)) {
      value = column;
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      value = broadcast.getValues();
    } else if (matchPattern(op, m_Constant(&splat))) {
      value = arith::ConstantOp::create(builder, op->getLoc(), type,
                                        splat.resizeSplat(type));
    } else {
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          build(operand, column, known);
      Operation *copy = builder.clone(*op, known);
      copy->getResult(0).setType(type);
      value = copy->getResult(0);
    }
    known.map(tile, value);
    return value;
  }

  OpBuilder &builder;
  Value scores;
  RankedTensorType slice;
};

} // namespace

static void rewrite(Ranking &ranking) {
  std::optional<mlir::smx::KeyParts> parts =
      mlir::smx::matchKey(ranking.all.keys);
  if (!parts || !risesAlongRow(parts->place))
    return;
  Value scores = parts->score;
  while (auto ext = scores.getDefiningOp<arith::ExtFOp>())
    scores = ext.getIn();
  auto type = cast<RankedTensorType>(scores.getType());
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(type));
  Type element = type.getElementType();
  int64_t count = ranking.ranks.size();
  if (!striped || striped.getColumnThreads() % ::smx::gpu::warpThreads != 0 ||
      count > type.getDimSize(1) ||
      !(element.isF32() || element.isF16() || element.isBF16()))
    return;
  ReduceOp first = ranking.ranks.front();
  OpBuilder builder(first);
  Location loc = first.getLoc();
  auto slice = RankedTensorType::get(
      type.getDimSize(0), element,
      SliceAttr::get(builder.getContext(), 1, getLayout(type)));
  KeyBuilder keys(builder, scores, slice);
  if (!keys.canBuild(first.getTile()))
    return;
  Value elements = scores;
  if (ranking.all.inside) {
    Value nothing = arith::ConstantOp::create(
        builder, loc, type,
        DenseElementsAttr::get(
            type, APFloat::getInf(cast<FloatType>(element).getFloatSemantics(),
                                  /*Negative=*/true)));
    elements = arith::SelectOp::create(builder, loc, ranking.all.inside,
                                       elements, nothing);
  }
  SmallVector<Type> values(count, slice),
      columns(count, slice.clone(builder.getIndexType()));
  auto largest = LargestOp::create(builder, loc, values, columns, elements,
                                   /*ranks=*/IntegerAttr());
  for (auto [reduce, value, column] : llvm::zip_equal(
           ranking.ranks, largest.getValues(), largest.getColumns()))
    reduce.getResult().replaceAllUsesWith(
        keys.build(first.getTile(), value, column));
  for (ReduceOp reduce : llvm::reverse(ranking.ranks))
    reduce.erase();
}

/// What `op` takes from a key that is known, without the key: which is not
/// nothing, and whose score counts where the sum of the row is a number.
static Value takeFromKey(OpBuilder &builder, Operation *op) {
  auto partsOf = [](Value key) {
    return key ? mlir::smx::matchKey(key) : std::nullopt;
  };
  Location loc = op->getLoc();
  Type type = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
  if (auto larger = dyn_cast<arith::MaxNumFOp>(op);
      larger && isNothing(larger.getRhs()) && partsOf(larger.getLhs()))
    return larger.getLhs();
  if (auto compare = dyn_cast<arith::CmpFOp>(op);
      compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
      isNothing(compare.getRhs()) && partsOf(compare.getLhs()))
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(cast<ShapedType>(type), false));
  if (auto trunc = dyn_cast<arith::TruncFOp>(op))
    if (auto parts = partsOf(mlir::smx::matchScoreOfKey(trunc.getIn()));
        parts && parts->score.getType() == type)
      return parts->score;
  if (isa<arith::SIToFPOp>(op))
    if (auto parts = partsOf(mlir::smx::matchPlaceOfKey(op->getResult(0)))) {
      Value place = arith::IndexCastOp::create(
          builder, loc, op->getOperand(0).getType(), parts->place);
      return arith::SIToFPOp::create(builder, loc, type, place);
    }
  return {};
}

namespace {
struct LargestPass : mlir::smx::gpu::impl::LargestPassBase<LargestPass> {
  using LargestPassBase::LargestPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    // What is the same is seen to be.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(kernel);
    eliminateCommonSubExpressions(rewriter, dominance, kernel);
    kernel.walk([](Block *block) {
      for (Ranking &ranking : findRankings(*block))
        rewrite(ranking);
    });
    kernel.walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      if (Value taken = takeFromKey(rewriter, op))
        rewriter.replaceOp(op, taken);
    });
    (void)runRegionDCE(rewriter, kernel->getRegions());
  }
};
} // namespace
