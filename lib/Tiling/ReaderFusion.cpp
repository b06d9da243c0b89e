//===- ReaderFusion.cpp - tensors that rows are made of -------------------===//
//
// The sum of a residual, of which a norm is made and which is read again
// later, is computed where the norm's rows are:
//
//   h = x + r;  y = forall i: norm(h[i])     ==>
//   y, h = forall i: t = x[i] + r[i]; norm(t), t
//
//===----------------------------------------------------------------------===//

#include "LoopFusion.h"
#include "LoopResults.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::smx;

/// The slices of `op`'s result in the first loop that has some, all of one
/// place; none if another user comes before that loop.
static SmallVector<tensor::ExtractSliceOp> slicesOf(linalg::GenericOp op) {
  SmallVector<tensor::ExtractSliceOp> slices;
  scf::ForallOp loop;
  for (Operation *user : op->getUsers())
    if (auto inside = dyn_cast<scf::ForallOp>(user->getParentOp()))
      if (isa<tensor::ExtractSliceOp>(user) &&
          inside->getBlock() == op->getBlock() &&
          (!loop || inside->isBeforeInBlock(loop)))
        loop = inside;
  for (Operation *user : op->getUsers()) {
    Operation *top = op->getBlock()->findAncestorOpInBlock(*user);
    if (!loop || !top || top->isBeforeInBlock(loop))
      return {};
    if (top != loop)
      continue;
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice || slice->getParentOp() != loop || !slice.hasUnitStride() ||
        slice.getType().getRank() != slice.getSourceType().getRank())
      return {};
    slices.push_back(slice);
  }
  return slices;
}

static bool haveSamePlace(OffsetSizeAndStrideOpInterface a,
                          OffsetSizeAndStrideOpInterface b) {
  return isEqualConstantIntOrValueArray(a.getMixedOffsets(),
                                        b.getMixedOffsets()) &&
         isEqualConstantIntOrValueArray(a.getMixedSizes(), b.getMixedSizes());
}

static bool haveSameExtents(Value a, Value b) {
  auto shape = cast<RankedTensorType>(a.getType()).getShape(),
       other = cast<RankedTensorType>(b.getType()).getShape();
  if (shape.size() != other.size())
    return false;
  return llvm::all_of(llvm::seq<int64_t>(0, shape.size()), [&](int64_t dim) {
    FailureOr<bool> areEqual =
        ValueBoundsConstraintSet::areEqual({a, dim}, {b, dim});
    return succeeded(areEqual) && *areEqual;
  });
}

/// Results of a loop are put together of all its tiles: what is read in the
/// place of one, of a tensor with as many elements, is all of it.
static bool readsAll(scf::ForallOp loop, tensor::ExtractSliceOp slice) {
  return llvm::any_of(
      loop.getTerminator().getBody()->getOps<tensor::ParallelInsertSliceOp>(),
      [&](tensor::ParallelInsertSliceOp insert) {
        auto destination = cast<BlockArgument>(insert.getDest());
        return haveSamePlace(slice, insert) &&
               haveSameExtents(slice.getSource(),
                               loop.getTiedOpOperand(destination)->get());
      });
}

/// One result, of which each round of the op's loops computes an element from
/// those in its own place.
static bool isElementwise(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 0 && op->getNumResults() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) &&
         op.getBody()->getOps<linalg::IndexOp>().empty() &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return isInOrder(op.getMatchingIndexingMap(input));
         });
}

/// The op's tile in the place of `slice`.
static linalg::GenericOp computeTile(RewriterBase &rewriter,
                                     linalg::GenericOp op,
                                     tensor::ExtractSliceOp slice) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(sliceOfTile(
        rewriter, loc, input->get(), op.getMatchingIndexingMap(input),
        slice.getMixedOffsets(), slice.getMixedSizes()));
  Value empty = tensor::EmptyOp::create(rewriter, loc, slice.getMixedSizes(),
                                        slice.getType().getElementType());
  auto tile = linalg::GenericOp::create(rewriter, loc, empty.getType(), inputs,
                                        empty, op.getIndexingMapsArray(),
                                        op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op.getRegion(), tile.getRegion(),
                             tile.getRegion().end());
  return tile;
}

bool mlir::smx::fuseIntoReader(RewriterBase &rewriter, linalg::GenericOp op) {
  if (!isElementwise(op))
    return false;
  SmallVector<tensor::ExtractSliceOp> slices = slicesOf(op);
  if (slices.empty())
    return false;
  auto loop = cast<scf::ForallOp>(slices.front()->getParentOp());
  if (multipliesMatrices(loop) || !readsAll(loop, slices.front()) ||
      !llvm::all_of(slices, [&](tensor::ExtractSliceOp slice) {
        return haveSamePlace(slice, slices.front());
      }))
    return false;

  rewriter.setInsertionPoint(loop);
  unsigned number = loop.getNumResults();
  scf::ForallOp wider = addResults(rewriter, loop, op.getDpsInits()[0]);
  tensor::ExtractSliceOp first = slices.front();
  for (tensor::ExtractSliceOp slice : slices)
    if (slice->isBeforeInBlock(first))
      first = slice;
  rewriter.setInsertionPoint(first);
  linalg::GenericOp tile = computeTile(rewriter, op, first);
  rewriter.setInsertionPointToEnd(wider.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(
      rewriter, op.getLoc(), tile.getResult(0),
      wider.getRegionIterArgs()[number], first.getMixedOffsets(),
      first.getMixedSizes(), first.getMixedStrides());
  for (tensor::ExtractSliceOp slice : slices)
    rewriter.replaceOp(slice, tile.getResult(0));
  rewriter.replaceOp(op, wider.getResult(number));
  rewriter.replaceOp(loop, wider.getResults().take_front(number));
  return true;
}
