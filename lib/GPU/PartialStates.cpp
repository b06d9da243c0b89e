//===- PartialStates.cpp - states of the parts of a row -------------------===//

#include "PartialStates.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

bool mlir::smx::gpu::isSplat(Value value) {
  SplatElementsAttr splat;
  return matchPattern(value, m_Constant(&splat));
}

RowValue::RowValue(ReduceOp reduce) : reduce(reduce) {
  if (reduce->hasOneUse() && isa<ClusterReduceOp>(*reduce->user_begin()))
    cluster = *reduce->user_begin();
}

bool mlir::smx::gpu::isOnlySummed(Value weights, ReduceOp sum) {
  return llvm::all_of(weights.getUsers(), [&](Operation *user) {
    return user == sum || (isa<arith::SelectOp, arith::ExtFOp>(user) &&
                           isOnlySummed(user->getResult(0), sum));
  });
}

bool mlir::smx::gpu::isOfValues(Value value, Value leaf) {
  if (value == leaf || isSplat(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && OpTrait::hasElementwiseMappableTraits(op) &&
         isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isOfValues(operand, leaf); });
}

bool mlir::smx::gpu::isOfWarps(ReduceOp reduce, int64_t warps) {
  auto tile = cast<RankedTensorType>(reduce.getTile().getType());
  auto striped = dyn_cast<StripedAttr>(getLayout(tile));
  return striped && reduce.getDim() == 1 && tile.getDimSize(0) == 1 &&
         striped.getRowThreads() == 1 &&
         striped.getColumnThreads() == warps * warpThreads &&
         isa<FloatType>(tile.getElementType());
}

std::optional<Weight> mlir::smx::gpu::matchWeight(Value tile) {
  if (auto select = tile.getDefiningOp<arith::SelectOp>();
      select && matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    tile = select.getTrueValue();
  if (auto ext = tile.getDefiningOp<arith::ExtFOp>())
    tile = ext.getIn();
  Weight weight;
  weight.exponential = tile.getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(weight.exponential))
    return std::nullopt;
  Value exponent = weight.exponential->getOperand(0);
  if (auto product = exponent.getDefiningOp<arith::MulFOp>()) {
    if (!isSplat(product.getRhs()))
      return std::nullopt;
    weight.factor = product.getRhs();
    weight.factorFlags = product.getFastmathAttr();
    exponent = product.getLhs();
  }
  weight.difference = exponent.getDefiningOp<arith::SubFOp>();
  if (!weight.difference)
    return std::nullopt;
  auto broadcast = weight.difference.getRhs().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return std::nullopt;
  weight.reference = broadcast.getValues();
  return weight;
}

Value mlir::smx::gpu::beforeExtension(OpBuilder &builder, Value tile,
                                      double neutral) {
  // Nothing is computed in 8 bits.
  if (auto ext = tile.getDefiningOp<arith::ExtFOp>())
    return elementBits(ext.getIn().getType()) >= 16 ? ext.getIn() : Value();
  auto select = tile.getDefiningOp<arith::SelectOp>();
  Value chosen = select
                     ? beforeExtension(builder, select.getTrueValue(), neutral)
                     : Value();
  APFloat beyond(0.0);
  if (!chosen ||
      !matchPattern(select.getFalseValue(), m_ConstantFloat(&beyond)))
    return {};
  // Sums have zeros of both signs.
  double value = beyond.convertToDouble();
  if (value != neutral)
    return {};
  auto type = cast<RankedTensorType>(chosen.getType());
  Value nothing = arith::ConstantOp::create(
      builder, tile.getLoc(), type,
      DenseElementsAttr::get(
          type, builder.getFloatAttr(type.getElementType(), value)));
  return arith::SelectOp::create(builder, tile.getLoc(), select.getCondition(),
                                 chosen, nothing);
}

PartBuilder::PartBuilder(KernelOp kernel, int64_t vector, OpBuilder &builder,
                         Location loc, PartOwner owner)
    : kernel(kernel), builder(builder), loc(loc), warps(kernel.getWarps()) {
  int64_t threads = owner == PartOwner::Warp ? warpThreads : 1;
  parts = StripedAttr::get(kernel.getContext(), warps * warpThreads / threads,
                           threads, vector);
}

RankedTensorType PartBuilder::partValue(Type element) const {
  return RankedTensorType::get({parts.getRowThreads()}, element,
                               SliceAttr::get(element.getContext(), 1, parts));
}

RankedTensorType PartBuilder::collectedValue(Value collected) {
  auto tile = cast<RankedTensorType>(collected.getType());
  return RankedTensorType::get(
      {tile.getDimSize(0)}, tile.getElementType(),
      SliceAttr::get(tile.getContext(), 1, getLayout(tile)));
}

RankedTensorType PartBuilder::partTile(Value tile) const {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t rows = parts.getRowThreads();
  return RankedTensorType::get({rows, type.getDimSize(1) / rows},
                               type.getElementType(), parts);
}

Value PartBuilder::splat(Value constant, RankedTensorType type) {
  DenseElementsAttr value;
  matchPattern(constant, m_Constant(&value));
  return arith::ConstantOp::create(
      builder, loc, type,
      DenseElementsAttr::get(type, value.getSplatValue<Attribute>()));
}

Value PartBuilder::onOperands(Operation *op, ValueRange operands, Type type) {
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

Value PartBuilder::ofValue(Value value, ArrayRef<Value> leaves, Value leaf) {
  if (llvm::is_contained(leaves, value))
    return leaf;
  auto type = cast<RankedTensorType>(leaf.getType())
                  .clone(getElementTypeOrSelf(value.getType()));
  if (isSplat(value))
    return splat(value, type);
  SmallVector<Value> operands;
  for (Value operand : value.getDefiningOp()->getOperands())
    operands.push_back(ofValue(operand, leaves, leaf));
  return onOperands(value.getDefiningOp(), operands, type);
}

Value PartBuilder::weigh(Value of, Value reference, const Weight &weight) {
  auto type = cast<RankedTensorType>(of.getType());
  Value power = arith::SubFOp::create(builder, loc, of, reference,
                                      weight.difference.getFastmathAttr());
  if (weight.factor)
    power = arith::MulFOp::create(
        builder, loc, power, splat(weight.factor, type), weight.factorFlags);
  power = onOperands(weight.exponential, power, type);
  // There are few of them: no fewer bits than the type has.
  power.getDefiningOp()->removeDiscardableAttr("result_bits");
  return power;
}

Value PartBuilder::factorOf(Value ofWarp, Value maximumOfAll,
                            const Weight &weight, ArrayRef<Value> leaves) {
  Value maximum =
      AgreedOp::create(builder, loc, ofWarp.getType(), maximumOfAll);
  Value reference = ofValue(weight.reference, leaves, maximum);
  return weigh(ofWarp, reference, weight);
}

SmallVector<Value> PartBuilder::collect(ValueRange values,
                                        ArrayRef<double> fill, bool inBlock) {
  int64_t ofBlock =
      cast<RankedTensorType>(values.front().getType()).getNumElements();
  SmallVector<Type> types;
  SmallVector<Attribute> fills;
  for (auto [value, beyond] : llvm::zip(values, fill)) {
    Type element = getElementTypeOrSelf(value.getType());
    types.push_back(CollectOp::typeOf(
        element, inBlock ? ofBlock : ofBlock * kernel.getCluster(), warps));
    fills.push_back(builder.getFloatAttr(element, beyond));
  }
  return llvm::to_vector_of<Value>(
      CollectOp::create(builder, loc, types, values,
                        builder.getArrayAttr(fills), inBlock)
          .getCollected());
}

Value PartBuilder::sumOf(Value narrowWeights, Type wide) {
  auto type = cast<RankedTensorType>(narrowWeights.getType());
  auto few = type.clone(
      {type.getDimSize(0), parts.getColumnThreads() * parts.getVector()});
  if (type != few)
    narrowWeights = PartialReduceOp::create(builder, loc, few, Combiner::Add,
                                            narrowWeights);
  Value weights =
      arith::ExtFOp::create(builder, loc, few.clone(wide), narrowWeights);
  return ReduceOp::create(builder, loc, partValue(wide), Combiner::Add, weights,
                          /*dim=*/1);
}

PartBuilder::RowStates PartBuilder::mergeRows(ValueRange tiles,
                                              const Weight &weight,
                                              ArrayRef<Value> leaves) {
  Value maxima = tiles[0], sums = tiles[1];
  Value maximum = ReduceOp::create(builder, loc, collectedValue(maxima),
                                   Combiner::MaxNum, maxima, /*dim=*/1);
  Value reference =
      BroadcastOp::create(builder, loc, maxima.getType(),
                          ofValue(weight.reference, leaves, maximum));
  Value factor = weigh(maxima, reference, weight);
  if (sums.getType() != factor.getType())
    factor = arith::ExtFOp::create(builder, loc, sums.getType(), factor);
  Value terms = arith::MulFOp::create(builder, loc, sums, factor);
  return {maximum, ReduceOp::create(builder, loc, collectedValue(terms),
                                    Combiner::Add, terms, /*dim=*/1)};
}

MergedState PartBuilder::mergeCollected(ValueRange collected,
                                        const Weight &weight,
                                        ArrayRef<Value> leaves,
                                        Type maximumType, Type sumType) {
  auto [maximum, sum] = mergeRows(collected, weight, leaves);
  return {AgreedOp::create(builder, loc, maximumType, maximum),
          AgreedOp::create(builder, loc, sumType, sum), maximum, sum};
}

SmallVector<Value> PartBuilder::tilesOfWarps(ValueRange ofThreads) {
  auto ofWarps =
      StripedAttr::get(kernel.getContext(), warps, warpThreads, /*vector=*/1);
  return llvm::map_to_vector(ofThreads, [&](Value value) -> Value {
    auto type = RankedTensorType::get(
        {warps, warpThreads}, getElementTypeOrSelf(value.getType()), ofWarps);
    return PartsOp::create(builder, loc, type, value);
  });
}

MergedState PartBuilder::merge(Value maxima, Value sums, const Weight &weight,
                               ArrayRef<Value> leaves, Type maximumType,
                               Type sumType) {
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  // Every lane weighs what it has of all values: of many, those of each block
  // are merged first.
  constexpr int64_t most = 2 * warpThreads;
  SmallVector<Value> values{maxima, sums};
  if (parts.getColumnThreads() == 1) {
    auto [ofThreads, sumOfThreads] =
        mergeRows(tilesOfWarps(values), weight, leaves);
    values = {ofThreads, sumOfThreads};
  }
  if (kernel.getCluster() > 1 && warps * kernel.getCluster() > most) {
    MergedState ofBlock =
        mergeCollected(collect(values, {nothing, 0.0}, /*inBlock=*/true),
                       weight, leaves, maximumType, sumType);
    values = {ofBlock.maximum, ofBlock.sum};
  }
  return mergeCollected(collect(values, {nothing, 0.0}, /*inBlock=*/false),
                        weight, leaves, maximumType, sumType);
}

std::pair<Value, Value> PartBuilder::mergeSquares(Value scales, Value sums,
                                                  Type scaleType,
                                                  Type sumType) {
  auto merged = [&](ValueRange tiles) -> SmallVector<Value> {
    Value ofParts = tiles[0], squares = tiles[1];
    Value scale = ReduceOp::create(builder, loc, collectedValue(ofParts),
                                   Combiner::MinNum, ofParts, /*dim=*/1);
    Value ratio = arith::DivFOp::create(
        builder, loc,
        BroadcastOp::create(builder, loc, ofParts.getType(), scale), ofParts);
    if (ratio.getType() != squares.getType())
      ratio = arith::ExtFOp::create(builder, loc, squares.getType(), ratio);
    squares = arith::MulFOp::create(builder, loc, squares, ratio);
    squares = arith::MulFOp::create(builder, loc, squares, ratio);
    return {scale, ReduceOp::create(builder, loc, collectedValue(squares),
                                    Combiner::Add, squares, /*dim=*/1)};
  };
  // A scale that is no number's has no squares.
  constexpr double nothing = std::numeric_limits<double>::infinity();
  SmallVector<Value> ofWarps = merged(tilesOfWarps({scales, sums}));
  SmallVector<Value> all =
      merged(collect(ofWarps, {nothing, 0.0}, /*inBlock=*/false));
  return {AgreedOp::create(builder, loc, scaleType, all[0]),
          AgreedOp::create(builder, loc, sumType, all[1])};
}

Value PartBuilder::mergeMeans(Value maxima, Value means, Value origin,
                              Value leaf, Type meanType) {
  auto sumOf = [&](Value tile) -> Value {
    return ReduceOp::create(builder, loc, collectedValue(tile), Combiner::Add,
                            tile, /*dim=*/1);
  };
  // (m, sum of means, how many).
  auto merged = [&](ValueRange tiles) -> SmallVector<Value> {
    Value maximum = ReduceOp::create(builder, loc, collectedValue(tiles[0]),
                                     Combiner::MaxNum, tiles[0], /*dim=*/1);
    Value to = BroadcastOp::create(builder, loc, tiles[1].getType(),
                                   ofValue(origin, leaf, maximum));
    Value move = arith::SubFOp::create(builder, loc,
                                       ofValue(origin, leaf, tiles[0]), to);
    Value many = arith::MulFOp::create(builder, loc, move, tiles[2]);
    // Nobody's maximum is -inf, and so may be what it is the origin of.
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(tiles[2].getType()));
    Value isNobody = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, tiles[2], zero);
    many = arith::SelectOp::create(builder, loc, isNobody, zero, many);
    Value sum = sumOf(arith::AddFOp::create(builder, loc, tiles[1], many));
    return {maximum, sum, sumOf(tiles[2])};
  };
  Type element = getElementTypeOrSelf(means.getType());
  auto typed = cast<RankedTensorType>(means.getType());
  Value one = arith::ConstantOp::create(
      builder, loc, typed,
      DenseElementsAttr::get(typed,
                             Attribute(builder.getFloatAttr(element, 1.0))));
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  SmallVector<Value> ofWarps = merged(tilesOfWarps({maxima, means, one}));
  SmallVector<Value> all =
      merged(collect(ofWarps, {nothing, 0.0, 0.0}, /*inBlock=*/false));
  return AgreedOp::create(builder, loc, meanType,
                          arith::DivFOp::create(builder, loc, all[1], all[2]));
}

Value PartBuilder::shareOfThread(Value count) {
  auto type = cast<RankedTensorType>(count.getType());
  APFloat all(0.0);
  matchPattern(count, m_ConstantFloat(&all));
  return arith::ConstantOp::create(
      builder, loc, type,
      DenseElementsAttr::get(
          type, Attribute(builder.getFloatAttr(type.getElementType(),
                                               all.convertToDouble() /
                                                   parts.getRowThreads()))));
}

Value PartBuilder::ofThreads(Value ofRow) {
  Type element = getElementTypeOrSelf(ofRow.getType());
  auto slice =
      cast<SliceAttr>(cast<RankedTensorType>(ofRow.getType()).getEncoding());
  auto row = cast<StripedAttr>(slice.getParent());
  auto tile = RankedTensorType::get(
      {1, row.getColumnThreads() * row.getVector()}, element, row);
  Value everywhere = BroadcastOp::create(builder, loc, tile, ofRow);
  Value each = PartsOp::create(builder, loc, partTile(everywhere), everywhere);
  // Of equal ones.
  return ReduceOp::create(builder, loc, partValue(element), Combiner::MaxNum,
                          each, /*dim=*/1);
}
