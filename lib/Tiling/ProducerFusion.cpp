//===- ProducerFusion.cpp - tiles of the tensors that are streamed --------===//

#include "ProducerFusion.h"
#include "ProductTiles.h"

#include "smx/IR/Dequantization.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::smx;

DomainTile mlir::smx::sliceFor(OpBuilder &builder, Location loc, AffineMap map,
                               const DomainTile &tile) {
  DomainTile slice;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      slice.offsets.push_back(tile.offsets[dim.getPosition()]);
      slice.sizes.push_back(tile.sizes[dim.getPosition()]);
      continue;
    }
    slice.offsets.push_back(affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(map.getNumDims(), 0, expr), tile.offsets));
    slice.sizes.push_back(builder.getIndexAttr(1));
  }
  return slice;
}

/// True if each element of the result is computed from its own position alone.
static bool readsOwnPosition(Operation *op) {
  if (isa<MaskOp, PagedOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() == 0;
}

/// True if `index` runs along a loop of the body, stands still, or is 0 where a
/// condition from outside holds.
static bool isAlongLoop(Value index, Block *body) {
  if (index.getParentBlock() != body || matchPattern(index, m_Constant()) ||
      index.getDefiningOp<linalg::IndexOp>())
    return true;
  auto select = index.getDefiningOp<arith::SelectOp>();
  return select && matchPattern(select.getTrueValue(), m_Zero()) &&
         isAlongLoop(select.getFalseValue(), body);
}

/// True if the result is elements of another tensor, seen in another order.
static bool onlyMoves(Operation *op) {
  if (isa<tensor::ExtractSliceOp, tensor::EmptyOp, linalg::TransposeOp,
          PagedOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !readsOwnPosition(op))
    return false;
  Value yielded = generic.getBlock()->getTerminator()->getOperand(0);
  auto extract = yielded.getDefiningOp<tensor::ExtractOp>();
  return isa<BlockArgument>(yielded) ||
         (extract && llvm::all_of(extract.getIndices(), [&](Value index) {
            return isAlongLoop(index, generic.getBlock());
          }));
}

namespace {
/// What the rows of a tile are to a tensor.
struct RowUse {
  enum Kind {
    Along,     ///< Dimension `dim` runs along the rows.
    Broadcast, ///< Each row gets the same values.
    Operand,   ///< All rows are multiplied by the same values.
  } kind = Broadcast;
  int64_t dim = 0;
  /// The dimension that runs along the stream, if one does.
  std::optional<unsigned> stream;
};
} // namespace

/// What the rows are to the operand that `map` addresses by loops, of which
/// `row` is theirs and `stream`, which may be null, that of the stream.
static RowUse useAlong(AffineMap map, AffineExpr row, AffineExpr stream) {
  RowUse use;
  if (auto position = map.getResultPosition(row))
    use = {RowUse::Along, *position, {}};
  if (stream)
    use.stream = map.getResultPosition(stream);
  return use;
}

/// What the rows are to the source of `slice`, along whose result they run.
static RowUse useOfSource(tensor::ExtractSliceOp slice, RowUse result) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<unsigned> kept;
  for (unsigned dim = 0; dim < dropped.size(); ++dim)
    if (!dropped[dim])
      kept.push_back(dim);
  result.dim = kept[result.dim];
  if (result.stream)
    result.stream = kept[*result.stream];
  return result;
}

/// What the rows are to an operand of `consumer`, to whose result they are
/// `result`.
static RowUse rowUseOf(OpOperand &operand, RowUse result) {
  Operation *consumer = operand.getOwner();
  MLIRContext *context = consumer->getContext();
  auto reductionUse = [&](unsigned numRows, ArrayRef<AffineMap> maps,
                          unsigned number, unsigned firstShared) -> RowUse {
    if (numRows == 0 || number >= maps.size())
      return {};
    RowUse use = useAlong(maps[number], getAffineDimExpr(numRows - 1, context),
                          getAffineDimExpr(numRows, context));
    if (use.kind == RowUse::Broadcast && number >= firstShared)
      use.kind = RowUse::Operand;
    return use;
  };
  if (auto update = dyn_cast<StreamingReductionOpInterface>(consumer)) {
    SmallVector<AffineMap> maps = update.getOperandMaps();
    return reductionUse(update.getNumRows(), maps, operand.getOperandNumber(),
                        update.getStateOperands().size() + 1);
  }
  if (auto finish = dyn_cast<FinishOp>(consumer)) {
    SmallVector<AffineMap> maps = finish.getOperandMaps();
    return reductionUse(finish.getNumRows(), maps, operand.getOperandNumber(),
                        maps.size());
  }
  if (result.kind != RowUse::Along)
    return result;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(consumer))
    return useOfSource(slice, result);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(consumer);
  if (!linalgOp) // The dimensions of numbers for a mask or a page are others.
    return isa<MaskOp>(consumer) && operand.getOperandNumber() == 0 ? result
                                                                    : RowUse();
  AffineMap map =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  RowUse use = useAlong(
      linalgOp.getMatchingIndexingMap(&operand), map.getResult(result.dim),
      result.stream ? map.getResult(*result.stream) : AffineExpr());
  if (use.kind == RowUse::Broadcast && !readsOwnPosition(consumer))
    use.kind = RowUse::Operand;
  return use;
}

/// Where a block computes `producer`, which makes 16 bits of 8, if it does: as
/// long as its rows are few, for itself, or each block would do what the others
/// do.
static bool isWidenedWith(Operation *producer, Operation *consumer,
                          const TileSizes &tile) {
  auto generic = dyn_cast<linalg::GenericOp>(producer);
  int64_t rows = 1;
  for (int64_t extent : tile.rows)
    rows *= extent;
  return generic && findQuantized(generic) && !readsOwnPosition(consumer) &&
         rows <= mostRowsToWidenFor;
}

/// True for products of matrices, of which the first has the rows and the
/// second the stream, as `use` says where they are in the result: a block
/// multiplies a tile of one by a tile of the other.
static bool isProductOfTiles(Operation *producer, const RowUse &use) {
  auto product = dyn_cast<linalg::LinalgOp>(producer);
  if (!product || use.kind != RowUse::Along || !use.stream ||
      !isSumOfProducts(product))
    return false;
  AffineMap result =
      product.getMatchingIndexingMap(product.getDpsInitOperand(0));
  auto isOnlyIn = [&](unsigned input, int64_t dim) {
    auto has = [&](unsigned number) {
      return product.getMatchingIndexingMap(product.getDpsInputOperand(number))
          .getResultPosition(result.getResult(dim))
          .has_value();
    };
    return has(input) && !has(1 - input);
  };
  return isOnlyIn(0, use.dim) && isOnlyIn(1, *use.stream);
}

/// A block copies what its rows share to where all of its threads find it, from
/// memory: it is computed before, and once. So are rows of 8 bits, which copies
/// could not bring to warpgroups, what is reduced, of which a block computes
/// products of its tiles alone, what is transposed, which threads read in
/// another order from memory alone, and the numbers that masks and pages read,
/// by which loops in front of the block are bounded as well.
static bool isComputedBefore(Operation *producer, OpOperand &operand,
                             const RowUse &use, bool isTileable,
                             const TileSizes &tile) {
  Operation *consumer = operand.getOwner();
  auto generic = dyn_cast<linalg::GenericOp>(producer);
  return tile.inBlocks && !isWidenedWith(producer, consumer, tile) &&
         ((use.kind == RowUse::Operand && !onlyMoves(producer)) ||
          (isTileable && !readsOwnPosition(producer) &&
           !isProductOfTiles(producer, use)) ||
          (isa<linalg::TransposeOp>(consumer) && !onlyMoves(producer)) ||
          (isa<MaskOp, PagedOp>(consumer) && operand.getOperandNumber() != 0 &&
           isTileable) ||
          (generic && findQuantized(generic)));
}

ProducerFusion::ProducerFusion(ArrayRef<Operation *> consumers, bool isOnePass,
                               const TileSizes &tile) {
  // What one use wants from memory no other computes, be it seen first or last.
  llvm::SmallPtrSet<Operation *, 4> kept;
  while (!collect(consumers, isOnePass, tile, kept))
    ;
}

bool ProducerFusion::collect(ArrayRef<Operation *> consumers, bool isOnePass,
                             const TileSizes &tile,
                             llvm::SmallPtrSetImpl<Operation *> &kept) {
  fused.clear();
  llvm::SmallPtrSet<Operation *, 8> group(consumers.begin(), consumers.end());
  // What feeds a product of this reduction is asked for many times: no product
  // behind a product.
  llvm::SmallPtrSet<Operation *, 8> behindProduct;
  llvm::DenseMap<Operation *, RowUse> rowUses;
  SmallVector<Operation *> worklist(consumers);
  while (!worklist.empty()) {
    Operation *consumer = worklist.pop_back_val();
    bool isProduct = fused.contains(consumer) && !readsOwnPosition(consumer) &&
                     isa<linalg::LinalgOp>(consumer);
    bool isBehindProduct = isProduct || behindProduct.contains(consumer);
    for (OpOperand &operand : consumer->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (!producer || kept.contains(producer))
        continue;
      bool isSlice = isa<tensor::ExtractSliceOp, tensor::EmptyOp>(producer);
      bool isTileable =
          isa<MaskOp, PagedOp, linalg::LinalgOp>(producer) &&
          producer->getNumResults() == 1 &&
          (readsOwnPosition(producer) || (isOnePass && !isBehindProduct));
      RowUse use = rowUseOf(operand, rowUses.lookup(consumer));
      bool isBefore =
          isComputedBefore(producer, operand, use, isTileable, tile);
      if (isBefore && kept.insert(producer).second && fused.contains(producer))
        return false;
      if (isBefore || group.contains(producer))
        continue;
      // A producer that somebody else needs whole is not computed twice.
      bool isOurs = llvm::all_of(producer->getUsers(), [&](Operation *user) {
        return group.contains(user) || isa<tensor::DimOp>(user);
      });
      if (!(isSlice || isTileable) || !isOurs)
        continue;
      group.insert(producer);
      fused.insert(producer);
      rowUses[producer] = use;
      if (isBehindProduct)
        behindProduct.insert(producer);
      worklist.push_back(producer);
    }
  }
  return true;
}

static DomainTile shifted(OpBuilder &builder, Location loc,
                          const DomainTile &slice,
                          ArrayRef<OpFoldResult> offsets) {
  AffineExpr x, y;
  bindDims(builder.getContext(), x, y);
  DomainTile result = slice;
  for (auto [offset, by] : llvm::zip_equal(result.offsets, offsets))
    offset = affine::makeComposedFoldedAffineApply(builder, loc, x + y,
                                                   {offset, by});
  return result;
}

Value ProducerFusion::tileOf(OpBuilder &builder, Location loc, Value tensor,
                             const DomainTile &slice,
                             ArrayRef<MaskOp> seenWhole) const {
  Operation *producer = tensor.getDefiningOp();
  if (isFused(producer)) {
    if (auto mask = dyn_cast<MaskOp>(producer);
        mask && llvm::is_contained(seenWhole, mask))
      return tileOf(builder, loc, mask.getInput(), slice, seenWhole);
    if (auto empty = dyn_cast<tensor::EmptyOp>(producer))
      return tensor::EmptyOp::create(builder, loc, slice.sizes,
                                     empty.getType().getElementType());
    auto outer = dyn_cast<tensor::ExtractSliceOp>(producer);
    if (outer && outer.hasUnitStride() &&
        outer.getSourceType().getRank() == outer.getResultType().getRank())
      return tileOf(builder, loc, outer.getSource(),
                    shifted(builder, loc, slice, outer.getMixedOffsets()),
                    seenWhole);
    if (auto tileable = dyn_cast<TilingInterface>(producer)) {
      FailureOr<TilingResult> tiled = tileable.generateResultTileValue(
          builder, 0, slice.offsets, slice.sizes);
      if (succeeded(tiled)) {
        for (Operation *generated : tiled->generatedSlices) {
          auto inner = cast<tensor::ExtractSliceOp>(generated);
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(inner);
          if (!isFused(inner.getSource().getDefiningOp()))
            continue;
          inner.replaceAllUsesWith(tileOf(
              builder, loc, inner.getSource(),
              {inner.getMixedOffsets(), inner.getMixedSizes()}, seenWhole));
          inner.erase();
        }
        return tiled->tiledValues.front();
      }
    }
  }
  SmallVector<OpFoldResult> strides(slice.sizes.size(),
                                    builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, tensor, slice.offsets,
                                        slice.sizes, strides);
}
