//===- ReductionBuilder.cpp - state ops for one reduction -----------------===//

#include "ReductionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::smx;

OnlineReduction::OnlineReduction(OpBuilder &builder, Location loc,
                                 StateAlgebraAttrInterface algebra,
                                 ValueRange inputs, unsigned axis,
                                 ArrayRef<Type> elements)
    : reduction{builder, loc, algebra, 0, 0} {
  auto type = cast<RankedTensorType>(inputs.front().getType());
  unsigned rows = type.getRank() - 1;
  reduction.rows = rows;
  reduction.dims = rows + 1;
  SmallVector<unsigned> positions;
  for (unsigned dim = 0; dim <= rows; ++dim) {
    positions.push_back(dim == axis ? rows : rowSizes.size());
    if (dim != axis)
      rowSizes.push_back(getExtent(builder, loc, inputs.front(), dim));
  }
  all = reduction.map(positions);
  state = reduction.identity(
      SmallVector<SmallVector<OpFoldResult>>(elements.size(), rowSizes),
      elements);
  SmallVector<AffineMap> maps(elements.size(), reduction.rowMap());
  maps.append(inputs.size(), all);
  state = reduction.update(state, inputs, maps);
}

Value OnlineReduction::finish(StringRef quantity, ValueRange inputs,
                              Type type) {
  SmallVector<AffineMap> maps(state.size(), reduction.rowMap());
  for (Type input : inputs.getTypes())
    maps.push_back(mapOf(input));
  maps.push_back(mapOf(type));
  return reduction.finish(quantity, state, inputs, maps, type);
}

Value mlir::smx::widened(OpBuilder &builder, Location loc, Value tensor,
                         ArrayRef<Type> others) {
  bool isWide = llvm::any_of(
      others, [](Type type) { return getElementTypeOrSelf(type).isF64(); });
  if (!isWide || getElementTypeOrSelf(tensor).isF64())
    return tensor;
  return extended(builder, loc, tensor, builder.getF64Type());
}

Value mlir::smx::normalizedScores(OpBuilder &builder, Location loc,
                                  Value scores, double &scale, Type wanted) {
  Type element = getElementTypeOrSelf(scores.getType());
  // How exact a weight has to be is decided by the type of its score: a
  // result with more bits than the scores has weights of as many.
  if (wanted.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth())
    scores = extended(builder, loc, scores, wanted);
  if (scale > 0)
    return scores;
  // Only a positive scale commutes with the maximum; -scores is exact.
  scale = -scale;
  return mapElements(builder, loc, scores,
                     getElementTypeOrSelf(scores.getType()),
                     [](OpBuilder &b, Location loc, Value x) -> Value {
                       return arith::NegFOp::create(b, loc, x);
                     });
}
