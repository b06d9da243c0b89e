//===- ConsumerFusion.cpp - what is computed from rows' results -----------===//

#include "LoopFusion.h"
#include "LoopResults.h"

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
/// What a round of `loop` makes of the inputs of an op, and where in the loops
/// of the op that is.
struct FusionPlace {
  explicit FusionPlace(linalg::GenericOp op)
      : offsets(op.getNumLoops()), sizes(op.getNumLoops()) {}

  scf::ForallOp loop;
  /// The tile of each input, as it is put into the result of `loop`; null where
  /// an input is another tensor.
  SmallVector<Value> inputs;
  /// By the loops of the op; null where nothing is known yet.
  SmallVector<OpFoldResult> offsets, sizes;

  /// Adds a tile that `map` addresses. False if it is elsewhere in a loop than
  /// those before it.
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
    inputs.push_back(insert.getSource());
    return true;
  }

  bool readsOthers() const { return llvm::is_contained(inputs, Value()); }

  /// Loops that no tile has are there whole. False if an extent is not known,
  /// or other tensors are read along them, which may be of any length.
  bool addWholeLoops(linalg::GenericOp op) {
    Builder builder(op.getContext());
    for (auto [dim, range] : llvm::enumerate(op.getStaticLoopRanges())) {
      if (offsets[dim])
        continue;
      if (ShapedType::isDynamic(range) || readsOthers())
        return false;
      offsets[dim] = builder.getIndexAttr(0);
      sizes[dim] = builder.getIndexAttr(range);
    }
    return true;
  }

  void replace(Value before, Value after) {
    for (SmallVector<OpFoldResult> *list : {&offsets, &sizes})
      llvm::replace(*list, OpFoldResult(before), OpFoldResult(after));
  }
};
} // namespace

/// The last loop that an input of `op` comes from.
static scf::ForallOp lastLoopOf(linalg::GenericOp op) {
  scf::ForallOp last;
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto loop = input->get().getDefiningOp<scf::ForallOp>())
      if (!last || last->isBeforeInBlock(loop))
        last = loop;
  return last;
}

/// Where `op` can be computed tile by tile: in the last loop that computes some
/// of its inputs, if each tile of those is the same one of the op. None if
/// there is no such loop.
static std::optional<FusionPlace> findPlace(linalg::GenericOp op) {
  FusionPlace place(op);
  place.loop = lastLoopOf(op);
  if (op.getNumReductionLoops() != 0 || !place.loop)
    return std::nullopt;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (input->get().getDefiningOp() != place.loop) {
      if (!isInOrder(map) || multipliesMatrices(place.loop))
        return std::nullopt;
      place.inputs.push_back(Value());
      continue;
    }
    auto insert = insertionOf(place.loop, cast<OpResult>(input->get()));
    if (!insert || !place.add(map, insert))
      return std::nullopt;
  }
  // In a tile the index of an element is another one.
  auto indices = op.getBody()->getOps<linalg::IndexOp>();
  if (llvm::any_of(indices, [&](linalg::IndexOp index) {
        return bool(place.offsets[index.getDim()]);
      }))
    return std::nullopt;
  if (!place.addWholeLoops(op))
    return std::nullopt;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!init.get().getDefiningOp<tensor::EmptyOp>() ||
        op.payloadUsesValueFromOperand(&init) ||
        !op.getMatchingIndexingMap(&init).isProjectedPermutation())
      return std::nullopt;
  return place;
}

/// The extent of loop `expr` of `op`, of an input that `loop` computes; null if
/// no input has that loop.
static OpFoldResult extentBefore(OpBuilder &builder, scf::ForallOp loop,
                                 linalg::GenericOp op, AffineExpr expr) {
  SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
  for (OpOperand *input : llvm::reverse(inputs))
    if (std::optional<unsigned> dim =
            op.getMatchingIndexingMap(input).getResultPosition(expr);
        dim && input->get().getDefiningOp() == loop)
      return tensor::getMixedSize(
          builder, op.getLoc(),
          loop.getTiedOpOperand(cast<OpResult>(input->get()))->get(), *dim);
  return {};
}

/// An empty tensor in front of `loop` for each result of `op`.
static SmallVector<Value>
makeDestinations(OpBuilder &builder, scf::ForallOp loop, linalg::GenericOp op) {
  SmallVector<Value> destinations;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    SmallVector<OpFoldResult> sizes =
        init.get().getDefiningOp<tensor::EmptyOp>().getMixedSizes();
    AffineMap map = op.getMatchingIndexingMap(&init);
    // Sizes that are computed may be computed behind the loop.
    for (auto [size, expr] : llvm::zip_equal(sizes, map.getResults()))
      if (isa<Value>(size))
        if (OpFoldResult extent = extentBefore(builder, loop, op, expr))
          size = extent;
    destinations.push_back(
        tensor::EmptyOp::create(builder, op.getLoc(), sizes,
                                getElementTypeOrSelf(init.get().getType())));
  }
  return destinations;
}

/// Computes the tile of `op` at the end of a round of `wider`, and puts it into
/// the results from number `firstResult` on.
static void computeTile(RewriterBase &rewriter, scf::ForallOp wider,
                        const FusionPlace &place, linalg::GenericOp op,
                        unsigned firstResult) {
  Location loc = op.getLoc();
  scf::InParallelOp terminator = wider.getTerminator();
  rewriter.setInsertionPoint(terminator);
  SmallVector<Value> inits;
  for (OpOperand &init : op.getDpsInitsMutable())
    inits.push_back(tensor::EmptyOp::create(
        rewriter, loc, pickLoops(place.sizes, op.getMatchingIndexingMap(&init)),
        getElementTypeOrSelf(init.get().getType())));
  SmallVector<Value> inputs;
  for (auto [input, tile] :
       llvm::zip_equal(op.getDpsInputOperands(), place.inputs)) {
    inputs.push_back(tile ? tile
                          : sliceOfTile(rewriter, loc, input->get(),
                                        op.getMatchingIndexingMap(input),
                                        place.offsets, place.sizes));
  }
  auto inner = linalg::GenericOp::create(
      rewriter, loc, ValueRange(inits).getTypes(), inputs, inits,
      op.getIndexingMapsArray(), op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op.getRegion(), inner.getRegion(),
                             inner.getRegion().end());
  rewriter.setInsertionPointToEnd(terminator.getBody());
  for (auto [number, result] : llvm::enumerate(inner.getResults())) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
    tensor::ParallelInsertSliceOp::create(
        rewriter, loc, result, wider.getRegionIterArgs()[firstResult + number],
        pickLoops(place.offsets, map), pickLoops(place.sizes, map),
        SmallVector<OpFoldResult>(map.getNumResults(),
                                  rewriter.getIndexAttr(1)));
  }
}

bool mlir::smx::fuseIntoLoop(RewriterBase &rewriter, linalg::GenericOp op) {
  std::optional<FusionPlace> place = findPlace(op);
  if (!place)
    return false;
  scf::ForallOp loop = place->loop;
  // What is read besides is read where the loop is.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (auto [input, tile] : llvm::zip_equal(op.getDpsInputs(), place->inputs))
    if (!tile)
      captured.insert(input);
  if (failed(moveValueDefinitions(rewriter, captured.getArrayRef(), loop)))
    return false;

  rewriter.setInsertionPoint(loop);
  SmallVector<Value> destinations = makeDestinations(rewriter, loop, op);
  const unsigned numResults = loop.getNumResults();
  scf::ForallOp wider =
      addResults(rewriter, loop, destinations,
                 [&](Value old, Value value) { place->replace(old, value); });
  computeTile(rewriter, wider, *place, op, numResults);
  rewriter.replaceOp(op, wider.getResults().drop_front(numResults));
  rewriter.replaceOp(loop, wider.getResults().take_front(numResults));
  return true;
}
