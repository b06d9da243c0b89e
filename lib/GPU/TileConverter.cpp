//===- TileConverter.cpp - tensors of a loop nest become tiles ------------===//

#include "TileConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using Class = TileClasses::Class;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

FailureOr<std::optional<Class>> TileConverter::otherClass(ArrayRef<Class> dims,
                                                          Operation *user) {
  std::optional<Class> other;
  for (Class c : dims) {
    if (!schedule.isTiled(c, classes))
      continue;
    if (classes.boundOf(c) == ShapedType::kDynamic)
      return user->emitOpError(
          "expected tiles of bounded size, got a dimension that no loop cuts; "
          "a static size (of the head dim, say) would work");
    if (other && other != c)
      return user->emitOpError("expected tiles of at most one dimension beside "
                               "the rows, got two");
    other = c;
  }
  return other;
}

RankedTensorType TileConverter::tileType(std::optional<Class> other,
                                         Type elementType) {
  Attribute slice = SliceAttr::get(builder.getContext(), 1 - schedule.rowDim,
                                   schedule.layout);
  if (!other)
    return RankedTensorType::get({schedule.rowExtent}, elementType, slice);
  int64_t extent = schedule.paddedExtent(*other, classes);
  SmallVector<int64_t, 2> shape{schedule.rowExtent, extent};
  if (schedule.rowDim == 1)
    std::swap(shape[0], shape[1]);
  return RankedTensorType::get(shape, elementType, schedule.layout);
}

FailureOr<RankedTensorType> TileConverter::tileTypeOf(Value tensor,
                                                      Operation *user) {
  FailureOr<std::optional<Class>> other =
      otherClass(classes.classesOf(tensor), user);
  if (failed(other))
    return failure();
  return tileType(*other, getElementTypeOrSelf(tensor.getType()));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TileConverter::scalarOf(Value value) {
  if (Value known = scalars.lookupOrNull(value))
    return known;
  Value inKernel = outside(value);
  scalars.map(value, inKernel);
  return inKernel;
}

Value TileConverter::indexOf(OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return arith::ConstantIndexOp::create(builder, builder.getUnknownLoc(),
                                          *constant);
  return scalarOf(cast<Value>(value));
}

GlobalView *TileConverter::viewOf(Value tensor) {
  auto it = views.find(tensor);
  if (it != views.end())
    return &it->second;
  if (tiles.contains(tensor))
    return nullptr;
  GlobalView view = outsideTensor(tensor, {});
  return view.memref ? &(views[tensor] = view) : nullptr;
}

Value TileConverter::splat(Value scalar, RankedTensorType type) {
  Location loc = scalar.getLoc();
  if (auto constant = scalar.getDefiningOp<arith::ConstantOp>())
    return arith::ConstantOp::create(
        builder, loc, type, DenseElementsAttr::get(type, constant.getValue()));
  return tensor::SplatOp::create(builder, loc, scalar, type);
}

Value TileConverter::widened(Value value, RankedTensorType type) {
  auto from = dyn_cast<RankedTensorType>(value.getType());
  if (!from)
    return splat(value, type);
  if (from.getRank() == type.getRank())
    return value;
  return BroadcastOp::create(builder, value.getLoc(),
                             type.clone(from.getElementType()), value);
}

Value TileConverter::positionsOf(Location loc, RankedTensorType type,
                                 int64_t dim, std::optional<Class> c) {
  Value places =
      PositionOp::create(builder, loc, type, builder.getI64IntegerAttr(dim));
  if (!c || schedule.partsOf(*c) == 1)
    return places;
  return arith::AddIOp::create(builder, loc, places, splat(partStart, type));
}

Value TileConverter::inPart(Location loc, Class c, Value extent) {
  if (schedule.partsOf(c) == 1)
    return extent;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value left = arith::SubIOp::create(builder, loc, extent, partStart);
  return arith::MaxSIOp::create(builder, loc, left, zero);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult TileConverter::convertSlice(Operation *op, Value result,
                                          Value source,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> strides) {
  if (splatOf(source)) // Stays a constant.
    return success();
  GlobalView *of = viewOf(source);
  if (!of)
    return op->emitOpError("expected a slice of a tensor in memory, got one of "
                           "a computed tile");
  if (!llvm::all_of(strides, isOneInteger))
    return op->emitOpError("expected unit strides");
  views[result] = shifted(*of, op->getLoc(), offsets);
  if (destinations.contains(source)) {
    destinations.insert(result);
    return success();
  }
  return loadIfTile(op, result);
}

/// Loads a view here, once, for all that read it as a register tile.
LogicalResult TileConverter::loadIfTile(Operation *op, Value view) {
  bool isTile = llvm::any_of(view.getUses(), [&](OpOperand &use) {
    // What is not read in a body, or only moved, is loaded where it is used,
    // and the second operand of a product is not loaded at all, nor what it is
    // widened from.
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!generic || movedInput(generic) == &use || isWidenedOperand(generic))
      return false;
    std::optional<TileProduct> product = matchProduct(generic, classes);
    return !product || product->b != &use;
  });
  if (!isTile)
    return success();
  FailureOr<Value> tile = tileOf(view, op);
  if (failed(tile))
    return failure();
  tiles[view] = *tile;
  return success();
}

/// A transposed tile in memory is the same memory, seen along other dimensions.
LogicalResult TileConverter::convertTranspose(linalg::TransposeOp op) {
  GlobalView *of = viewOf(op.getInput());
  if (!of)
    return op.emitOpError("expected to transpose a tile in memory, got one "
                          "that this loop nest computes");
  GlobalView view = *of;
  for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
    view.dims[dim] = of->dims[from];
  Value result = op.getResult()[0];
  views[result] = view;
  return loadIfTile(op, result);
}

/// Tensors that rounds read whole, and so without a slice, are loaded once, in
/// front of the rounds.
LogicalResult TileConverter::loadAheadOf(scf::ForOp loop) {
  llvm::SetVector<Value> wholes;
  loop.getBody()->walk([&](linalg::GenericOp generic) {
    for (Value input : generic.getInputs())
      if (loop.isDefinedOutsideOfLoop(input) && !tiles.contains(input) &&
          !splatOf(input) && viewOf(input))
        wholes.insert(input);
  });
  for (Value whole : wholes)
    if (failed(loadIfTile(loop, whole)))
      return failure();
  return success();
}

LogicalResult TileConverter::convertLoop(scf::ForOp loop) {
  if (failed(loadAheadOf(loop)))
    return failure();
  SmallVector<Value> inits;
  for (auto [argument, init, result] : llvm::zip(
           loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
    if (!isa<RankedTensorType>(init.getType())) {
      inits.push_back(scalarOf(init));
      continue;
    }
    if (destinations.contains(init)) {
      setDestination(argument, views[init]);
      setDestination(result, views[init]);
      continue;
    }
    FailureOr<Value> tile = tileOf(init, loop);
    if (failed(tile))
      return failure();
    inits.push_back(*tile);
  }
  auto converted = scf::ForOp::create(
      builder, loop.getLoc(), scalarOf(loop.getLowerBound()),
      scalarOf(loop.getUpperBound()), scalarOf(loop.getStep()), inits);
  converted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  scalars.map(loop.getInductionVar(), converted.getInductionVar());
  auto bind = [&](ValueRange from, ValueRange to) {
    unsigned next = 0;
    for (Value value : from) {
      if (destinations.contains(value))
        continue;
      if (isa<RankedTensorType>(value.getType()))
        tiles[value] = to[next++];
      else
        scalars.map(value, to[next++]);
    }
  };
  bind(loop.getRegionIterArgs(), converted.getRegionIterArgs());
  bind(loop.getResults(), converted.getResults());
  OpBuilder::InsertionGuard guard(builder);
  if (!converted.getBody()->empty())
    converted.getBody()->back().erase();
  builder.setInsertionPointToEnd(converted.getBody());
  if (failed(convertBlock(loop.getBody())))
    return failure();
  SmallVector<Value> yielded;
  for (auto [argument, value] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    if (destinations.contains(argument))
      continue;
    if (!isa<RankedTensorType>(value.getType())) {
      yielded.push_back(scalarOf(value));
      continue;
    }
    FailureOr<Value> tile = tileOf(value, loop);
    if (failed(tile))
      return failure();
    yielded.push_back(*tile);
  }
  scf::YieldOp::create(builder, loop.getLoc(), yielded);
  return success();
}

LogicalResult TileConverter::convertFill(linalg::FillOp op) {
  FailureOr<RankedTensorType> type = tileTypeOf(op.getResult(0), op);
  if (failed(type))
    return failure();
  tiles[op.getResult(0)] = splat(scalarOf(op.getInputs()[0]), *type);
  return success();
}

LogicalResult TileConverter::convertBlock(Block *block) {
  for (Operation &op : block->without_terminator())
    if (failed(convert(&op)))
      return failure();
  return success();
}

LogicalResult TileConverter::convert(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (slice.getSourceType().getRank() != slice.getType().getRank())
      return op->emitOpError("expected a slice of the rank of its source");
    return convertSlice(op, slice, slice.getSource(), slice.getMixedOffsets(),
                        slice.getMixedStrides());
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    if (!destinations.contains(insert.getDest()))
      return op->emitOpError("expected to insert into a result of the nest");
    GlobalView view = views[insert.getDest()];
    if (failed(store(op->getLoc(), insert.getSource(), insert.getDest(),
                     insert.getMixedOffsets())))
      return failure();
    setDestination(insert.getResult(), view);
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return convertLoop(loop);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return convertFill(fill);
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return convertTranspose(transpose);
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (std::optional<TileProduct> product = matchProduct(generic, classes))
      return convertProduct(generic, *product);
    if (std::optional<GlobalView> view = viewOfRead(generic)) {
      views[generic.getResult(0)] = *view;
      return loadIfTile(generic, generic.getResult(0));
    }
    // Products do it, in shared memory.
    if (isWidenedOperand(generic))
      return success();
    return convertGeneric(generic);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return convertExtract(extract);
  if (isa<tensor::EmptyOp>(op))
    return success();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> position = dim.getConstantIndex();
    if (!position)
      return op->emitOpError("expected a constant dimension");
    Class c = classes.classOf(dim.getSource(), *position);
    if (!classes.extentOf(c))
      return op->emitOpError("expected the extent of a tile");
    scalars.map(dim.getResult(), indexOf(classes.extentOf(c)));
    return success();
  }
  if (auto castOp = dyn_cast<tensor::CastOp>(op)) {
    if (splatOf(castOp.getSource()))
      return success();
    if (GlobalView *view = viewOf(castOp.getSource())) {
      GlobalView same = *view;
      views[castOp.getResult()] = same;
      if (destinations.contains(castOp.getSource()))
        destinations.insert(castOp.getResult());
      return success();
    }
    if (Value tile = tiles.lookup(castOp.getSource())) {
      tiles[castOp.getResult()] = tile;
      return success();
    }
  }
  // Of one dimension and others of one element: the same tile.
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    if (Value tile = tiles.lookup(expand.getSrc())) {
      tiles[expand.getResult()] = tile;
      return success();
    }
  }
  bool isScalar = llvm::none_of(
      llvm::concat<Value>(op->getOperands(), op->getResults()),
      [](Value value) { return isa<TensorType>(value.getType()); });
  if (isScalar && op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
    for (Value operand : op->getOperands())
      (void)scalarOf(operand);
    builder.clone(*op, scalars);
    return success();
  }
  return op->emitOpError("has no form on tiles of a thread block");
}
