//===- StreamingReduction.cpp - the streaming reduction of smx.update -----===//

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::smx;

OpFoldResult mlir::smx::getExtent(OpBuilder &builder, Location loc,
                                  Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (auto mask = tensor.getDefiningOp<MaskOp>())
    return getExtent(builder, loc, mask.getInput(), dim);
  if (auto paged = tensor.getDefiningOp<PagedOp>()) {
    ReifiedRankedShapedTypeDims sizes;
    if (succeeded(paged.reifyResultShapes(builder, sizes)))
      return sizes[0][dim];
  }
  if (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>())
    return getExtent(builder, loc,
                     op.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getDynamicSize(dim);
  auto identity = tensor.getDefiningOp<IdentityOp>();
  if (!identity)
    return tensor::getMixedSize(builder, loc, tensor, dim);
  // Extents are listed in the order in which the types show them.
  unsigned number = cast<OpResult>(tensor).getResultNumber(), index = 0;
  for (Value state : identity.getStates().take_front(number))
    index += cast<RankedTensorType>(state.getType()).getNumDynamicDims();
  return identity.getExtents()[index + type.getDynamicDimIndex(dim)];
}

//===----------------------------------------------------------------------===//
// What the maps say
//===----------------------------------------------------------------------===//

unsigned StreamingReductionOpInterface::getNumRows() {
  return getOperandMaps().front().getNumResults();
}

unsigned StreamingReductionOpInterface::getNumDims() {
  return getOperandMaps().front().getNumDims();
}

SmallVector<OpFoldResult>
StreamingReductionOpInterface::getDomainSizes(OpBuilder &builder,
                                              Location loc) {
  SmallVector<OpFoldResult> sizes(getNumDims());
  SmallVector<Value> operands(getStateOperands());
  llvm::append_range(operands, getInputOperands());
  for (auto [operand, map] : llvm::zip_equal(operands, getOperandMaps())) {
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      OpFoldResult &size = sizes[dim.getPosition()];
      // A static extent wins over a dynamic one of another operand.
      auto type = cast<RankedTensorType>(operand.getType());
      if (!size || (isa<Value>(size) && !type.isDynamicDim(position)))
        size = getExtent(builder, loc, operand, position);
    }
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// smx.update
//===----------------------------------------------------------------------===//

ValueRange UpdateOp::getStateOperands() { return getStates(); }
ValueRange UpdateOp::getInputOperands() { return getInputs(); }
bool UpdateOp::mayBeMasked() { return getMasked(); }

SmallVector<AffineMap> UpdateOp::getOperandMaps() {
  return llvm::to_vector(getMaps().getAsValueRange<AffineMapAttr>());
}

/// The type of `like` with the extents that `map` takes from `sizes`; dynamic
/// extents are appended to `extents`.
static RankedTensorType resizedType(Value like, AffineMap map,
                                    ArrayRef<OpFoldResult> sizes,
                                    SmallVectorImpl<Value> &extents) {
  SmallVector<int64_t> shape;
  for (AffineExpr expr : map.getResults()) {
    OpFoldResult size = sizes[cast<AffineDimExpr>(expr).getPosition()];
    std::optional<int64_t> constant = getConstantIntValue(size);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      extents.push_back(cast<Value>(size));
  }
  return RankedTensorType::get(
      shape, cast<RankedTensorType>(like.getType()).getElementType());
}

SmallVector<Value> UpdateOp::buildIdentity(OpBuilder &builder, Location loc,
                                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<Type> types;
  SmallVector<Value> extents;
  SmallVector<AffineMap> maps = getOperandMaps();
  for (auto [state, map] : llvm::zip(getStates(), maps))
    types.push_back(resizedType(state, map, sizes, extents));
  return IdentityOp::create(builder, loc, types, getAlgebra(), extents)
      .getResults();
}

SmallVector<Value> UpdateOp::buildUpdate(OpBuilder &builder, Location loc,
                                         ValueRange state, ValueRange inputs,
                                         bool masked) {
  return UpdateOp::create(builder, loc, state.getTypes(), getAlgebra(), state,
                          inputs, getMaps(), masked)
      .getResults();
}

SmallVector<Value> UpdateOp::buildMerge(OpBuilder &builder, Location loc,
                                        ValueRange lhs, ValueRange rhs) {
  // The merge's domain is that of the state: the stream dimension goes.
  SmallVector<AffineMap> operandMaps = getOperandMaps();
  unsigned stream = operandMaps.front().getNumResults();
  SmallVector<Attribute> maps;
  for (AffineMap map : ArrayRef(operandMaps).drop_back(getInputs().size())) {
    llvm::SmallBitVector dropped(map.getNumDims());
    dropped.set(stream);
    maps.push_back(AffineMapAttr::get(projectDims(map, dropped, true)));
  }
  return MergeOp::create(builder, loc, lhs.getTypes(), getAlgebra(), lhs, rhs,
                         builder.getArrayAttr(maps))
      .getResults();
}

Value UpdateOp::buildFinish(OpBuilder &builder, Location loc, Operation *finish,
                            ValueRange state, ValueRange inputs,
                            ArrayRef<OpFoldResult> sizes) {
  auto like = cast<FinishOp>(finish);
  SmallVector<Value> extents;
  RankedTensorType type =
      resizedType(like.getResult(), like.getResultMap(), sizes, extents);
  return FinishOp::create(builder, loc, type, like.getAlgebra(),
                          like.getQuantity(), state, inputs, like.getMaps());
}
