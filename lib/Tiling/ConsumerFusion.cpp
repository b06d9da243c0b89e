//===- ConsumerFusion.cpp - what is computed from rows' results -----------===//

#include "ConsumerFusion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::smx;

/// True if `tile` is put together by loops, in the place of the result where it
/// is inserted: no tile of it is there whole.
static bool isStreamed(Value tile) {
  while (true) {
    if (auto loop = tile.getDefiningOp<scf::ForOp>())
      tile = loop.getTiedLoopInit(cast<OpResult>(tile))->get();
    else if (auto cast = tile.getDefiningOp<tensor::CastOp>())
      tile = cast.getSource();
    else if (auto insert = tile.getDefiningOp<tensor::InsertSliceOp>())
      tile = insert.getDest();
    else
      break;
  }
  auto slice = tile.getDefiningOp<tensor::ExtractSliceOp>();
  auto destination = slice ? dyn_cast<BlockArgument>(slice.getSource())
                           : dyn_cast<BlockArgument>(tile);
  return destination &&
         isa<scf::ForallOp>(destination.getOwner()->getParentOp());
}

/// The one insertion into the tensor that becomes `result`, of a tile as it is.
static tensor::ParallelInsertSliceOp insertionOf(scf::ForallOp loop,
                                                 OpResult result) {
  tensor::ParallelInsertSliceOp found;
  BlockArgument destination =
      loop.getTiedBlockArgument(loop.getTiedOpOperand(result));
  for (Operation &op : loop.getTerminator().getBody()->getOperations()) {
    auto insert = cast<tensor::ParallelInsertSliceOp>(op);
    if (insert.getDest() != destination)
      continue;
    if (found)
      return {};
    found = insert;
  }
  bool isWhole =
      found && found.getSourceType().getRank() == found.getDestType().getRank();
  return isWhole && !isStreamed(found.getSource()) &&
                 llvm::all_of(found.getMixedStrides(), isOneInteger)
             ? found
             : nullptr;
}

namespace {
/// Where a tile of the loops of an op is.
struct LoopTile {
  SmallVector<OpFoldResult> offsets, sizes;

  /// False if something else is known of the loops.
  bool add(AffineMap map, tensor::ParallelInsertSliceOp insert) {
    if (!map.isProjectedPermutation())
      return false;
    for (auto [expr, offset, size] :
         llvm::zip_equal(map.getResults(), insert.getMixedOffsets(),
                         insert.getMixedSizes())) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      if (!offsets[dim]) {
        offsets[dim] = offset;
        sizes[dim] = size;
      } else if (offsets[dim] != offset || sizes[dim] != size) {
        return false;
      }
    }
    return true;
  }

  void replace(Value before, Value after) {
    for (SmallVector<OpFoldResult> *list : {&offsets, &sizes})
      llvm::replace(*list, OpFoldResult(before), OpFoldResult(after));
  }

  SmallVector<OpFoldResult> pick(ArrayRef<OpFoldResult> of, AffineMap map) {
    return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
      return of[cast<AffineDimExpr>(expr).getPosition()];
    });
  }
};
} // namespace

bool mlir::smx::fuseIntoLoop(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 0 || op.getNumDpsInputs() == 0)
    return false;
  scf::ForallOp loop;
  unsigned loops = op.getNumLoops();
  LoopTile tile{SmallVector<OpFoldResult>(loops),
                SmallVector<OpFoldResult>(loops)};
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto from = input->get().getDefiningOp<scf::ForallOp>();
    if (!from || (loop && from != loop))
      return false;
    loop = from;
    auto insert = insertionOf(loop, cast<OpResult>(input->get()));
    if (!insert || !tile.add(op.getMatchingIndexingMap(input), insert))
      return false;
    inputs.push_back(insert.getSource());
  }
  auto indices = op.getBody()->getOps<linalg::IndexOp>();
  if (llvm::any_of(indices, [&](linalg::IndexOp index) {
        return bool(tile.offsets[index.getDim()]);
      }))
    return false;
  // What no input has is there whole, of an extent that is known.
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned dim = 0; dim < loops; ++dim)
    if (!tile.offsets[dim]) {
      if (ShapedType::isDynamic(ranges[dim]))
        return false;
      tile.offsets[dim] = rewriter.getIndexAttr(0);
      tile.sizes[dim] = rewriter.getIndexAttr(ranges[dim]);
    }
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!init.get().getDefiningOp<tensor::EmptyOp>() ||
        op.payloadUsesValueFromOperand(&init) ||
        !op.getMatchingIndexingMap(&init).isProjectedPermutation())
      return false;

  // What the body reads besides, it reads where the loop is.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  if (failed(moveValueDefinitions(rewriter, captured.getArrayRef(), loop)))
    return false;

  Location loc = op.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> destinations(loop.getOutputs());
  for (Value init : op.getDpsInits()) {
    // Its sizes are those of a tensor before the loop.
    auto empty = init.getDefiningOp<tensor::EmptyOp>();
    SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
    AffineMap map = op.getMatchingIndexingMap(
        op.getDpsInitOperand(destinations.size() - loop.getOutputs().size()));
    for (auto [size, expr] : llvm::zip_equal(sizes, map.getResults()))
      if (isa<Value>(size))
        for (OpOperand *input : op.getDpsInputOperands())
          for (auto [number, other] :
               llvm::enumerate(op.getMatchingIndexingMap(input).getResults()))
            if (other == expr)
              size = tensor::getMixedSize(
                  rewriter, loc,
                  loop.getTiedOpOperand(cast<OpResult>(input->get()))->get(),
                  number);
    destinations.push_back(tensor::EmptyOp::create(
        rewriter, loc, sizes, getElementTypeOrSelf(init.getType())));
  }
  auto wider =
      scf::ForallOp::create(rewriter, loop.getLoc(), loop.getMixedLowerBound(),
                            loop.getMixedUpperBound(), loop.getMixedStep(),
                            destinations, loop.getMapping());
  rewriter.eraseOp(wider.getTerminator());
  SmallVector<Value> arguments(wider.getBody()->getArguments().take_front(
      loop.getBody()->getNumArguments()));
  for (auto [before, after] :
       llvm::zip(loop.getBody()->getArguments(), arguments))
    tile.replace(before, after);
  rewriter.mergeBlocks(loop.getBody(), wider.getBody(), arguments);
  scf::InParallelOp terminator = wider.getTerminator();
  rewriter.setInsertionPoint(terminator);
  SmallVector<Value> inits;
  for (OpOperand &init : op.getDpsInitsMutable())
    inits.push_back(tensor::EmptyOp::create(
        rewriter, loc, tile.pick(tile.sizes, op.getMatchingIndexingMap(&init)),
        getElementTypeOrSelf(init.get().getType())));
  auto inner = linalg::GenericOp::create(
      rewriter, loc, ValueRange(inits).getTypes(), inputs, inits,
      op.getIndexingMapsArray(), op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op.getRegion(), inner.getRegion(),
                             inner.getRegion().end());
  rewriter.setInsertionPointToEnd(terminator.getBody());
  for (auto [number, result] : llvm::enumerate(inner.getResults())) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
    tensor::ParallelInsertSliceOp::create(
        rewriter, loc, result,
        wider.getRegionIterArgs()[loop.getNumResults() + number],
        tile.pick(tile.offsets, map), tile.pick(tile.sizes, map),
        SmallVector<OpFoldResult>(map.getNumResults(),
                                  rewriter.getIndexAttr(1)));
  }
  rewriter.replaceOp(op, wider.getResults().drop_front(loop.getNumResults()));
  rewriter.replaceOp(loop, wider.getResults().take_front(loop.getNumResults()));
  return true;
}
