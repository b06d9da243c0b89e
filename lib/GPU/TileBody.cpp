//===- TileBody.cpp - elementwise bodies and reductions on tiles ----------===//
//
// The body of a linalg.generic is written on whole tiles. A value that only
// depends on per-row values is computed per row, one that depends on neither
// once.
//
//===----------------------------------------------------------------------===//

#include "TileConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using Class = TileClasses::Class;

/// How `yielded` combines a value with the running one, and that value.
static std::optional<std::pair<Combiner, Value>>
matchCombiner(Value yielded, BlockArgument running) {
  Operation *op = yielded.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto otherOf = [&](Value x, Value y) {
    return x == running ? y : y == running ? x : Value();
  };
  std::optional<Combiner> kind =
      llvm::TypeSwitch<Operation *, std::optional<Combiner>>(op)
          .Case<arith::AddFOp>([](auto) { return Combiner::Add; })
          .Case<arith::MulFOp>([](auto) { return Combiner::Mul; })
          .Case<arith::MaximumFOp>([](auto) { return Combiner::Maximum; })
          .Case<arith::MaxNumFOp>([](auto) { return Combiner::MaxNum; })
          .Case<arith::MinimumFOp>([](auto) { return Combiner::Minimum; })
          .Case<arith::MinNumFOp>([](auto) { return Combiner::MinNum; })
          .Default([](auto) { return std::nullopt; });
  if (kind)
    if (Value other = otherOf(op->getOperand(0), op->getOperand(1)))
      return std::pair(*kind, other);
  // select(x > running, x, running): the larger, NaN of x passed over.
  auto select = dyn_cast<arith::SelectOp>(op);
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || select.getFalseValue() != running ||
      compare.getLhs() != select.getTrueValue() || compare.getRhs() != running)
    return std::nullopt;
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::OGE:
    return std::pair(Combiner::MaxNum, select.getTrueValue());
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::OLE:
    return std::pair(Combiner::MinNum, select.getTrueValue());
  default:
    return std::nullopt;
  }
}

/// What changes nothing when it is combined.
static FloatAttr identityOf(Combiner kind, Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  switch (kind) {
  case Combiner::Add:
    return FloatAttr::get(type, 0.0);
  case Combiner::Mul:
    return FloatAttr::get(type, 1.0);
  case Combiner::Maximum:
  case Combiner::MaxNum:
    return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
  case Combiner::Minimum:
  case Combiner::MinNum:
    return FloatAttr::get(type, APFloat::getInf(semantics));
  }
  llvm_unreachable("all combiners are listed");
}

static Value combine(OpBuilder &builder, Location loc, Combiner kind, Value x,
                     Value y) {
  switch (kind) {
  case Combiner::Add:
    return arith::AddFOp::create(builder, loc, x, y);
  case Combiner::Mul:
    return arith::MulFOp::create(builder, loc, x, y);
  case Combiner::Maximum:
    return arith::MaximumFOp::create(builder, loc, x, y);
  case Combiner::MaxNum:
    return arith::MaxNumFOp::create(builder, loc, x, y);
  case Combiner::Minimum:
    return arith::MinimumFOp::create(builder, loc, x, y);
  case Combiner::MinNum:
    return arith::MinNumFOp::create(builder, loc, x, y);
  }
  llvm_unreachable("all combiners are listed");
}

namespace mlir::smx::gpu {
/// One generic, on tiles.
class BodyConverter {
public:
  BodyConverter(TileConverter &tiles, linalg::GenericOp op)
      : tiles(tiles), op(op), builder(tiles.builder) {}

  LogicalResult run();

private:
  LogicalResult bindArguments();
  LogicalResult convertOp(Operation *inner);
  LogicalResult convertExtract(tensor::ExtractOp extract);
  LogicalResult convertResult(unsigned number);
  /// The tile, slice or scalar that stands for `value` in the body.
  Value valueOf(Value value) {
    Value known = values.lookupOrNull(value);
    return known ? known : tiles.scalarOf(value);
  }
  RankedTensorType fullType(Type elementType) {
    return tiles.tileType(other, elementType);
  }
  /// The wider of the forms of `operands`: a tile, a slice, or null for
  /// scalars.
  RankedTensorType widestForm(ValueRange operands);
  FailureOr<Value> position(linalg::IndexOp index);
  bool isRunning(Value value);

  TileConverter &tiles;
  linalg::GenericOp op;
  OpBuilder &builder;
  SmallVector<Class> loops;
  std::optional<Class> other;
  IRMapping values;
};
} // namespace mlir::smx::gpu

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
  return PositionOp::create(builder, index.getLoc(), fullType(indexType),
                            1 - schedule.rowDim)
      .getTile();
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

/// A captured tensor, read at places that the body computes. Places of padding
/// may be out of range, and are brought back into it.
LogicalResult BodyConverter::convertExtract(tensor::ExtractOp extract) {
  GlobalView *view = tiles.viewOf(extract.getTensor());
  if (!view)
    return extract.emitOpError("expected to read from a tensor in memory");
  Location loc = extract.getLoc();
  SmallVector<Value> places = llvm::map_to_vector(
      extract.getIndices(), [&](Value index) { return valueOf(index); });
  RankedTensorType form = widestForm(places);
  if (!form)
    form = tiles.tileType(std::nullopt, builder.getIndexType());
  form = form.clone(builder.getIndexType());
  SmallVector<Value> indices(places.size());
  for (auto [dim, place] : llvm::enumerate(places)) {
    OpFoldResult offset = view->offsets[view->dims[dim]];
    Value index = tiles.widened(place, form);
    if (isa<RankedTensorType>(place.getType())) {
      Value extent =
          memref::DimOp::create(builder, loc, view->memref, view->dims[dim]);
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      Value last = arith::SubIOp::create(builder, loc, extent, one);
      index = arith::MinSIOp::create(builder, loc, index,
                                     tiles.widened(last, form));
    }
    if (!isConstantIntValue(offset, 0))
      index = arith::AddIOp::create(
          builder, loc, index,
          tiles.widened(getValueOrCreateConstantIndexOp(builder, loc, offset),
                        form));
    indices[view->dims[dim]] = index;
  }
  Type elementType = getElementTypeOrSelf(extract.getTensor().getType());
  values.map(extract.getResult(),
             GatherOp::create(builder, loc, form.clone(elementType),
                              view->memref, indices)
                 .getTile());
  return success();
}

LogicalResult BodyConverter::convertResult(unsigned number) {
  OpOperand *init = op.getDpsInitOperand(number);
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  Value result = op.getResult(number);
  FailureOr<RankedTensorType> type = tiles.tileTypeOf(result, op);
  if (failed(type))
    return failure();
  AffineMap map = op.getMatchingIndexingMap(init);
  std::optional<Class> reduced;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && !map.isFunctionOfDim(loop))
      reduced = loops[loop];
  if (!reduced) {
    tiles.tiles[result] = tiles.widened(valueOf(yielded), *type);
    return success();
  }
  BlockArgument running = op.getMatchingBlockArgument(init);
  auto combiner = matchCombiner(yielded, running);
  if (!combiner)
    return op->emitOpError("reduces by something other than a sum, a product, "
                           "a maximum or a minimum");
  auto [kind, value] = *combiner;
  Location loc = op.getLoc();
  FailureOr<Value> start = tiles.tileOf(init->get(), op);
  if (failed(start))
    return failure();
  Type elementType = getElementTypeOrSelf(running.getType());
  int64_t reducedDim = 1 - tiles.schedule.rowDim;
  Value tile = tiles.widened(valueOf(value), fullType(elementType));
  tile = tiles.withPadding(tile, *reduced, reducedDim,
                           identityOf(kind, elementType));
  Value combined =
      ReduceOp::create(builder, loc, *type, kind, tile, reducedDim);
  tiles.tiles[result] = combine(builder, loc, kind, combined, *start);
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
