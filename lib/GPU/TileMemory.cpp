//===- TileMemory.cpp - tiles of global memory ----------------------------===//
//
// How tensors that lie in global memory are read and written as register tiles.
//
//===----------------------------------------------------------------------===//

#include "Multiples.h"
#include "TileConverter.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using Class = TileClasses::Class;

GlobalView TileConverter::shifted(GlobalView view, Location loc,
                                  ArrayRef<OpFoldResult> offsets) {
  for (auto [dim, offset] : llvm::zip_equal(view.dims, offsets)) {
    if (dim == -1 || isConstantIntValue(offset, 0))
      continue;
    OpFoldResult &sum = view.offsets[dim];
    Value by = indexOf(offset);
    sum = isConstantIntValue(sum, 0)
              ? by
              : arith::AddIOp::create(
                    builder, loc,
                    getValueOrCreateConstantIndexOp(builder, loc, sum), by)
                    .getResult();
  }
  return view;
}

TileConverter::Box TileConverter::boxOf(Value tensor, const GlobalView &view,
                                        ArrayRef<std::optional<Class>> tileDims,
                                        ArrayRef<int64_t> shape) {
  Box box;
  for (OpFoldResult offset : view.offsets)
    box.offsets.push_back(
        getValueOrCreateConstantIndexOp(builder, view.memref.getLoc(), offset));
  SmallVector<Class> dims = classes.classesOf(tensor);
  bool isPartial = false;
  for (auto [c, extent] : llvm::zip(tileDims, shape)) {
    auto found = c ? llvm::find(dims, *c) : dims.end();
    box.dims.push_back(found == dims.end() ? -1
                                           : view.dims[found - dims.begin()]);
    isPartial |= c ? isPadded(*c, extent) : extent != 1;
  }
  Location loc = view.memref.getLoc();
  if (isPartial)
    for (std::optional<Class> c : tileDims) {
      Value extent = indexOf(c ? classes.extentOf(*c)
                               : OpFoldResult(builder.getIndexAttr(1)));
      box.valid.push_back(c ? inPart(loc, *c, extent) : extent);
    }
  // Rows of the tile start where the memref's rows do, or a multiple further
  // on, if they run along them.
  auto type = cast<MemRefType>(view.memref.getType());
  int64_t width = elementBytes(type);
  bool isContiguous = !view.offsets.empty() &&
                      box.dims.back() == type.getRank() - 1 &&
                      type.getStridesAndOffset().first.back() == 1;
  if (view.aligned >= width && isContiguous &&
      isMultipleOf(view.offsets.back(), view.aligned / width))
    box.aligned = view.aligned;
  // So does the part of every block.
  for (auto [c, dim] : llvm::zip(tileDims, box.dims))
    if (c && dim != -1 && schedule.partsOf(*c) != 1)
      box.offsets[dim] =
          arith::AddIOp::create(builder, loc, box.offsets[dim], partStart);
  return box;
}

FailureOr<Value> TileConverter::load(Value tensor, RankedTensorType type,
                                     Operation *user) {
  GlobalView &view = *viewOf(tensor);
  FailureOr<std::optional<Class>> other =
      otherClass(classes.classesOf(tensor), user);
  if (failed(other))
    return failure();
  SmallVector<std::optional<Class>> tileDims =
      *other ? tileDimsOf(*other)
             : SmallVector<std::optional<Class>>{schedule.rows};
  Box box = boxOf(tensor, view, tileDims, type.getShape());
  return LoadOp::create(builder, user->getLoc(), type, view.memref, box.offsets,
                        box.valid, /*slide=*/Value(), box.dims, box.aligned)
      .getTile();
}

TypedAttr TileConverter::splatOf(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::ExtractSliceOp, tensor::CastOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  SplatElementsAttr splat;
  if (!matchPattern(tensor, m_Constant(&splat)))
    return {};
  return splat.getSplatValue<TypedAttr>();
}

FailureOr<Value> TileConverter::tileOf(Value tensor, Operation *user) {
  if (Value known = tiles.lookup(tensor))
    return known;
  FailureOr<RankedTensorType> type = tileTypeOf(tensor, user);
  if (failed(type))
    return failure();
  if (TypedAttr splat = splatOf(tensor))
    return arith::ConstantOp::create(builder, user->getLoc(), *type,
                                     DenseElementsAttr::get(*type, splat))
        .getResult();
  if (!viewOf(tensor))
    return user->emitOpError("expected operands that this loop nest computes "
                             "or that lie in memory");
  return load(tensor, *type, user);
}

LogicalResult TileConverter::store(Location loc, Value tensor,
                                   Value destination,
                                   ArrayRef<OpFoldResult> offsets) {
  if (destinations.contains(tensor))
    return success();
  Operation *user = tensor.getDefiningOp();
  if (!user)
    user = tensor.getParentBlock()->getParentOp();
  FailureOr<std::optional<Class>> other =
      otherClass(classes.classesOf(tensor), user);
  FailureOr<Value> tile = tileOf(tensor, user);
  if (failed(tile) || failed(other))
    return failure();
  GlobalView view = shifted(*viewOf(destination), loc, offsets);
  auto type = cast<RankedTensorType>(tile->getType());
  SmallVector<std::optional<Class>> tileDims =
      type.getRank() == 2 ? tileDimsOf(*other)
                          : SmallVector<std::optional<Class>>{schedule.rows};
  Box box = boxOf(tensor, view, tileDims, type.getShape());
  auto needValid = [&] {
    if (box.valid.empty())
      for (int64_t extent : type.getShape())
        box.valid.push_back(
            arith::ConstantIndexOp::create(builder, loc, extent));
  };
  // Of what a tile repeats along a dimension that memory does not have, one
  // place is written.
  for (auto [place, dim] : llvm::enumerate(box.dims)) {
    if (dim != -1 || type.getDimSize(place) == 1)
      continue;
    needValid();
    box.valid[place] = arith::ConstantIndexOp::create(builder, loc, 1);
  }
  // What all blocks of a cluster have, the first one writes.
  if (schedule.cluster > 1 && llvm::none_of(tileDims, [&](auto c) {
        return c && schedule.partsOf(*c) != 1;
      })) {
    needValid();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, partRank, zero);
    box.valid[0] =
        arith::SelectOp::create(builder, loc, isFirst, box.valid[0], zero);
  }
  StoreOp::create(builder, loc, *tile, view.memref, box.offsets, box.valid,
                  /*slide=*/Value(), box.dims, box.aligned);
  return success();
}
