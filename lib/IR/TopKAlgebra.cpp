//===- TopKAlgebra.cpp - (m, l) beside the k largest keys -----------------===//

#include "SoftmaxArithmetic.h"
#include "smx/IR/FallingKeys.h"
#include "smx/IR/TopKKeys.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

LogicalResult
TopKAlgebraAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        SoftmaxAlgebraAttr, int64_t k) {
  if (k >= 1 && k <= mostTopK)
    return success();
  return emitError() << "expected k in [1, " << mostTopK << "], got " << k;
}

SmallVector<StringRef> TopKAlgebraAttr::getQuantities() const {
  SmallVector<StringRef> names;
  for (int64_t rank = 0; rank < getK(); ++rank)
    names.append({probabilityOfRank(rank), placeOfRank(rank)});
  return names;
}
std::pair<unsigned, unsigned> TopKAlgebraAttr::getStateCount() const {
  unsigned count = 2 + getK();
  return {count, count};
}
unsigned TopKAlgebraAttr::getInputCount(unsigned) const { return 2; }
unsigned TopKAlgebraAttr::getFinishInputCount(StringRef) const { return 0; }
unsigned TopKAlgebraAttr::getFinishStateCount(StringRef) const {
  return getStateCount().first;
}

static AffineMap rowMapOf(ArrayAttr maps) {
  return cast<AffineMapAttr>(maps[0]).getValue();
}

static SmallVector<Value> mergeKeys(OpBuilder &builder, Location loc,
                                    AffineMap row, ValueRange a, ValueRange b) {
  SmallVector<TileOperand> inputs, likes;
  for (Value key : a)
    likes.push_back({key, row});
  inputs = likes;
  for (Value key : b)
    inputs.push_back({key, row});
  return TileArithmetic{builder, loc}.map(
      "merge keys", inputs, likes,
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        return mergeFalling(
            v.take_front(a.size()), v.drop_front(a.size()), a.size(),
            [&](Value x, Value y) { return m.max(x, y); },
            [&](Value &x, Value &y) {
              Value isFalling = m.greater(x, y);
              Value larger = m.select(isFalling, x, y);
              y = m.select(isFalling, y, x);
              x = larger;
            });
      });
}

/// True for the keys of a state that has seen nothing.
static bool isNone(Value keys) {
  if (keys.getDefiningOp<IdentityOp>())
    return true;
  auto fill = keys.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_NegInfFloat());
}

/// The merge of `lists` and of the keys that were found.
static SmallVector<Value> withKeys(OpBuilder &builder, Location loc,
                                   AffineMap row, ValueRange lists,
                                   ArrayRef<Value> found) {
  // They are sorted already.
  if (llvm::all_of(lists, isNone))
    return SmallVector<Value>(found);
  return mergeKeys(builder, loc, row, lists, found);
}

/// As many keys of the tiles as there are `likes`, falling: the largest one
/// below the one before, each.
static SmallVector<Value> largestKeys(OpBuilder &builder, Location loc,
                                      AffineMap row,
                                      ArrayRef<TileOperand> tiles,
                                      ValueRange likes) {
  TileArithmetic tile{builder, loc};
  auto type = cast<FloatType>(getElementTypeOrSelf(likes[0].getType()));
  double minusInfinity = -std::numeric_limits<double>::infinity();
  SmallVector<Value> found;
  for (auto [rank, like] : llvm::enumerate(likes)) {
    SmallVector<TileOperand> inputs(tiles);
    if (rank != 0)
      inputs.push_back({found.back(), row});
    Value none = filledLike(builder, loc, like, minusInfinity);
    found.push_back(tile.reduce(
        "largest key left", inputs, {{none, row}}, {row.getNumResults()},
        [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
          Value largest;
          for (Value key : v.take_front(tiles.size())) {
            if (rank != 0)
              key = m.select(m.greater(v[tiles.size()], key), key,
                             m.constant(minusInfinity, type));
            largest = largest ? m.max(largest, key) : key;
          }
          return {m.max(largest, v.back())};
        })[0]);
  }
  return found;
}

SmallVector<Value> TopKAlgebraAttr::expandIdentity(OpBuilder &builder,
                                                   Operation *operation) const {
  return filledState(builder, cast<IdentityOp>(operation), [](unsigned number) {
    return number == 1 ? 0.0 : -std::numeric_limits<double>::infinity();
  });
}

std::optional<unsigned>
TopKAlgebraAttr::getDoubleSum(Operation *operation) const {
  auto op = cast<UpdateOp>(operation);
  SoftmaxArithmetic soft = arithmeticOf(getSoftmax(), op.getStates()[0]);
  return soft.doubleSum(getElementTypeOrSelf(op.getInputs()[0].getType()));
}

SmallVector<Value> TopKAlgebraAttr::expandUpdate(OpBuilder &builder,
                                                 Operation *operation) const {
  auto op = cast<UpdateOp>(operation);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ValueRange states = op.getStates(), lists = states.drop_front(2);
  AffineMap row = maps[0];
  AffineMap scores = maps[states.size()];
  auto part = UpdateOp::create(
      builder, op.getLoc(), states.take_front(2).getTypes(), getSoftmax(),
      states.take_front(2), op.getInputs().take_front(),
      builder.getAffineMapArrayAttr({row, row, scores}), op.getMasked());
  SoftmaxArithmetic soft = arithmeticOf(getSoftmax(), states[0]);
  // A probability may have more bits than its score.
  part->setAttr(bitsOfSumAttribute,
                builder.getI32IntegerAttr(soft.bitsFor(soft.type)));
  SmallVector<Value> next = getSoftmax().expandUpdate(builder, part);
  part.erase();

  SmallVector<Value> found = largestKeys(
      builder, op.getLoc(), row, {{op.getInputs()[1], maps.back()}}, lists);
  llvm::append_range(next, withKeys(builder, op.getLoc(), row, lists, found));
  return next;
}

int64_t TopKAlgebraAttr::getMergeBytes() const { return 128 * 1024; }

bool TopKAlgebraAttr::hasParts() const {
  return getSoftmax().hasParts() && getK() <= mostTopKOfParts;
}

SmallVector<Value> TopKAlgebraAttr::expandParts(OpBuilder &builder,
                                                Operation *operation) const {
  UpdateOperands update(operation);
  ValueRange lists = ValueRange(update.states).drop_front(2);
  AffineMap row = update.row;
  SmallVector<Value> next = expandPartsOfSoftmax(builder, getSoftmax(), update);
  // All lists for each rank: those of rows with NaN, which may come first as
  // one of the largest and has the lowest key, need not fall.
  SmallVector<TileOperand> keys;
  for (int64_t rank = 0; rank < getK(); ++rank)
    keys.push_back(update.input(2 + rank));
  SmallVector<Value> found =
      largestKeys(builder, update.loc(), row, keys, lists);
  llvm::append_range(next, withKeys(builder, update.loc(), row, lists, found));
  return next;
}

SmallVector<Value> TopKAlgebraAttr::expandMerge(OpBuilder &builder,
                                                Operation *operation) const {
  auto op = cast<MergeOp>(operation);
  AffineMap row = rowMapOf(op.getMaps());
  ValueRange a = op.getLhs(), b = op.getRhs();
  auto part = MergeOp::create(builder, op.getLoc(), a.take_front(2).getTypes(),
                              getSoftmax(), a.take_front(2), b.take_front(2),
                              builder.getAffineMapArrayAttr({row, row}));
  SmallVector<Value> merged = getSoftmax().expandMerge(builder, part);
  part.erase();
  llvm::append_range(merged, mergeKeys(builder, op.getLoc(), row,
                                       a.drop_front(2), b.drop_front(2)));
  return merged;
}

SmallVector<Value> TopKAlgebraAttr::expandFinish(OpBuilder &builder,
                                                 Operation *operation) const {
  auto op = cast<FinishOp>(operation);
  ValueRange states = op.getStates();
  AffineMap row = rowMapOf(op.getMaps()), result = op.getResultMap();
  SoftmaxArithmetic soft = arithmeticOf(getSoftmax(), states[0]);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto [isProbability, rank] = *rankOfQuantity(op.getQuantity());
  auto element = cast<FloatType>(type.getElementType());
  TileArithmetic tile{builder, op.getLoc()};
  Value empty = emptyFor(builder, op.getLoc(), type, states[0], row, result);
  SmallVector<TileOperand> inputs{{states[0], row}, {states[1], row}};
  // As softmax has it: the ranks of a row share its values.
  bool divides = element == soft.type;
  if (isProbability) {
    SmallVector<TileOperand> outputs(divides ? 2 : 1, {states[1], row});
    SmallVector<Value> inverses =
        tile.map("reciprocal of the sum", {{states[1], row}}, outputs,
                 [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                   if (!divides)
                     return {soft.reciprocal(m, v[0])};
                   auto [reciprocal, rest] = soft.exactReciprocal(m, v[0]);
                   return {reciprocal, rest};
                 });
    for (Value inverse : inverses)
      inputs.push_back({inverse, row});
  }
  inputs.push_back({states[2 + rank], row});
  return tile.map(
      op.getQuantity(), inputs, {{empty, result}},
      [&, isProbability = isProbability,
       rank = rank](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value key = v[inputs.size() - 1];
        auto wide = cast<FloatType>(key.getType());
        Value isNone = m.equal(
            key, m.constant(-std::numeric_limits<double>::infinity(), wide));
        if (isProbability) {
          Value score = m.cast(scoreOfKey(m.b, m.loc, key), soft.type);
          Value weight = soft.weight(m, score, soft.guarded(m, v[0]), soft.type,
                                     soft.bitsFor(soft.type));
          if (!divides)
            m.setBits(weight, soft.bitsOfNarrow);
          Value share = divides ? soft.quotient(m, weight, v[2], v[3])
                                : m.mul(weight, v[2]);
          share = m.select(isNone, m.constant(0.0, soft.type), share);
          return {m.cast(share, element)};
        }
        // A row that is NaN keeps its order, as far as it goes.
        Value isOrdered = m.greater(soft.infinity(m), v[1]);
        Value place = m.select(isOrdered, placeOfKey(m.b, m.loc, key),
                               m.constant(double(rank), wide));
        place = m.select(isNone, m.constant(-1.0, wide), place);
        return {m.cast(place, element)};
      });
}
