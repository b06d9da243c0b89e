//===- RanksInLanesPass.cpp - a lane for each of the k largest ------------===//
//
// A tile is chosen from k values of a row by its columns. Where one expression
// f gives all of them, f(x_r) chosen by r is f of x_r chosen by r: elementwise
// operations commute with the choice. So only what smx_gpu.largest finds is
// chosen, which is where its results are a tile.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "ScoreArithmetic.h"
#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <vector>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_RANKSINLANESPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// The values that a tile is chosen from by its columns, in order; none if it
/// is something else. The first is also that of all columns behind.
static SmallVector<Value> choicesOf(Value tile) {
  SmallVector<Value> behind;
  SmallVector<double> numbers;
  while (auto select = tile.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
    auto position =
        compare ? compare.getLhs().getDefiningOp<PositionOp>() : PositionOp();
    auto value = select.getTrueValue().getDefiningOp<BroadcastOp>();
    std::optional<double> number =
        compare ? splatValue(compare.getRhs()) : std::nullopt;
    if (!position || position.getDim() != 1 || !value || !number ||
        compare.getPredicate() != arith::CmpIPredicate::eq)
      return {};
    behind.push_back(value.getValues());
    numbers.push_back(*number);
    tile = select.getFalseValue();
  }
  auto first = tile.getDefiningOp<BroadcastOp>();
  if (!first || behind.empty() ||
      getSlice(first.getValues().getType()).getDim() != 1)
    return {};
  behind.push_back(first.getValues());
  numbers.push_back(0);
  std::reverse(behind.begin(), behind.end());
  for (auto [rank, number] : llvm::enumerate(llvm::reverse(numbers)))
    if (number != double(rank))
      return {};
  return behind;
}

/// The larger or the smaller one of two values, as lists are merged: what comes
/// out for one rank is computed from what goes in for another. A bound that all
/// have is none of those.
static bool isOfMerge(Operation *op) {
  Operation *compare = op;
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!compare ||
        !llvm::is_contained(compare->getOperands(), select.getTrueValue()) ||
        !llvm::is_contained(compare->getOperands(), select.getFalseValue()))
      return false;
  } else if (!isa<arith::MaxNumFOp>(op)) {
    return false;
  }
  return llvm::none_of(compare->getOperands(), [](Value value) {
    return splatValue(value).has_value();
  });
}

namespace {

/// Builds tiles with `columns` columns, of vectors of one element.
class RankTiles {
public:
  RankTiles(StoreOp store, RankedTensorType wide, int64_t columns)
      : builder(store),
        loc(store.getLoc()), shape{wide.getDimSize(0), columns} {
    auto striped = cast<StripedAttr>(getLayout(wide));
    layout = StripedAttr::get(wide.getContext(), striped.getRowThreads(),
                              striped.getColumnThreads(), /*vector=*/1);
  }

  /// The first columns of `tile`; null if they are not known to be chosen or
  /// computed from what is.
  Value narrow(Value tile);

private:
  Type typeWith(Type element) {
    return RankedTensorType::get(shape, element, layout);
  }
  Type typeFor(Value value) {
    return typeWith(getElementTypeOrSelf(value.getType()));
  }
  Value position() {
    return PositionOp::create(builder, loc, typeWith(builder.getIndexType()),
                              1);
  }
  Value splat(Value constant) {
    SplatElementsAttr splat;
    matchPattern(constant, m_Constant(&splat));
    auto type = cast<RankedTensorType>(typeFor(constant));
    return arith::ConstantOp::create(builder, loc, type,
                                     splat.resizeSplat(type));
  }
  /// A copy of `op` on other operands.
  Value copy(Operation *op, ArrayRef<Value> operands) {
    IRMapping mapping;
    mapping.map(op->getOperands(), operands);
    Operation *made = builder.clone(*op, mapping);
    made->getResult(0).setType(typeFor(op->getResult(0)));
    return made->getResult(0);
  }

  /// Column r has `values[r]`.
  Value choose(ArrayRef<Value> values);
  Value chooseResults(ArrayRef<Value> values);
  Value chooseConstants(ArrayRef<Value> values);

  OpBuilder builder;
  Location loc;
  SmallVector<int64_t> shape;
  Attribute layout;
  std::map<std::vector<const void *>, Value> chosen;
  llvm::DenseMap<Value, Value> narrowed;
};

} // namespace

Value RankTiles::narrow(Value tile) {
  if (Value known = narrowed.lookup(tile))
    return known;
  Operation *op = tile.getDefiningOp();
  if (!op)
    return {};
  Value result;
  if (SmallVector<Value> choices = choicesOf(tile); !choices.empty()) {
    result = choose(choices);
  } else if (splatValue(tile)) {
    result = splat(tile);
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op);
             broadcast &&
             getSlice(broadcast.getValues().getType()).getDim() == 1) {
    result =
        BroadcastOp::create(builder, loc, typeFor(tile), broadcast.getValues());
  } else if (auto place = dyn_cast<PositionOp>(op);
             place && place.getDim() == 1) {
    result = position();
  } else if (OpTrait::hasElementwiseMappableTraits(op)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value other = narrow(operand);
      if (!other)
        return {};
      operands.push_back(other);
    }
    result = copy(op, operands);
  }
  return narrowed[tile] = result;
}

Value RankTiles::choose(ArrayRef<Value> values) {
  std::vector<const void *> key;
  for (Value value : values)
    key.push_back(value.getAsOpaquePointer());
  if (auto known = chosen.find(key); known != chosen.end())
    return known->second;
  Value result;
  Operation *first = values[0].getDefiningOp();
  auto isLike = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getName() == first->getName() &&
           op->getAttrDictionary() == first->getAttrDictionary() &&
           op->getPropertiesAsAttribute() ==
               first->getPropertiesAsAttribute() &&
           op->getNumOperands() == first->getNumOperands() &&
           value.getType() == values[0].getType();
  };
  if (splatValue(values[0])) {
    result = chooseConstants(values);
  } else if (llvm::all_equal(values)) {
    result = BroadcastOp::create(builder, loc, typeFor(values[0]), values[0]);
  } else if (first && isa<LargestOp>(first)) {
    result = chooseResults(values);
  } else if (first && OpTrait::hasElementwiseMappableTraits(first) &&
             !isOfMerge(first) && llvm::all_of(values, isLike)) {
    SmallVector<Value> operands;
    for (unsigned number : llvm::seq(first->getNumOperands()))
      operands.push_back(choose(llvm::map_to_vector(values, [&](Value value) {
        return value.getDefiningOp()->getOperand(number);
      })));
    result = copy(first, operands);
  }
  if (!result) {
    for (auto [rank, value] : llvm::enumerate(values)) {
      Value all = BroadcastOp::create(builder, loc, typeFor(value), value);
      if (rank == 0) {
        result = all;
        continue;
      }
      auto index = cast<RankedTensorType>(typeWith(builder.getIndexType()));
      Value number = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(index, builder.getIndexAttr(rank)));
      Value isThis = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, position(), number);
      result = arith::SelectOp::create(builder, loc, isThis, all, result);
    }
  }
  chosen[key] = result;
  return result;
}

/// Chooses among all results of an smx_gpu.largest, in order.
Value RankTiles::chooseResults(ArrayRef<Value> values) {
  auto largest = cast<LargestOp>(values[0].getDefiningOp());
  bool isColumns = values[0] != largest.getValues()[0];
  ResultRange results = isColumns ? largest.getColumns() : largest.getValues();
  if (largest.getRanks() || SmallVector<Value>(results) != values)
    return {};
  // One for all that is stored.
  Type type = typeFor(largest.getValues()[0]);
  LargestOp tiles;
  for (Operation *user : largest.getTile().getUsers())
    if (auto other = dyn_cast<LargestOp>(user);
        other && other.getRanks() == values.size() &&
        other.getValues()[0].getType() == type)
      tiles = other;
  if (!tiles) {
    OpBuilder there(largest);
    tiles = LargestOp::create(
        there, largest.getLoc(), type, typeFor(largest.getColumns()[0]),
        largest.getTile(), largest.getMemory(), largest.getOffsets(),
        largest.getValid(), largest.getStarts(), largest.getSeconds(),
        largest.getExtent(), largest.getAligned(), largest.getSpan(),
        there.getI64IntegerAttr(values.size()));
  }
  return isColumns ? tiles.getColumns()[0] : tiles.getValues()[0];
}

/// Chooses by the number of the column, or is one number for all.
Value RankTiles::chooseConstants(ArrayRef<Value> values) {
  if (llvm::all_equal(values))
    return splat(values[0]);
  for (auto [rank, value] : llvm::enumerate(values))
    if (splatValue(value) != double(rank))
      return {};
  Type element = getElementTypeOrSelf(values[0].getType());
  if (element.isIndex())
    return position();
  Type whole = isa<FloatType>(element) ? builder.getI64Type() : element;
  Value number =
      arith::IndexCastOp::create(builder, loc, typeWith(whole), position());
  return element == whole
             ? number
             : arith::SIToFPOp::create(builder, loc, typeWith(element), number)
                   .getResult();
}

namespace {
struct RanksInLanesPass
    : mlir::smx::gpu::impl::RanksInLanesPassBase<RanksInLanesPass> {
  using RanksInLanesPassBase::RanksInLanesPassBase;

  void runOnOperation() override {
    getOperation().walk([&](StoreOp store) {
      auto tile = cast<RankedTensorType>(store.getTile().getType());
      auto striped = dyn_cast_or_null<StripedAttr>(getLayout(tile));
      if (!striped || tile.getRank() != 2 || store.getDims().back() != 1)
        return;
      int64_t results = tile.getDimSize(1);
      APInt valid;
      if (!store.getValid().empty()) {
        if (!matchPattern(store.getValid().back(), m_ConstantInt(&valid)))
          return;
        results = std::max<int64_t>(valid.getSExtValue(), 1);
      }
      int64_t columns = llvm::alignTo(results, striped.getColumnThreads());
      // A lane that has all ranks stores them together.
      bool areShared = striped.getColumnThreads() > 1;
      if ((areShared || columns < tile.getDimSize(1)) &&
          hasChoices(store.getTile()))
        if (Value ranks =
                RankTiles(store, tile, columns).narrow(store.getTile())) {
          store.getTileMutable().assign(ranks);
          // Elements are stored one by one, wherever a row starts.
          store.setAligned(0);
        }
    });
    eraseDeadOps(getOperation());
  }

  static bool hasChoices(Value tile) {
    if (!choicesOf(tile).empty())
      return true;
    Operation *op = tile.getDefiningOp();
    return op && OpTrait::hasElementwiseMappableTraits(op) &&
           llvm::any_of(op->getOperands(), hasChoices);
  }
};
} // namespace
