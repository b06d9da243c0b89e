//===- TiledReduction.cpp - the loops of one finished state ---------------===//
//
// The state is computed inside a loop over tiles of rows by following the state
// values back: a merge merges what its operands compute, an update streams, an
// identity starts.
//
//===----------------------------------------------------------------------===//

#include "TiledReduction.h"

#include "StreamLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

static SmallVector<AffineMap> mapsOf(ArrayAttr maps) {
  return llvm::to_vector(maps.getAsValueRange<AffineMapAttr>());
}

static SmallVector<AffineMap> inputMapsOf(FinishOp finish) {
  SmallVector<AffineMap> maps = mapsOf(finish.getMaps());
  return SmallVector<AffineMap>(
      ArrayRef(maps).drop_front(finish.getStates().size()).drop_back());
}

SmallVector<Value> TiledReduction::build(OpBuilder &builder) {
  SmallVector<Value> results;
  DomainTile whole{
      SmallVector<OpFoldResult>(sizes.size(), builder.getIndexAttr(0)), sizes};
  for (FinishOp finish : finishes) {
    DomainTile slice = sliceFor(builder, loc(), finish.getResultMap(), whole);
    results.push_back(tensor::EmptyOp::create(
        builder, loc(), slice.sizes,
        getElementTypeOrSelf(finish.getResult().getType())));
  }
  OpFoldResult zero = builder.getIndexAttr(0);
  if (numRows == 0)
    return buildRowLoop(builder, results, zero, zero, zero);
  // Whole tiles of the last row dimension first, then one loop for what is
  // left.
  OpFoldResult extent = sizes[numRows - 1];
  int64_t tile = tileSizes.rows.back();
  AffineExpr x, y;
  bindDims(builder.getContext(), x, y);
  if (tileSizes.inBlocks)
    return buildRowLoop(builder, results, zero, extent, OpFoldResult());
  OpFoldResult wholeEnd = affine::makeComposedFoldedAffineApply(
      builder, loc(), x.floorDiv(tile) * tile, {extent});
  OpFoldResult left = affine::makeComposedFoldedAffineApply(
      builder, loc(), x - y, {extent, wholeEnd});
  if (getConstantIntValue(wholeEnd) != 0)
    results = buildRowLoop(builder, results, zero, wholeEnd,
                           builder.getIndexAttr(tile));
  if (getConstantIntValue(left) != 0)
    results = buildRowLoop(builder, results, wholeEnd, extent, left);
  return results;
}

SmallVector<Value> TiledReduction::buildRowLoop(OpBuilder &builder,
                                                ValueRange destinations,
                                                OpFoldResult first,
                                                OpFoldResult last,
                                                OpFoldResult lastRowSize) {
  SmallVector<OpFoldResult> lower(numRows, builder.getIndexAttr(0)),
      upper(ArrayRef(sizes).take_front(numRows)), steps;
  for (int64_t step : tileSizes.rows)
    steps.push_back(builder.getIndexAttr(step));
  if (numRows != 0) {
    lower.back() = first;
    upper.back() = last;
  }
  std::optional<ArrayAttr> mapping;
  if (tileSizes.inBlocks) {
    // A block of threads to a tile, also where there is one tile only.
    if (numRows == 0) {
      lower.push_back(builder.getIndexAttr(0));
      upper.push_back(builder.getIndexAttr(1));
      steps.push_back(builder.getIndexAttr(1));
    }
    SmallVector<Attribute> blocks;
    for (unsigned dim = 0; dim < lower.size(); ++dim)
      blocks.push_back(gpu::GPUBlockMappingAttr::get(
          builder.getContext(),
          *gpu::symbolizeMappingId(unsigned(gpu::MappingId::LinearDim0) +
                                   dim)));
    mapping = builder.getArrayAttr(blocks);
  }
  auto forall = scf::ForallOp::create(builder, loc(), lower, upper, steps,
                                      destinations, mapping);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forall.getBody());
  DomainTile rows{
      SmallVector<OpFoldResult>(sizes.size(), builder.getIndexAttr(0)), sizes};
  for (unsigned row = 0; row < numRows; ++row) {
    rows.offsets[row] = forall.getInductionVar(row);
    rows.sizes[row] = row + 1 == numRows && lastRowSize
                          ? lastRowSize
                          : builder.getIndexAttr(tileSizes.rows[row]);
  }
  if (numRows != 0 && !lastRowSize) {
    // One loop for all rows: the last tile is as long as what is left.
    AffineExpr extent, first;
    bindDims(builder.getContext(), extent, first);
    int64_t tile = tileSizes.rows.back();
    std::optional<int64_t> whole = getConstantIntValue(sizes[numRows - 1]);
    if (tile != 1 && (!whole || *whole % tile != 0))
      rows.sizes[numRows - 1] = affine::makeComposedFoldedAffineMin(
          builder, loc(),
          AffineMap::get(2, 0,
                         {getAffineConstantExpr(tile, builder.getContext()),
                          extent - first},
                         builder.getContext()),
          {sizes[numRows - 1], rows.offsets[numRows - 1]});
  }
  // What a finish takes for each row is read first: nobody waits for it when
  // the stream has ended.
  SmallVector<SmallVector<Value>> rowInputs;
  for (FinishOp finish : finishes)
    rowInputs.push_back(finish.isStreamed()
                            ? SmallVector<Value>()
                            : tilesOf(builder, finish.getInputs(),
                                      inputMapsOf(finish), rows, MaskOp()));
  SmallVector<Value> state = buildState(
      builder, finishes.front().getStates()[0].getDefiningOp(), rows);
  for (auto [finish, inputs, destination] :
       llvm::zip(finishes, rowInputs, forall.getRegionIterArgs())) {
    Value tile = buildFinish(builder, finish, state, inputs, rows, destination);
    DomainTile slice = sliceFor(builder, loc(), finish.getResultMap(), rows);
    SmallVector<OpFoldResult> strides(slice.sizes.size(),
                                      builder.getIndexAttr(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(forall.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(builder, loc(), tile, destination,
                                          slice.offsets, slice.sizes, strides);
  }
  return forall.getResults();
}

SmallVector<Value> TiledReduction::buildState(OpBuilder &builder, Operation *op,
                                              const DomainTile &rows) {
  if (auto merge = dyn_cast<MergeOp>(op)) {
    SmallVector<Value> lhs =
        buildState(builder, merge.getLhs()[0].getDefiningOp(), rows);
    SmallVector<Value> rhs =
        buildState(builder, merge.getRhs()[0].getDefiningOp(), rows);
    return reduction.buildMerge(builder, loc(), lhs, rhs);
  }
  if (auto update = dyn_cast<StreamingReductionOpInterface>(op))
    return buildStream(builder, update, rows);
  assert(isa<IdentityOp>(op) && "groups are made of state ops");
  return reduction.buildIdentity(builder, loc(), rows.sizes);
}

SmallVector<Value> TiledReduction::buildStream(OpBuilder &builder,
                                               StreamingReductionOpInterface op,
                                               const DomainTile &rows) {
  SmallVector<Value> initial =
      buildState(builder, op.getStateOperands().front().getDefiningOp(), rows);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  ArrayRef<AffineMap> inputMaps =
      ArrayRef(maps).drop_front(op.getStateOperands().size());
  OpFoldResult extent = op.getDomainSizes(builder, loc())[numRows];
  // A deferred quantity wants every tile visited.
  StreamBounds bounds = tileSizes.isDeferred
                            ? StreamBounds()
                            : boundsOfStream(builder, loc(), op, rows);
  size_t stateCount = initial.size();
  if (tileSizes.isDeferred)
    llvm::append_range(initial, emptyShelves(builder, rows));
  SmallVector<Value> results = buildStreamLoops(
      builder, loc(), extent, tileSizes.stream, bounds,
      /*joinsTail=*/tileSizes.inBlocks, initial,
      [&](OpBuilder &b, OpFoldResult offset, OpFoldResult size, bool masked,
          ValueRange carried) {
        DomainTile tile = rows;
        tile.offsets[numRows] = offset;
        tile.sizes[numRows] = size;
        MaskOp seenWhole = masked ? MaskOp() : bounds.mask;
        SmallVector<Value> inputs =
            tilesOf(b, op.getInputOperands(), inputMaps, tile, seenWhole);
        bool mayHideSome = !seenWhole || bounds.isHiddenElsewhere;
        SmallVector<Value> next =
            op.buildUpdate(b, loc(), carried.take_front(stateCount), inputs,
                           op.mayBeMasked() && mayHideSome);
        if (tileSizes.isDeferred)
          next.append(
              keepTile(b, tile, next, inputs, carried.drop_front(stateCount)));
        return next;
      });
  kept.assign(results.begin() + stateCount, results.end());
  results.truncate(stateCount);
  return results;
}

Value TiledReduction::buildFinish(OpBuilder &builder, FinishOp finish,
                                  ValueRange state, ValueRange rowInputs,
                                  const DomainTile &rows, Value destination) {
  if (!finish.isStreamed())
    return reduction.buildFinish(builder, loc(), finish, state, rowInputs,
                                 rows.sizes);
  SmallVector<AffineMap> inputMaps = inputMapsOf(finish);
  return buildFinishLoop(
      builder, finish, rows, destination,
      [&](OpBuilder &b, const DomainTile &tile) {
        if (tileSizes.isDeferred)
          return finishKeptTile(b, tile, state);
        return reduction.buildFinish(
            b, loc(), finish, state,
            tilesOf(b, finish.getInputs(), inputMaps, tile, MaskOp()),
            tile.sizes);
      });
}

Value TiledReduction::buildFinishLoop(
    OpBuilder &builder, FinishOp finish, const DomainTile &rows,
    Value destination,
    llvm::function_ref<Value(OpBuilder &, const DomainTile &)> body) {
  DomainTile block = sliceFor(builder, loc(), finish.getResultMap(), rows);
  SmallVector<OpFoldResult> strides(block.sizes.size(),
                                    builder.getIndexAttr(1));
  Value rowBlock = tensor::ExtractSliceOp::create(
      builder, loc(), destination, block.offsets, block.sizes, strides);
  return buildStreamLoops(
      builder, loc(), sizes[numRows], tileSizes.stream, {},
      /*joinsTail=*/false, rowBlock,
      [&](OpBuilder &b, OpFoldResult offset, OpFoldResult size, bool,
          ValueRange carried) -> SmallVector<Value> {
        DomainTile tile = rows;
        tile.offsets[numRows] = offset;
        tile.sizes[numRows] = size;
        Value value = body(b, tile);
        DomainTile slice = sliceInBlock(b, finish.getResultMap(), tile);
        if (getConstantIntValue(size) == getConstantIntValue(sizes[numRows]) &&
            getConstantIntValue(size))
          return {value};
        return {tensor::InsertSliceOp::create(
            b, loc(), value, carried[0], slice.offsets, slice.sizes, strides)};
      })[0];
}

//===----------------------------------------------------------------------===//
// Deferred quantities
//===----------------------------------------------------------------------===//

DomainTile TiledReduction::sliceInBlock(OpBuilder &builder, AffineMap map,
                                        DomainTile tile) {
  for (unsigned row = 0; row < numRows; ++row)
    tile.offsets[row] = builder.getIndexAttr(0);
  return sliceFor(builder, loc(), map, tile);
}

DomainTile TiledReduction::firstComponentSlice(OpBuilder &builder,
                                               const DomainTile &tile) {
  AffineExpr offset = builder.getAffineDimExpr(0);
  DomainTile slice =
      sliceInBlock(builder, reduction.getOperandMaps().front(), tile);
  slice.offsets.push_back(affine::makeComposedFoldedAffineApply(
      builder, loc(), offset.floorDiv(tileSizes.stream),
      {tile.offsets[numRows]}));
  slice.sizes.push_back(builder.getIndexAttr(1));
  return slice;
}

SmallVector<Value> TiledReduction::emptyShelves(OpBuilder &builder,
                                                const DomainTile &rows) {
  Type type = getElementTypeOrSelf(reduction.getStateOperands()[0].getType());
  DomainTile values =
      sliceFor(builder, loc(), finishes.front().getResultMap(), rows);
  DomainTile first = firstComponentSlice(builder, rows);
  AffineExpr extent = builder.getAffineDimExpr(0);
  first.sizes.back() = affine::makeComposedFoldedAffineApply(
      builder, loc(), extent.ceilDiv(tileSizes.stream), {sizes[numRows]});
  return {tensor::EmptyOp::create(builder, loc(), values.sizes, type),
          tensor::EmptyOp::create(builder, loc(), first.sizes, type)};
}

/// The type of a tensor of `sizes`.
static RankedTensorType typeOf(ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return RankedTensorType::get(shape, element);
}

SmallVector<Value> TiledReduction::keepTile(OpBuilder &builder,
                                            const DomainTile &tile,
                                            ValueRange state, ValueRange inputs,
                                            ValueRange shelves) {
  FinishOp finish = finishes.front();
  StateAlgebraAttrInterface algebra = finish.getAlgebra();
  DomainTile values = sliceInBlock(builder, finish.getResultMap(), tile);
  DomainTile first = firstComponentSlice(builder, tile);
  Value value = FinishOp::create(
      builder, loc(),
      typeOf(values.sizes, getElementTypeOrSelf(state[0].getType())), algebra,
      algebra.getDeferred(finish.getQuantity())->atTile, state, inputs,
      finish.getMaps());
  auto insert = [&](Value source, Value shelf, const DomainTile &slice) {
    SmallVector<OpFoldResult> strides(slice.sizes.size(),
                                      builder.getIndexAttr(1));
    return tensor::InsertSliceOp::create(builder, loc(), source, shelf,
                                         slice.offsets, slice.sizes, strides)
        .getResult();
  };
  return {insert(value, shelves[0], values),
          insert(state[0], shelves[1], first)};
}

Value TiledReduction::finishKeptTile(OpBuilder &builder, const DomainTile &tile,
                                     ValueRange state) {
  FinishOp finish = finishes.front();
  StateAlgebraAttrInterface algebra = finish.getAlgebra();
  AffineMap result = finish.getResultMap();
  SmallVector<AffineMap> maps = mapsOf(finish.getMaps());
  maps.truncate(state.size());
  maps.append({result, maps.front(), result});
  auto take = [&](Value shelf, const DomainTile &slice, size_t rank) -> Value {
    SmallVector<OpFoldResult> strides(slice.sizes.size(),
                                      builder.getIndexAttr(1));
    RankedTensorType type = typeOf(ArrayRef(slice.sizes).take_front(rank),
                                   getElementTypeOrSelf(shelf.getType()));
    return tensor::ExtractSliceOp::create(builder, loc(), type, shelf,
                                          slice.offsets, slice.sizes, strides);
  };
  DomainTile values = sliceInBlock(builder, result, tile);
  DomainTile first = firstComponentSlice(builder, tile);
  Value value = take(kept[0], values, values.sizes.size());
  return FinishOp::create(
      builder, loc(),
      typeOf(values.sizes, getElementTypeOrSelf(finish.getResult().getType())),
      algebra, algebra.getDeferred(finish.getQuantity())->atEnd, state,
      ValueRange{value, take(kept[1], first, first.sizes.size() - 1)},
      builder.getAffineMapArrayAttr(maps));
}
