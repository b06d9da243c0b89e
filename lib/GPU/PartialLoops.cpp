//===- PartialLoops.cpp - loops with a state for each thread --------------===//
//
// In a loop over tiles of a row, the step
//
//   m' = max(m, max x),  l' = l exp(m - m') + sum exp(x - m')
//
// is that of the algebra whatever part of the row the state (m, l) is of. So
// each thread may take it with what it holds of the tiles, and asks no other
// one; they merge once, after the loop, within warps and then among them.
//
//===----------------------------------------------------------------------===//

#include "PartialStates.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {

class PartialLoop {
public:
  PartialLoop(scf::ForOp loop, KernelOp kernel) : loop(loop), kernel(kernel) {}

  bool match();
  void rewrite();

private:
  Value argument(unsigned number) { return loop.getRegionIterArg(number); }
  Value yielded(unsigned number) { return loop.getYieldedValues()[number]; }
  /// A value of the row: one that threads will have one each of.
  /// Not those of threads, which have one each.
  static bool isRowValue(Type type) {
    return getSlice(type) && cast<RankedTensorType>(type).getDimSize(0) == 1;
  }
  bool isKnown(Operation &op);
  /// `value` is computed from none of the row.
  bool isOfTiles(Value value);
  /// `value` is the larger one of argument `number` and that of the tile.
  bool isMaximum(Value value, unsigned number);
  /// `value` is the argument, rescaled, and the sum of the tile's weights.
  bool isSum(Value value, unsigned number);
  void convert(Operation &op, OpBuilder &builder, PartBuilder &parts);

  scf::ForOp loop;
  KernelOp kernel;
  unsigned maximum = 0, sum = 1;
  /// Numbers of the row's values that the loop carries: its tiles stay as they
  /// are.
  SmallVector<unsigned> rowValues;
  ReduceOp weights;
  Weight weight;
  llvm::DenseMap<Value, bool> ofTiles;
  IRMapping converted;
};

bool PartialLoop::isMaximum(Value value, unsigned number) {
  Value x, y;
  if (auto larger = value.getDefiningOp<arith::MaxNumFOp>()) {
    x = larger.getLhs();
    y = larger.getRhs();
  } else if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    x = select.getTrueValue();
    y = select.getFalseValue();
    if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT ||
        compare.getLhs() != x || compare.getRhs() != y)
      return false;
  }
  if (!x || y != argument(number))
    return false;
  // The maximum of the tile, or of the tile and nothing.
  if (auto larger = x.getDefiningOp<arith::MaxNumFOp>();
      larger && isSplat(larger.getRhs()))
    x = larger.getLhs();
  auto reduce = x.getDefiningOp<ReduceOp>();
  return reduce && reduce.getKind() == Combiner::MaxNum;
}

bool PartialLoop::isSum(Value value, unsigned number) {
  auto withoutConversion = [](Value value) {
    while (
        isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return value;
  };
  auto add = withoutConversion(value).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  for (auto [before, ofTile] : {std::pair(add.getLhs(), add.getRhs()),
                                std::pair(add.getRhs(), add.getLhs())}) {
    auto rescaled = withoutConversion(before).getDefiningOp<arith::MulFOp>();
    if (!rescaled || withoutConversion(rescaled.getLhs()) != argument(number))
      continue;
    Value factor = withoutConversion(rescaled.getRhs());
    auto exponential = factor.getDefiningOp<math::ExpOp>();
    auto difference =
        exponential ? exponential.getOperand().getDefiningOp<arith::SubFOp>()
                    : arith::SubFOp();
    Value tile = withoutConversion(ofTile);
    if (auto start = tile.getDefiningOp<arith::AddFOp>();
        start && matchPattern(start.getRhs(), m_AnyZeroFloat()))
      tile = withoutConversion(start.getLhs());
    weights = tile.getDefiningOp<ReduceOp>();
    std::optional<Weight> found = weights && weights.getKind() == Combiner::Add
                                      ? matchWeight(weights.getTile())
                                      : std::nullopt;
    if (!difference || !found || difference.getLhs() != argument(maximum) ||
        difference.getRhs() != found->reference)
      continue;
    weight = *found;
    return true;
  }
  return false;
}

bool PartialLoop::isKnown(Operation &op) {
  // Others are of threads already.
  if (auto reduce = dyn_cast<ReduceOp>(op);
      reduce && isRowValue(reduce.getResult().getType()))
    return isOfWarps(reduce, kernel.getWarps());
  bool hasRowValue =
      llvm::any_of(llvm::concat<Value>(op.getOperands(), op.getResults()),
                   [](Value value) { return isRowValue(value.getType()); });
  if (op.getNumRegions() != 0)
    return false;
  if (!hasRowValue)
    return true;
  if (isa<BroadcastOp>(op))
    return cast<RankedTensorType>(op.getResult(0).getType()).getDimSize(0) == 1;
  // Values of the row come from the arguments, reductions and constants.
  return op.hasTrait<OpTrait::ConstantLike>()
             ? isSplat(op.getResult(0))
             : OpTrait::hasElementwiseMappableTraits(&op) &&
                   isMemoryEffectFree(&op) &&
                   llvm::all_of(op.getOperands(), [&](Value operand) {
                     return isSplat(operand) ||
                            operand.getParentBlock() == loop.getBody();
                   });
}

bool PartialLoop::isOfTiles(Value value) {
  // A network that sorts has as many paths as there are powers of its depth.
  auto [known, isNew] = ofTiles.try_emplace(value, true);
  if (!isNew)
    return known->second;
  Operation *op = value.getDefiningOp();
  bool is = !isRowValue(value.getType()) &&
            (!op || op->getBlock() != loop.getBody() ||
             llvm::all_of(op->getOperands(),
                          [&](Value operand) { return isOfTiles(operand); }));
  return ofTiles[value] = is;
}

bool PartialLoop::match() {
  for (auto [number, init] : llvm::enumerate(loop.getInitArgs())) {
    if (isRowValue(init.getType()))
      rowValues.push_back(number);
    else if (!isOfTiles(yielded(number)))
      return false;
    if (!isSplat(init))
      return false;
  }
  if (rowValues.size() != 2 ||
      !llvm::all_of(loop.getBody()->without_terminator(),
                    [&](Operation &op) { return isKnown(op); }))
    return false;
  for (unsigned number : {0u, 1u}) {
    maximum = rowValues[number];
    sum = rowValues[1 - number];
    if (!isMaximum(yielded(maximum), maximum) || !isSum(yielded(sum), sum))
      continue;
    return matchPattern(loop.getInitArgs()[maximum], m_NegInfFloat()) &&
           matchPattern(loop.getInitArgs()[sum], m_AnyZeroFloat()) &&
           isOfValues(weight.reference, yielded(maximum)) &&
           getElementTypeOrSelf(weight.reference.getType()) ==
               getElementTypeOrSelf(yielded(maximum).getType());
  }
  return false;
}

void PartialLoop::convert(Operation &op, OpBuilder &builder,
                          PartBuilder &parts) {
  auto isOfRow = [&](Value value) { return isRowValue(value.getType()); };
  auto isPart = [&](Value value) {
    Value now = converted.lookupOrNull(value);
    return now && now.getType() != value.getType();
  };
  /// As the parts of threads.
  auto part = [&](Value value) -> Value {
    if (isPart(value))
      return converted.lookup(value);
    Value now = converted.lookupOrDefault(value);
    if (isOfRow(value))
      return parts.splat(now,
                         parts.partValue(getElementTypeOrSelf(now.getType())));
    RankedTensorType type = parts.partTile(now);
    return isSplat(now)
               ? parts.splat(now, type)
               : Value(PartsOp::create(builder, op.getLoc(), type, now));
  };
  if (auto reduce = dyn_cast<ReduceOp>(op);
      reduce && isOfRow(reduce.getResult())) {
    Value tile = reduce.getTile();
    Type element = getElementTypeOrSelf(tile);
    // A maximum is found in the type that the elements come in.
    auto ext = reduce.getKind() == Combiner::MaxNum
                   ? tile.getDefiningOp<arith::ExtFOp>()
                   : arith::ExtFOp();
    if (ext)
      tile = ext.getIn();
    // Weights are added up in the type that they were computed in.
    auto widened = reduce.getKind() == Combiner::Add && element.isF64()
                       ? tile.getDefiningOp<arith::ExtFOp>()
                       : arith::ExtFOp();
    if (widened && isPart(widened.getIn())) {
      converted.map(reduce.getResult(),
                    parts.sumOf(part(widened.getIn()), element));
      return;
    }
    Value value = ReduceOp::create(builder, op.getLoc(),
                                   parts.partValue(getElementTypeOrSelf(tile)),
                                   reduce.getKind(), part(tile), /*dim=*/1);
    if (ext)
      value = arith::ExtFOp::create(builder, op.getLoc(),
                                    parts.partValue(element), value);
    converted.map(reduce.getResult(), value);
    return;
  }
  if (isa<BroadcastOp>(op)) {
    converted.map(op.getResult(0),
                  BroadcastOp::create(builder, op.getLoc(),
                                      parts.partTile(op.getResult(0)),
                                      part(op.getOperand(0)))
                      .getTile());
    return;
  }
  if (llvm::none_of(op.getOperands(), isPart)) {
    builder.clone(op, converted);
    return;
  }
  Type element = getElementTypeOrSelf(op.getResult(0).getType());
  converted.map(op.getResult(0),
                parts.onOperands(&op,
                                 llvm::map_to_vector(op.getOperands(), part),
                                 isOfRow(op.getResult(0))
                                     ? parts.partValue(element)
                                     : parts.partTile(op.getResult(0))));
}

void PartialLoop::rewrite() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto tile = cast<RankedTensorType>(weights.getTile().getType());
  PartBuilder parts(kernel, cast<StripedAttr>(getLayout(tile)).getVector(),
                    builder, loc, PartOwner::Thread);
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs())
    inits.push_back(
        isRowValue(init.getType())
            ? parts.splat(init,
                          parts.partValue(getElementTypeOrSelf(init.getType())))
            : init);
  auto made = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  converted.map(loop.getInductionVar(), made.getInductionVar());
  converted.map(loop.getRegionIterArgs(), made.getRegionIterArgs());
  builder.setInsertionPointToStart(made.getBody());
  for (Operation &op : loop.getBody()->without_terminator())
    convert(op, builder, parts);
  SmallVector<Value> values;
  for (Value value : loop.getYieldedValues())
    values.push_back(converted.lookup(value));
  scf::YieldOp::create(builder, loc, values);

  builder.setInsertionPointAfter(made);
  Value leaf = yielded(maximum);
  MergedState all = parts.merge(made.getResult(maximum), made.getResult(sum),
                                weight, leaf, loop.getResult(maximum).getType(),
                                loop.getResult(sum).getType());
  loop.getResult(maximum).replaceAllUsesWith(all.maximum);
  loop.getResult(sum).replaceAllUsesWith(all.sum);
  for (auto [before, after] :
       llvm::zip_equal(loop.getResults(), made.getResults()))
    before.replaceAllUsesWith(after);
  loop.erase();
}
} // namespace

bool mlir::smx::gpu::convertLoop(scf::ForOp loop, KernelOp kernel) {
  PartialLoop partial(loop, kernel);
  if (!partial.match())
    return false;
  partial.rewrite();
  return true;
}
