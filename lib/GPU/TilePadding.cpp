//===- TilePadding.cpp - what a tile is beyond the extent it covers -------===//

#include "BandPadding.h"
#include "TileConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using Class = TileClasses::Class;

/// True for a constant tile of one value.
static bool isSplatOf(Value tile, TypedAttr value) {
  DenseElementsAttr elements;
  return matchPattern(tile, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<Attribute>() == value;
}

bool TileConverter::hasPadding(Value tile, Class c, TypedAttr fill) {
  if (padded.lookup({tile, c}) == fill)
    return true;
  // What is selected by the padding of another tile.
  auto select = tile.getDefiningOp<arith::SelectOp>();
  auto is = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                   : arith::CmpFOp();
  if (!is || is.getPredicate() != arith::CmpFPredicate::OEQ ||
      !isSplatOf(select.getTrueValue(), fill))
    return false;
  TypedAttr hidden = padded.lookup({is.getLhs(), c});
  return hidden && isSplatOf(is.getRhs(), hidden);
}

Value TileConverter::isInside(Location loc, RankedTensorType type, Class c,
                              int64_t dim) {
  RankedTensorType indexType = type.clone(builder.getIndexType());
  Value position = positionsOf(loc, indexType, dim, c);
  Value extent = splat(indexOf(classes.extentOf(c)), indexType);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                               position, extent);
}

bool TileConverter::isHiddenBeyond(Value mask, Class c, int64_t dim) {
  // Nobody reads what is behind the last row, either.
  if (!schedule.rows || dim == schedule.rowDim || schedule.partsOf(c) != 1)
    return false;
  OpFoldResult columns = classes.extentOf(c),
               rows = classes.extentOf(*schedule.rows);
  return isa<Value>(columns) && isa<Value>(rows) &&
         hidesColumnsFrom(indexOf(columns), mask, indexOf(rows),
                          schedule.rowDim);
}

Value TileConverter::withPadding(Value tile, Class c, int64_t dim,
                                 TypedAttr fill) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!isPadded(c, type.getDimSize(dim)) || hasPadding(tile, c, fill))
    return tile;
  Location loc = tile.getLoc();
  // What a mask hides by `fill` and what is beyond the extent take one select:
  // nobody asks for the elements there.
  auto mask = tile.getDefiningOp<arith::SelectOp>();
  if (mask && isa<RankedTensorType>(mask.getCondition().getType()) &&
      isSplatOf(mask.getFalseValue(), fill)) {
    padded[{tile, c}] = fill;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(mask);
    if (isHiddenBeyond(mask.getCondition(), c, dim))
      return tile;
    Value both = arith::AndIOp::create(builder, loc, mask.getCondition(),
                                       isInside(loc, type, c, dim));
    mask.getConditionMutable().assign(both);
    return tile;
  }
  Value inside = isInside(loc, type, c, dim);
  Value padding = arith::ConstantOp::create(builder, loc, type,
                                            DenseElementsAttr::get(type, fill));
  return arith::SelectOp::create(builder, loc, inside, tile, padding);
}
