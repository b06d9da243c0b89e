//===- TiledReduction.cpp - the loops of one finished state ---------------===//
//
// The state is computed inside a loop over tiles of rows by following the state
// values back: a merge merges what its operands compute, an update streams, an
// identity starts.
//
//===----------------------------------------------------------------------===//

#include "TiledReduction.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

static SmallVector<AffineMap> inputMapsOf(FinishOp finish) {
  SmallVector<AffineMap> maps = finish.getOperandMaps();
  return SmallVector<AffineMap>(
      ArrayRef(maps).drop_front(finish.getStates().size()).drop_back());
}

RankedTensorType mlir::smx::tensorTypeOf(ArrayRef<OpFoldResult> sizes,
                                         Type element) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return RankedTensorType::get(shape, element);
}

SmallVector<Value> TiledReduction::build(OpBuilder &builder) {
  SmallVector<Value> results;
  DomainTile whole{
      SmallVector<OpFoldResult>(sizes.size(), builder.getIndexAttr(0)), sizes};
  SmallVector<Value> likes;
  if (parts)
    likes.assign(reduction.getStateOperands().begin(),
                 reduction.getStateOperands().end());
  else
    for (FinishOp finish : finishes)
      likes.push_back(finish.getResult());
  for (auto [like, map] : llvm::zip_equal(likes, getResultMaps())) {
    DomainTile slice = sliceOfPart(builder, map, whole, builder.getIndexAttr(0),
                                   parts ? parts->count : OpFoldResult());
    results.push_back(tensor::EmptyOp::create(
        builder, loc(), slice.sizes, getElementTypeOrSelf(like.getType())));
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

SmallVector<AffineMap> TiledReduction::getResultMaps() {
  SmallVector<AffineMap> maps;
  if (parts) {
    maps = reduction.getOperandMaps();
    maps.truncate(reduction.getStateOperands().size());
    return maps;
  }
  for (FinishOp finish : finishes)
    maps.push_back(finish.getResultMap());
  return maps;
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
  StreamBounds bounds =
      tileSizes.isDeferred
          ? StreamBounds()
          : boundsOfStream(builder, loc(), op, rows, tileSizes);
  size_t stateCount = initial.size();
  if (tileSizes.isDeferred)
    llvm::append_range(initial, emptyShelves(builder, rows));
  // The states of parts, which are few, however many elements of their results
  // a tile has.
  constexpr int64_t mostParts = 2048;
  int64_t step =
      resultParts ? std::min(tileSizes.stream, mostParts) : tileSizes.stream;
  SmallVector<Value> results = buildStreamLoops(
      builder, loc(), extent, step, std::min(step, tileSizes.cutStream()),
      range, bounds,
      /*joinsTail=*/tileSizes.inBlocks, initial,
      [&](OpBuilder &b, OpFoldResult offset, OpFoldResult size, bool masked,
          ValueRange carried) {
        DomainTile tile = rows;
        tile.offsets[numRows] = offset;
        tile.sizes[numRows] = size;
        SmallVector<Value> inputs =
            tilesOf(b, op.getInputOperands(), inputMaps, tile,
                    bounds.seenWhole(/*isCut=*/masked));
        bool mayHideSome =
            !bounds.isAnalysed() || masked || bounds.isHiddenElsewhere;
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

SmallVector<SmallVector<Value>>
TiledReduction::rowInputsOf(OpBuilder &builder, const DomainTile &rows) {
  SmallVector<SmallVector<Value>> rowInputs;
  for (FinishOp finish : finishes)
    rowInputs.push_back(parts || finish.isStreamed()
                            ? SmallVector<Value>()
                            : tilesOf(builder, finish.getInputs(),
                                      inputMapsOf(finish), rows, {}));
  return rowInputs;
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
            tilesOf(b, finish.getInputs(), inputMaps, tile, {}), tile.sizes);
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
  AffineExpr first, second;
  bindDims(builder.getContext(), first, second);
  OpFoldResult begin = rows.offsets[numRows], extent = rows.sizes[numRows];
  // What the states were made of last may still be in the cache.
  StreamBounds bounds;
  bounds.isBackward = resultParts.has_value();
  return buildStreamLoops(
      builder, loc(), extent, tileSizes.stream, tileSizes.stream, std::nullopt,
      bounds,
      /*joinsTail=*/false, rowBlock,
      [&](OpBuilder &b, OpFoldResult offset, OpFoldResult size, bool,
          ValueRange carried) -> SmallVector<Value> {
        DomainTile tile = rows;
        tile.offsets[numRows] = affine::makeComposedFoldedAffineApply(
            b, loc(), first + second, {begin, offset});
        tile.sizes[numRows] = size;
        Value value = body(b, tile);
        tile.offsets[numRows] = offset;
        DomainTile slice = sliceInBlock(b, finish.getResultMap(), tile);
        if (getConstantIntValue(size) == getConstantIntValue(extent) &&
            getConstantIntValue(size))
          return {value};
        return {tensor::InsertSliceOp::create(
            b, loc(), value, carried[0], slice.offsets, slice.sizes, strides)};
      })[0];
}
