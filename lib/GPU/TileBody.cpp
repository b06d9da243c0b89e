//===- TileBody.cpp - elementwise bodies and reductions on tiles ----------===//
//
// The body of a linalg.generic is written on whole tiles. A value that only
// depends on per-row values is computed per row, one that depends on neither
// once.
//
//===----------------------------------------------------------------------===//

#include "TileBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using Class = TileClasses::Class;

RankedTensorType BodyConverter::widestForm(ValueRange operands) {
  RankedTensorType widest;
  for (Value operand : operands)
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      if (!widest || type.getRank() > widest.getRank())
        widest = type;
  return widest;
}

LogicalResult BodyConverter::bindArguments() {
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    if (!isa<RankedTensorType>(operand.get().getType())) {
      values.map(argument, tiles.scalarOf(operand.get()));
      continue;
    }
    FailureOr<Value> tile = tiles.tileOf(operand.get(), op);
    if (failed(tile))
      return failure();
    values.map(argument, *tile);
  }
  return success();
}

/// The number of an element along a dimension of the iteration.
FailureOr<Value> BodyConverter::position(linalg::IndexOp index) {
  Class c = loops[index.getDim()];
  Type indexType = builder.getIndexType();
  const BlockSchedule &schedule = tiles.schedule;
  if (c == schedule.rows)
    return PositionOp::create(builder, index.getLoc(),
                              tiles.tileType(std::nullopt, indexType), 0)
        .getTile();
  if (!schedule.isTiled(c, tiles.classes))
    return Value(arith::ConstantIndexOp::create(builder, index.getLoc(), 0));
  return tiles.positionsOf(index.getLoc(), fullType(indexType),
                           1 - schedule.rowDim, c);
}

LogicalResult BodyConverter::convertOp(Operation *inner) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    FailureOr<Value> number = position(index);
    if (failed(number))
      return failure();
    values.map(index.getResult(), *number);
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
    return convertExtract(extract);
  if (auto assertion = dyn_cast<cf::AssertOp>(inner)) {
    convertAssert(assertion);
    return success();
  }
  if (inner->getNumRegions() != 0 || !isMemoryEffectFree(inner))
    return inner->emitOpError("has no form on tiles of a thread block");
  SmallVector<Value> operands = llvm::map_to_vector(
      inner->getOperands(), [&](Value operand) { return valueOf(operand); });
  RankedTensorType form = widestForm(operands);
  if (form && !OpTrait::hasElementwiseMappableTraits(inner))
    return inner->emitOpError("has no form on tiles of a thread block");
  IRMapping mapping;
  for (auto [original, operand] : llvm::zip(inner->getOperands(), operands))
    mapping.map(original,
                form ? tiles.widened(operand, form.clone(getElementTypeOrSelf(
                                                  operand.getType())))
                     : operand);
  Operation *copy = inner->clone(mapping);
  if (form)
    for (OpResult result : copy->getResults())
      result.setType(form.clone(result.getType()));
  builder.insert(copy);
  values.map(inner->getResults(), copy->getResults());
  return success();
}

SmallVector<std::optional<Class>> BodyConverter::dimsOf(RankedTensorType form) {
  if (form.getRank() == 1)
    return {tiles.schedule.rows};
  return tiles.tileDimsOf(other);
}

Value BodyConverter::insideOf(RankedTensorType form) {
  Location loc = op.getLoc();
  RankedTensorType indices = form.clone(builder.getIndexType());
  Value inside;
  for (auto [dim, c] : llvm::enumerate(dimsOf(form))) {
    int64_t padded = form.getDimSize(dim);
    if (c ? !tiles.isPadded(*c, padded) : padded == 1)
      continue;
    Value extent = tiles.indexOf(c ? tiles.classes.extentOf(*c)
                                   : OpFoldResult(builder.getIndexAttr(1)));
    Value position = tiles.positionsOf(loc, indices, dim, c);
    Value isLess =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, position,
                              tiles.splat(extent, indices));
    inside =
        inside ? arith::AndIOp::create(builder, loc, inside, isLess) : isLess;
  }
  return inside;
}

/// Padding asserts nothing.
void BodyConverter::convertAssert(cf::AssertOp assertion) {
  Location loc = assertion.getLoc();
  Value holds = valueOf(assertion.getArg());
  auto form = dyn_cast<RankedTensorType>(holds.getType());
  if (!form)
    form = tiles.tileType(std::nullopt, builder.getI1Type());
  holds = tiles.widened(holds, form);
  if (Value inside = insideOf(form)) {
    Value always = arith::ConstantOp::create(
        builder, loc, form, DenseElementsAttr::get(form, true));
    holds = arith::SelectOp::create(builder, loc, inside, holds, always);
  }
  AssertOp::create(builder, loc, holds, assertion.getMsg());
}

LogicalResult BodyConverter::convertResult(unsigned number) {
  OpOperand *init = op.getDpsInitOperand(number);
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  Value result = op.getResult(number);
  FailureOr<RankedTensorType> type = tiles.tileTypeOf(result, op);
  if (failed(type))
    return failure();
  AffineMap map = op.getMatchingIndexingMap(init);
  // Of several dimensions that are reduced the tile has one; the others have
  // one element.
  std::optional<Class> reduced;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && !map.isFunctionOfDim(loop) &&
        (!reduced || loops[loop] == other))
      reduced = loops[loop];
  if (!reduced) {
    tiles.tiles[result] = tiles.widened(valueOf(yielded), *type);
    return success();
  }
  if (reduced == tiles.schedule.rows)
    return op.emitOpError("reduces along the rows of its tile, which another "
                          "reduction leaves; a loop over tiles of its own "
                          "would work");
  FailureOr<Value> tile = convertReduction(number, *type, *reduced);
  if (failed(tile))
    return failure();
  tiles.tiles[result] = *tile;
  return success();
}

/// True for the argument that holds what a reduction has combined so far.
bool BodyConverter::isRunning(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() < op.getNumDpsInputs())
    return false;
  AffineMap map = op.getMatchingIndexingMap(
      op.getDpsInitOperand(argument.getArgNumber() - op.getNumDpsInputs()));
  return llvm::any_of(llvm::enumerate(op.getIteratorTypesArray()),
                      [&](auto kind) {
                        return kind.value() == utils::IteratorType::reduction &&
                               !map.isFunctionOfDim(kind.index());
                      });
}

LogicalResult BodyConverter::run() {
  loops = tiles.classes.iterationClassesOf(op);
  FailureOr<std::optional<Class>> found = tiles.otherClass(loops, op);
  if (failed(found))
    return failure();
  other = *found;
  // A reduction over a dimension of one element still reduces a tile.
  if (!other && op.getNumReductionLoops() != 0)
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction)
        other = loops[loop];
  if (failed(bindArguments()))
    return failure();
  for (Operation &inner : op.getBlock()->without_terminator()) {
    // What combines with the running value is done by the reduction.
    bool isCombiner = llvm::any_of(
        inner.getOperands(), [&](Value operand) { return isRunning(operand); });
    if (!isCombiner && failed(convertOp(&inner)))
      return failure();
  }
  for (unsigned number = 0; number < op.getNumDpsInits(); ++number)
    if (failed(convertResult(number)))
      return failure();
  return success();
}

LogicalResult TileConverter::convertGeneric(linalg::GenericOp op) {
  return BodyConverter(*this, op).run();
}
