//===- RowLoop.cpp - the loop over tiles of rows --------------------------===//

#include "BlockMapping.h"
#include "TiledReduction.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

DomainTile TiledReduction::sliceOfPart(OpBuilder &builder, AffineMap map,
                                       const DomainTile &rows,
                                       OpFoldResult part, OpFoldResult count) {
  DomainTile slice = sliceFor(builder, loc(), map, rows);
  if (!parts)
    return slice;
  slice.offsets.insert(slice.offsets.begin() + numRows, part);
  slice.sizes.insert(slice.sizes.begin() + numRows, count);
  return slice;
}

Value TiledReduction::withPart(OpBuilder &builder, Value tile,
                               const DomainTile &slice) {
  if (!parts)
    return tile;
  // A slice of a lower rank would leave open which dimensions of one element it
  // lacks. The new one goes with the row before it, or else what follows.
  unsigned with = numRows == 0 ? 0 : numRows - 1;
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, end = slice.sizes.size(); dim < end; ++dim) {
    if (dim == with + 1)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  if (slice.sizes.size() == 1)
    groups.clear();
  return tensor::ExpandShapeOp::create(
      builder, loc(),
      tensorTypeOf(slice.sizes, getElementTypeOrSelf(tile.getType())), tile,
      groups, slice.sizes);
}

static Value beginOfPart(OpBuilder &builder, Location loc, Value part,
                         OpFoldResult extent) {
  return arith::MulIOp::create(
      builder, loc, part,
      getValueOrCreateConstantIndexOp(builder, loc, extent));
}

/// `[part * extent, (part + 1) * extent)`, or up to the end of the stream.
static StreamRange rangeOfPart(OpBuilder &builder, Location loc, Value part,
                               OpFoldResult extent, OpFoldResult streamExtent) {
  Value all = getValueOrCreateConstantIndexOp(builder, loc, streamExtent);
  Value begin = beginOfPart(builder, loc, part, extent);
  Value end = arith::AddIOp::create(
      builder, loc, begin,
      getValueOrCreateConstantIndexOp(builder, loc, extent));
  return {begin, arith::MinSIOp::create(builder, loc, end, all).getResult()};
}

void TiledReduction::moveToPart(OpBuilder &builder, Value part,
                                DomainTile &rows) {
  OpFoldResult begin = beginOfPart(builder, loc(), part, resultParts->extent);
  rows.offsets[numRows] = begin;
  rows.sizes[numRows] =
      sizeOfTile(builder, resultParts->extent, sizes[numRows], begin);
}

OpFoldResult TiledReduction::sizeOfTile(OpBuilder &builder, OpFoldResult size,
                                        OpFoldResult extent,
                                        OpFoldResult offset) {
  std::optional<int64_t> known = getConstantIntValue(size),
                         whole = getConstantIntValue(extent);
  if (known && (*known == 1 || (whole && *whole % *known == 0)))
    return size;
  AffineExpr most, end, begin;
  bindDims(builder.getContext(), most, end, begin);
  return affine::makeComposedFoldedAffineMin(
      builder, loc(),
      AffineMap::get(3, 0, {most, end - begin}, builder.getContext()),
      {size, extent, offset});
}

scf::ForallOp TiledReduction::makeForall(OpBuilder &builder,
                                         ValueRange destinations,
                                         OpFoldResult first,
                                         OpFoldResult last) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> lower(numRows, zero),
      upper(ArrayRef(sizes).take_front(numRows)), steps;
  for (int64_t step : tileSizes.rows)
    steps.push_back(builder.getIndexAttr(step));
  if (numRows != 0) {
    lower.back() = first;
    upper.back() = last;
  }
  if (parts || resultParts) {
    lower.push_back(zero);
    upper.push_back(parts ? parts->count : resultParts->count);
    steps.push_back(one);
  }
  if (tileSizes.hasStrips(sizes)) {
    lower.insert(lower.begin() + stripLoop(), zero);
    upper.insert(upper.begin() + stripLoop(), sizes.back());
    steps.insert(steps.begin() + stripLoop(),
                 builder.getIndexAttr(tileSizes.columns));
  }
  std::optional<ArrayAttr> mapping;
  if (tileSizes.inBlocks) {
    // A block of threads to a tile, also where there is one tile only.
    if (lower.empty()) {
      lower.push_back(zero);
      upper.push_back(one);
      steps.push_back(one);
    }
    mapping =
        builder.getArrayAttr(blockMapping(builder.getContext(), lower.size()));
  }
  return scf::ForallOp::create(builder, loc(), lower, upper, steps,
                               destinations, mapping);
}

DomainTile TiledReduction::tileOfRound(OpBuilder &builder, scf::ForallOp forall,
                                       OpFoldResult lastRowSize) {
  SmallVector<Value> variables = forall.getInductionVars();
  DomainTile rows{
      SmallVector<OpFoldResult>(sizes.size(), builder.getIndexAttr(0)), sizes};
  if (tileSizes.hasStrips(sizes)) {
    rows.offsets.back() = variables[stripLoop()];
    rows.sizes.back() =
        sizeOfTile(builder, builder.getIndexAttr(tileSizes.columns),
                   sizes.back(), rows.offsets.back());
    variables.erase(variables.begin() + stripLoop());
  }
  for (unsigned row = 0; row < numRows; ++row) {
    rows.offsets[row] = variables[row];
    rows.sizes[row] = row + 1 == numRows && lastRowSize
                          ? lastRowSize
                          : builder.getIndexAttr(tileSizes.rows[row]);
  }
  // One loop for all rows: the last tile is as long as what is left.
  if (numRows != 0 && !lastRowSize)
    rows.sizes[numRows - 1] =
        sizeOfTile(builder, builder.getIndexAttr(tileSizes.rows.back()),
                   sizes[numRows - 1], rows.offsets[numRows - 1]);
  if (resultParts)
    moveToPart(builder, variables[numRows], rows);
  return rows;
}

void TiledReduction::insertTiles(OpBuilder &builder, scf::ForallOp forall,
                                 ValueRange tiles, const DomainTile &rows,
                                 OpFoldResult part) {
  for (auto [tile, map, destination] :
       llvm::zip_equal(tiles, getResultMaps(), forall.getRegionIterArgs())) {
    DomainTile slice =
        sliceOfPart(builder, map, rows, part, builder.getIndexAttr(1));
    SmallVector<OpFoldResult> strides(slice.sizes.size(),
                                      builder.getIndexAttr(1));
    Value inserted = withPart(builder, tile, slice);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(forall.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(builder, loc(), inserted, destination,
                                          slice.offsets, slice.sizes, strides);
  }
}

SmallVector<Value> TiledReduction::buildRowLoop(OpBuilder &builder,
                                                ValueRange destinations,
                                                OpFoldResult first,
                                                OpFoldResult last,
                                                OpFoldResult lastRowSize) {
  scf::ForallOp forall = makeForall(builder, destinations, first, last);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forall.getBody());
  DomainTile rows = tileOfRound(builder, forall, lastRowSize);
  OpFoldResult part;
  if (parts) {
    Value number = forall.getInductionVars().back();
    part = number;
    range = rangeOfPart(builder, loc(), number, parts->extent, sizes[numRows]);
  }
  // What a finish takes for each row is read first: nobody waits for it when
  // the stream has ended.
  SmallVector<SmallVector<Value>> rowInputs = rowInputsOf(builder, rows);
  SmallVector<Value> state = buildState(
      builder, finishes.front().getStates()[0].getDefiningOp(), rows);
  SmallVector<Value> tiles;
  if (parts)
    tiles = state;
  else
    for (auto [finish, inputs, destination] :
         llvm::zip(finishes, rowInputs, forall.getRegionIterArgs()))
      tiles.push_back(
          buildFinish(builder, finish, state, inputs, rows, destination));
  insertTiles(builder, forall, tiles, rows, part);
  return forall.getResults();
}
