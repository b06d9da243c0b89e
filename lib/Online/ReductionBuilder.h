//===- ReductionBuilder.h - state ops for one reduction ---------*- C++ -*-===//
#ifndef SMX_LIB_ONLINE_REDUCTIONBUILDER_H
#define SMX_LIB_ONLINE_REDUCTIONBUILDER_H

#include "smx/IR/MapElements.h"
#include "smx/IR/Smx.h"

namespace mlir::smx {

/// Builds the state ops of one reduction from the maps of its tensors.
struct ReductionBuilder {
  OpBuilder &builder;
  Location loc;
  StateAlgebraAttrInterface algebra;
  unsigned rows, dims;

  AffineMap map(ArrayRef<unsigned> positions) {
    SmallVector<AffineExpr> exprs;
    for (unsigned position : positions)
      exprs.push_back(builder.getAffineDimExpr(position));
    return AffineMap::get(dims, 0, exprs, builder.getContext());
  }
  AffineMap rowMap() { return map(llvm::to_vector(llvm::seq(0u, rows))); }
  /// Rows, then columns: how an accumulator lies.
  AffineMap accumulatorMap() {
    SmallVector<unsigned> positions;
    for (unsigned dim = 0; dim < dims; ++dim)
      if (dim != rows)
        positions.push_back(dim);
    return map(positions);
  }

  /// `stateSizes` has the mixed sizes of every state component, `elements` the
  /// types of their elements.
  SmallVector<Value> identity(ArrayRef<SmallVector<OpFoldResult>> stateSizes,
                              ArrayRef<Type> elements) {
    SmallVector<Type> types;
    SmallVector<Value> extents;
    for (auto [sizes, element] : llvm::zip_equal(stateSizes, elements)) {
      SmallVector<int64_t> shape;
      for (OpFoldResult size : sizes) {
        std::optional<int64_t> constant = getConstantIntValue(size);
        shape.push_back(constant.value_or(ShapedType::kDynamic));
        if (!constant)
          extents.push_back(cast<Value>(size));
      }
      types.push_back(RankedTensorType::get(shape, element));
    }
    return IdentityOp::create(builder, loc, types, algebra, extents)
        .getResults();
  }
  SmallVector<Value> update(ValueRange state, ValueRange inputs,
                            ArrayRef<AffineMap> maps, bool masked = false) {
    return UpdateOp::create(builder, loc, state.getTypes(), algebra, state,
                            inputs, builder.getAffineMapArrayAttr(maps), masked)
        .getResults();
  }
  Value finish(StringRef quantity, ValueRange state, ValueRange inputs,
               ArrayRef<AffineMap> maps, Type type) {
    return FinishOp::create(builder, loc, type, algebra, quantity, state,
                            inputs, builder.getAffineMapArrayAttr(maps));
  }
};

/// A reduction of `inputs`, tensors of one shape, over `axis`, whose state
/// components are one value per row. A row op over axis a of a tensor of rank n
/// has the domain (rows..., stream): its rows are the other axes in order.
class OnlineReduction {
public:
  OnlineReduction(OpBuilder &builder, Location loc,
                  StateAlgebraAttrInterface algebra, ValueRange inputs,
                  unsigned axis)
      : OnlineReduction(
            builder, loc, algebra, inputs, axis,
            SmallVector<Type>(algebra.getStateCount().first,
                              getAccumulatorType(cast<RankedTensorType>(
                                                     inputs.front().getType())
                                                     .getElementType()))) {}
  /// The same with state components of other types.
  OnlineReduction(OpBuilder &builder, Location loc,
                  StateAlgebraAttrInterface algebra, ValueRange inputs,
                  unsigned axis, ArrayRef<Type> elements);

  /// A quantity of the finished state. Inputs and result are of the shape that
  /// was reduced, or have one value per row.
  Value finish(StringRef quantity, ValueRange inputs, Type type);

  ArrayRef<OpFoldResult> getRowSizes() const { return rowSizes; }

private:
  AffineMap mapOf(Type type) {
    bool isStreamed =
        cast<RankedTensorType>(type).getRank() > int64_t(reduction.rows);
    return isStreamed ? all : reduction.rowMap();
  }

  ReductionBuilder reduction;
  AffineMap all;
  SmallVector<OpFoldResult> rowSizes;
  SmallVector<Value> state;
};

/// `tensor` in f64 if one of `others` has elements of that type: a result is as
/// exact as its own type and all that it is computed from.
Value widened(OpBuilder &builder, Location loc, Value tensor,
              ArrayRef<Type> others);

/// The scores as they are reduced for a result with elements of type `wanted`;
/// `scale` becomes its magnitude.
Value normalizedScores(OpBuilder &builder, Location loc, Value scores,
                       double &scale, Type wanted);

} // namespace mlir::smx

#endif // SMX_LIB_ONLINE_REDUCTIONBUILDER_H
