//===- Rankings.cpp - the largest keys of a row ---------------------------===//

#include "Rankings.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx::gpu;

bool mlir::smx::gpu::isNothing(Value tile) {
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

SmallVector<Ranking> mlir::smx::gpu::findRankings(Block &block) {
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

bool mlir::smx::gpu::risesAlongRow(Value places) {
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

Value mlir::smx::gpu::scoresOf(const mlir::smx::KeyParts &parts,
                               int64_t count) {
  if (!risesAlongRow(parts.place))
    return {};
  Value scores = parts.score;
  while (auto ext = scores.getDefiningOp<arith::ExtFOp>())
    scores = ext.getIn();
  auto type = cast<RankedTensorType>(scores.getType());
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(type));
  Type element = type.getElementType();
  if (!striped || !striped.fitsWarps() || count > type.getDimSize(1) ||
      !(element.isF32() || element.isF16() || element.isBF16()))
    return {};
  return scores;
}

bool KeyBuilder::canBuild(Value tile, Value scores) {
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
                      [&](Value operand) { return canBuild(operand, scores); });
}

Value KeyBuilder::build(Value tile, Value value, Value column, Value places) {
  IRMapping known;
  known.map(scores, value);
  if (places)
    known.map(places, column);
  return build(tile, column, known);
}

Value KeyBuilder::build(Value tile, Value column, IRMapping &known) {
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
