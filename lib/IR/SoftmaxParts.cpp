//===- SoftmaxParts.cpp - many states (m, l, ..) become one ---------------===//

#include "SoftmaxArithmetic.h"

using namespace mlir;
using namespace mlir::smx;

SmallVector<Value> SoftmaxAlgebraAttr::expandParts(OpBuilder &builder,
                                                   Operation *operation) const {
  UpdateOperands update(operation);
  ValueRange states = update.states;
  AffineMap row = update.row;
  unsigned stream = update.stream;
  SoftmaxArithmetic soft = arithmeticOf(*this, states[0]);
  TileOperand maxima = update.input(0), sums = update.input(1);
  TileArithmetic tile{builder, update.loc()};

  Value identity = filledLike(builder, update.loc(), states[0],
                              -std::numeric_limits<double>::infinity());
  Value largest =
      tile.reduce("maximum of parts", {maxima}, {{identity, row}}, {stream},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    return {m.max(v[0], v[1])};
                  })[0];
  auto fresh = [&]() -> TileOperand {
    return {emptyLike(builder, update.loc(), states[0], soft.type), row};
  };
  bool givesReferences = update.op->hasAttr(givesReferencesAttribute);
  SmallVector<TileOperand> next{
      {states[0], row}, fresh(), fresh(), {states[1], row}};
  if (givesReferences)
    next.push_back(fresh());
  SmallVector<Value> moved =
      tile.mapOnto("running maximum and rescale factor",
                   {{states[0], row}, {states[1], row}, {largest, row}}, next,
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     Value maximum = m.max(v[2], v[0]);
                     Value reference = soft.guarded(m, maximum);
                     Value factor = soft.rescale(m, v[0], reference);
                     SmallVector<Value> results{maximum, reference, factor,
                                                m.mul(v[1], factor)};
                     if (givesReferences)
                       results.push_back(soft.guarded(m, v[0]));
                     return results;
                   });
  if (states.size() == 2) {
    Value sum = tile.reduce(
        "sum of parts", {maxima, sums, {moved[1], row}}, {{moved[3], row}},
        {stream}, [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
          return {m.add(m.mul(soft.rescale(m, v[0], v[2]), v[1]), v[3])};
        })[0];
    if (givesReferences)
      return {moved[0], sum, moved[1], moved[4]};
    return {moved[0], sum};
  }
  AffineMap accMap = update.maps[2];
  Value weights = emptyLike(builder, update.loc(), maxima.tensor, soft.type);
  SmallVector<Value> summed =
      tile.reduce("weights and sum of parts", {maxima, sums, {moved[1], row}},
                  {{weights, maxima.map}, {moved[3], row}}, {stream},
                  [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                    Value weight = soft.rescale(m, v[0], v[2]);
                    return {weight, m.add(m.mul(weight, v[1]), v[4])};
                  });
  Value rescaled =
      tile.mapInto("rescale", {{moved[2], row}}, {states[2], accMap},
                   [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
                     return {m.mul(v[1], v[0])};
                   });
  Value accumulator = tile.reduce(
      "accumulate parts", {{summed[0], maxima.map}, update.input(2)},
      {{rescaled, accMap}}, {stream},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        return {m.add(m.mul(v[0], v[1]), v[2])};
      })[0];
  return {moved[0], summed[1], accumulator};
}

SmallVector<Value> mlir::smx::expandPartsOfSoftmax(OpBuilder &builder,
                                                   SoftmaxAlgebraAttr softmax,
                                                   UpdateOperands &update,
                                                   bool givesReferences) {
  ValueRange states = update.states.take_front(2);
  AffineMap row = update.row, along = update.input(0).map;
  auto part =
      UpdateOp::create(builder, update.loc(), states.getTypes(),
                       PartsAlgebraAttr::get(builder.getContext(), softmax),
                       states, update.op.getInputs().take_front(2),
                       builder.getAffineMapArrayAttr({row, row, along, along}),
                       /*masked=*/false);
  if (givesReferences)
    part->setAttr(givesReferencesAttribute, builder.getUnitAttr());
  SmallVector<Value> next = softmax.expandParts(builder, part);
  part.erase();
  return next;
}
