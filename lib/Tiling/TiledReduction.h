//===- TiledReduction.h - the loops of one finished state -------*- C++ -*-===//
#ifndef SMX_LIB_TILING_TILEDREDUCTION_H
#define SMX_LIB_TILING_TILEDREDUCTION_H

#include "ProducerFusion.h"
#include "StreamLoops.h"
#include "StreamParts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

/// The type of a tensor of `sizes`.
RankedTensorType tensorTypeOf(ArrayRef<OpFoldResult> sizes, Type element);

/// What has the parts of a cut stream: a state each, with one more dimension,
/// behind the rows; or streamed results, for which every block makes the whole
/// state.
enum class PartsOf { States, Results };

/// One finished state and its readers; or the states of all parts of the
/// stream.
class TiledReduction {
public:
  TiledReduction(MutableArrayRef<FinishOp> finishes,
                 StreamingReductionOpInterface reduction,
                 ArrayRef<Operation *> group, const TileSizes &tileSizes,
                 ArrayRef<OpFoldResult> sizes, std::optional<StreamParts> cut,
                 PartsOf partsOf)
      : finishes(finishes), reduction(reduction), tileSizes(tileSizes),
        parts(partsOf == PartsOf::States ? cut : std::nullopt),
        resultParts(partsOf == PartsOf::Results ? cut : std::nullopt),
        sizes(sizes), numRows(reduction.getNumRows()),
        fusion(group, /*isOnePass=*/
               llvm::none_of(finishes,
                             [&](FinishOp op) {
                               return op.isStreamed() && !tileSizes.isDeferred;
                             }),
               tileSizes) {}

  /// Builds the loops; returns one value per finish, or component of the state
  /// if the stream is cut.
  SmallVector<Value> build(OpBuilder &builder);

private:
  SmallVector<Value> buildRowLoop(OpBuilder &builder, ValueRange destinations,
                                  OpFoldResult first, OpFoldResult last,
                                  OpFoldResult lastRowSize);
  /// The loop alone, over the rows, of the last dimension `[first, last)`; over
  /// strips of columns; and over parts.
  scf::ForallOp makeForall(OpBuilder &builder, ValueRange destinations,
                           OpFoldResult first, OpFoldResult last);
  /// What a round of `forall` computes; the last row dimension is cut where it
  /// ends if `lastRowSize` is null.
  DomainTile tileOfRound(OpBuilder &builder, scf::ForallOp forall,
                         OpFoldResult lastRowSize);
  /// Ends a round: puts its `tiles`, of `part` if there are parts, into the
  /// results.
  void insertTiles(OpBuilder &builder, scf::ForallOp forall, ValueRange tiles,
                   const DomainTile &rows, OpFoldResult part);
  /// Where strips of columns are among the loops. They read the same keys, and
  /// blocks start in the order of the last rows.
  unsigned stripLoop() const { return numRows == 0 ? 0 : numRows - 1; }
  /// `size`, or what is left of `extent` from `offset` on.
  OpFoldResult sizeOfTile(OpBuilder &builder, OpFoldResult size,
                          OpFoldResult extent, OpFoldResult offset);
  /// Restricts the stream of `rows` to a part of the results.
  void moveToPart(OpBuilder &builder, Value part, DomainTile &rows);
  /// The maps of what the row loop gives.
  SmallVector<AffineMap> getResultMaps();
  /// Where `map` has the tile `rows`, of `count` parts from `part` on.
  DomainTile sliceOfPart(OpBuilder &builder, AffineMap map,
                         const DomainTile &rows, OpFoldResult part,
                         OpFoldResult count);
  /// `tile` with a dimension for the part that it is of, as in `slice`.
  Value withPart(OpBuilder &builder, Value tile, const DomainTile &slice);
  SmallVector<Value> buildState(OpBuilder &builder, Operation *op,
                                const DomainTile &rows);
  SmallVector<Value> buildStream(OpBuilder &builder,
                                 StreamingReductionOpInterface op,
                                 const DomainTile &rows);
  /// What each finish with one value per row takes for them.
  SmallVector<SmallVector<Value>> rowInputsOf(OpBuilder &builder,
                                              const DomainTile &rows);
  /// `rowInputs` are those of a finish with one value per row.
  Value buildFinish(OpBuilder &builder, FinishOp finish, ValueRange state,
                    ValueRange rowInputs, const DomainTile &rows,
                    Value destination);
  /// The second loop over the stream, or the part of it in `rows`: `body` gives
  /// the finished tile.
  Value buildFinishLoop(
      OpBuilder &builder, FinishOp finish, const DomainTile &rows,
      Value destination,
      llvm::function_ref<Value(OpBuilder &, const DomainTile &tile)> body);

  // A deferred quantity: `kept` has the values of all tiles, and the first
  // component of the state at each of them.
  SmallVector<Value> emptyShelves(OpBuilder &builder, const DomainTile &rows);
  SmallVector<Value> keepTile(OpBuilder &builder, const DomainTile &tile,
                              ValueRange state, ValueRange inputs,
                              ValueRange shelves);
  Value finishKeptTile(OpBuilder &builder, const DomainTile &tile,
                       ValueRange state);
  /// Where the first component of the state at `tile` is kept.
  DomainTile firstComponentSlice(OpBuilder &builder, const DomainTile &tile);
  /// The slice of a tensor that has the rows of one block only.
  DomainTile sliceInBlock(OpBuilder &builder, AffineMap map, DomainTile tile);
  SmallVector<Value> tilesOf(OpBuilder &builder, ValueRange inputs,
                             ArrayRef<AffineMap> maps, const DomainTile &tile,
                             ArrayRef<MaskOp> seenWhole) {
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
  std::optional<StreamParts> parts, resultParts;
  /// What the block that is being built streams, of a part.
  std::optional<StreamRange> range;
  SmallVector<OpFoldResult> sizes;
  unsigned numRows;
  SmallVector<Value> kept;
  ProducerFusion fusion;
};

} // namespace mlir::smx

#endif // SMX_LIB_TILING_TILEDREDUCTION_H
