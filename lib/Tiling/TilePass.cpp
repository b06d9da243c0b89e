//===- TilePass.cpp - loops over tiles of rows ----------------------------===//
//
// One group is a finished state and every op that reads it. The state is
// computed inside a loop over tiles of rows by following the state values back:
// a merge merges what its operands compute, an update streams, an identity
// starts.
//
//===----------------------------------------------------------------------===//

#include "ProducerFusion.h"
#include "StreamLoops.h"
#include "TileSizeModel.h"
#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx {
#define GEN_PASS_DEF_TILEPASS
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {

/// One finished state and its readers.
class TiledReduction {
public:
  TiledReduction(MutableArrayRef<FinishOp> finishes,
                 StreamingReductionOpInterface reduction,
                 ArrayRef<Operation *> group, const TileSizes &tileSizes,
                 ArrayRef<OpFoldResult> sizes)
      : finishes(finishes), reduction(reduction), tileSizes(tileSizes),
        sizes(sizes), numRows(reduction.getNumRows()),
        fusion(group, /*isOnePass=*/llvm::none_of(
                   finishes, [](FinishOp op) { return op.isStreamed(); })) {}

  /// Builds the loops; returns one value per finish.
  SmallVector<Value> build(OpBuilder &builder);

private:
  SmallVector<Value> buildRowLoop(OpBuilder &builder, ValueRange destinations,
                                  OpFoldResult first, OpFoldResult last,
                                  OpFoldResult lastRowSize);
  SmallVector<Value> buildState(OpBuilder &builder, Operation *op,
                                const DomainTile &rows);
  SmallVector<Value> buildStream(OpBuilder &builder,
                                 StreamingReductionOpInterface op,
                                 const DomainTile &rows);
  Value buildFinish(OpBuilder &builder, FinishOp finish, ValueRange state,
                    const DomainTile &rows, Value destination);
  SmallVector<Value> tilesOf(OpBuilder &builder, ValueRange inputs,
                             ArrayRef<AffineMap> maps, const DomainTile &tile,
                             MaskOp seenWhole) {
    SmallVector<Value> tiles;
    for (auto [input, map] : llvm::zip_equal(inputs, maps))
      tiles.push_back(fusion.tileOf(builder, loc(), input,
                                    sliceFor(builder, loc(), map, tile),
                                    seenWhole));
    return tiles;
  }
  Location loc() { return reduction.getLoc(); }

  MutableArrayRef<FinishOp> finishes;
  StreamingReductionOpInterface reduction;
  const TileSizes &tileSizes;
  SmallVector<OpFoldResult> sizes;
  unsigned numRows;
  ProducerFusion fusion;
};

SmallVector<AffineMap> mapsOf(ArrayAttr maps) {
  return llvm::to_vector(maps.getAsValueRange<AffineMapAttr>());
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
  SmallVector<Value> state = buildState(
      builder, finishes.front().getStates()[0].getDefiningOp(), rows);
  for (auto [finish, destination] :
       llvm::zip(finishes, forall.getRegionIterArgs())) {
    Value tile = buildFinish(builder, finish, state, rows, destination);
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
  StreamBounds bounds = boundsOfStream(builder, loc(), op, rows);
  return buildStreamLoops(
      builder, loc(), extent, tileSizes.stream, bounds, initial,
      [&](OpBuilder &b, OpFoldResult offset, OpFoldResult size, bool masked,
          ValueRange carried) {
        DomainTile tile = rows;
        tile.offsets[numRows] = offset;
        tile.sizes[numRows] = size;
        MaskOp seenWhole = masked ? MaskOp() : bounds.mask;
        SmallVector<Value> inputs =
            tilesOf(b, op.getInputOperands(), inputMaps, tile, seenWhole);
        bool mayHideSome = !seenWhole || bounds.isHiddenElsewhere;
        return op.buildUpdate(b, loc(), carried, inputs,
                              op.mayBeMasked() && mayHideSome);
      });
}

Value TiledReduction::buildFinish(OpBuilder &builder, FinishOp finish,
                                  ValueRange state, const DomainTile &rows,
                                  Value destination) {
  SmallVector<AffineMap> maps = mapsOf(finish.getMaps());
  ArrayRef<AffineMap> inputMaps =
      ArrayRef(maps).drop_front(finish.getStates().size()).drop_back();
  if (!finish.isStreamed())
    return reduction.buildFinish(
        builder, loc(), finish, state,
        tilesOf(builder, finish.getInputs(), inputMaps, rows, MaskOp()),
        rows.sizes);
  // The second pass: the stream once more, now that the state is finished.
  DomainTile block = sliceFor(builder, loc(), finish.getResultMap(), rows);
  SmallVector<OpFoldResult> strides(block.sizes.size(),
                                    builder.getIndexAttr(1));
  Value rowBlock = tensor::ExtractSliceOp::create(
      builder, loc(), destination, block.offsets, block.sizes, strides);
  return buildStreamLoops(
      builder, loc(), sizes[numRows], tileSizes.stream, {}, rowBlock,
      [&](OpBuilder &b, OpFoldResult offset, OpFoldResult size, bool,
          ValueRange carried) -> SmallVector<Value> {
        DomainTile tile = rows;
        tile.offsets[numRows] = offset;
        tile.sizes[numRows] = size;
        Value value = reduction.buildFinish(
            b, loc(), finish, state,
            tilesOf(b, finish.getInputs(), inputMaps, tile, MaskOp()),
            tile.sizes);
        // Within the block of rows, rows start at 0.
        DomainTile local = tile;
        for (unsigned row = 0; row < numRows; ++row)
          local.offsets[row] = b.getIndexAttr(0);
        DomainTile slice = sliceFor(b, loc(), finish.getResultMap(), local);
        if (getConstantIntValue(size) == getConstantIntValue(sizes[numRows]) &&
            getConstantIntValue(size))
          return {value};
        return {tensor::InsertSliceOp::create(
            b, loc(), value, carried[0], slice.offsets, slice.sizes, strides)};
      })[0];
}

struct TilePass : mlir::smx::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    for (auto [name, value] :
         {std::pair{"rows", int64_t(rows)},
          std::pair{"stream", int64_t(stream)},
          std::pair{"resident-bytes", int64_t(residentBytes)}})
      if (value < 0)
        return emitError(UnknownLoc::get(context))
               << "option '" << name << "' must not be negative, got " << value;
    return success();
  }

  void runOnOperation() override {
    llvm::MapVector<Value, SmallVector<FinishOp>> groups;
    getOperation().walk(
        [&](FinishOp op) { groups[op.getStates()[0]].push_back(op); });
    for (auto &[state, finishes] : groups)
      if (failed(tileGroup(state, finishes)))
        return signalPassFailure();
  }

  /// The state ops that `state` is computed from, readers first.
  static SmallVector<Operation *> stateOpsOf(Value state) {
    llvm::SetVector<Operation *> ops;
    SmallVector<Value> worklist{state};
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val().getDefiningOp();
      if (!op || !ops.insert(op))
        continue;
      if (auto merge = dyn_cast<MergeOp>(op))
        worklist.append({merge.getLhs()[0], merge.getRhs()[0]});
      else if (auto update = dyn_cast<StreamingReductionOpInterface>(op))
        worklist.push_back(update.getStateOperands().front());
    }
    return ops.takeVector();
  }

  LogicalResult tileGroup(Value state, MutableArrayRef<FinishOp> finishes) {
    SmallVector<Operation *> group = stateOpsOf(state);
    auto isUpdate = [](Operation *op) {
      return isa<StreamingReductionOpInterface>(op);
    };
    auto found = llvm::find_if(group, isUpdate);
    // Nothing is streamed: canonicalisation drops updates of empty tiles.
    if (found == group.end() && !group.empty() &&
        isa<IdentityOp>(group.front()))
      return success();
    if (found == group.end() || llvm::any_of(group, [&](Operation *op) {
          return !isUpdate(op) && !isa<IdentityOp, MergeOp>(op);
        }))
      return finishes.front().emitOpError(
          "expected a state made by smx.identity, smx.merge and updates; a "
          "state that comes from elsewhere is already tiled");
    auto reduction = cast<StreamingReductionOpInterface>(*found);
    OpBuilder builder(finishes.front());
    SmallVector<OpFoldResult> sizes =
        reduction.getDomainSizes(builder, reduction.getLoc());
    bool isStreamed =
        llvm::any_of(finishes, [](FinishOp op) { return op.isStreamed(); });
    // Splits see a part of the stream each; a finish sees all of it.
    for (FinishOp finish : finishes)
      if (finish.isStreamed())
        sizes[reduction.getNumRows()] = streamExtent(builder, finish);
    TileSizes tileSizes =
        blocks ? chooseBlockTileSizes(reduction, sizes, rows, stream)
               : chooseTileSizes(reduction, sizes, rows, stream, residentBytes,
                                 isStreamed);
    remark::passed(reduction.getLoc(),
                   remark::RemarkOpts::name("TileSizes").category("smx-tile"))
        << remark::metric("rows", tileSizes.rows.empty()
                                      ? int64_t(1)
                                      : tileSizes.rows.back())
        << remark::metric("stream", tileSizes.stream);
    for (FinishOp finish : finishes)
      group.push_back(finish);
    SmallVector<Value> results =
        TiledReduction(finishes, reduction, group, tileSizes, sizes)
            .build(builder);
    for (auto [finish, result] : llvm::zip(finishes, results)) {
      Value replacement = result;
      if (result.getType() != finish.getResult().getType())
        replacement = tensor::CastOp::create(
            builder, finish.getLoc(), finish.getResult().getType(), result);
      finish.getResult().replaceAllUsesWith(replacement);
    }
    for (FinishOp finish : finishes)
      finish.erase();
    return success();
  }

  static OpFoldResult streamExtent(OpBuilder &builder, FinishOp finish) {
    SmallVector<AffineMap> maps = mapsOf(finish.getMaps());
    AffineMap map = maps[finish.getStates().size()];
    unsigned position = *map.getResultPosition(
        getAffineDimExpr(finish.getNumRows(), builder.getContext()));
    return tensor::getMixedSize(builder, finish.getLoc(), finish.getInputs()[0],
                                position);
  }
};
} // namespace
