//===- TileOthersPass.cpp - loops for what no reduction took in -----------===//

#include "BlockMapping.h"
#include "LoopFusion.h"
#include "OtherTiles.h"
#include "ProductTiles.h"
#include "smx/IR/OptionBounds.h"
#include "smx/IR/WholeResults.h"
#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx {
#define GEN_PASS_DEF_TILEOTHERSPASS
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// The loops around `op` carry its results whole: no slices of them.
static void carryWhole(RewriterBase &rewriter, linalg::GenericOp op) {
  auto as = [&](Value value, Type type) -> Value {
    return value.getType() == type
               ? value
               : tensor::CastOp::create(rewriter, op.getLoc(), type, value);
  };
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto slice = init.get().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !isa<BlockArgument>(slice.getSource()))
      continue;
    rewriter.setInsertionPoint(op);
    init.set(as(slice.getSource(), init.get().getType()));
    for (Operation *user :
         llvm::make_early_inc_range(op.getTiedOpResult(&init).getUsers()))
      if (auto insert = dyn_cast<tensor::InsertSliceOp>(user)) {
        rewriter.setInsertionPoint(insert);
        rewriter.replaceOp(insert, as(insert.getSource(), insert.getType()));
      }
    if (slice->use_empty())
      rewriter.eraseOp(slice);
  }
}

/// Inner loops over what the op reduces: tiles of the dimension that is fastest
/// in memory, one by one over all others.
static LogicalResult tileReduction(RewriterBase &rewriter,
                                   linalg::GenericOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (reduced.empty())
    return success();
  unsigned fastest = reduced.back();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (map.getNumResults() == 0)
      continue;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (last && llvm::is_contained(reduced, last.getPosition()))
      fastest = last.getPosition();
  }
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
  for (unsigned dim : reduced)
    sizes[dim] = rewriter.getIndexAttr(dim == fastest ? otherTileExtent : 1);
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  rewriter.setInsertionPoint(op);
  auto tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  rewriter.replaceOp(op, tiled->replacements);
  for (Operation *inner : tiled->tiledOps)
    carryWhole(rewriter, cast<linalg::GenericOp>(inner));
  return success();
}

/// One value of all elements, or a scalar: a loop of one block.
static LogicalResult tileInOneBlock(RewriterBase &rewriter,
                                    linalg::GenericOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> destinations;
  for (Value init : op.getDpsInits())
    destinations.push_back(tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, init),
        getElementTypeOrSelf(init.getType())));
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  auto forall = scf::ForallOp::create(
      rewriter, loc, zero, one, one, destinations,
      rewriter.getArrayAttr(blockMapping(op.getContext(), 1)));
  rewriter.setInsertionPointToStart(forall.getBody());
  IRMapping mapping;
  for (Value init : op.getDpsInits())
    if (auto fill = init.getDefiningOp<linalg::FillOp>())
      mapping.map(init, rewriter.clone(*fill)->getResult(0));
  auto inner = cast<linalg::GenericOp>(rewriter.clone(*op, mapping));
  rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [result, destination] :
       llvm::zip(inner.getResults(), forall.getRegionIterArgs())) {
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    tensor::ParallelInsertSliceOp::create(
        rewriter, loc, result, destination,
        SmallVector<OpFoldResult>(rank, zero),
        tensor::getMixedSizes(rewriter, loc, destination),
        SmallVector<OpFoldResult>(rank, one));
  }
  rewriter.replaceOp(op, forall.getResults());
  return tileReduction(rewriter, inner);
}

/// Results of `op` that begin with what is in their inits; what a fill leaves
/// there is filled in where it is used.
static SmallVector<unsigned> findReadInits(linalg::GenericOp op) {
  SmallVector<unsigned> read;
  for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable()))
    if (op.payloadUsesValueFromOperand(&init) &&
        !init.get().getDefiningOp<linalg::FillOp>())
      read.push_back(number);
  return read;
}

/// A tile begins with what is in the tensor that it is a part of: the memory
/// of a result is new, and has nothing.
static void readFromInit(RewriterBase &rewriter, scf::ForallOp loop,
                         unsigned number) {
  BlockArgument result = loop.getRegionIterArgs()[number];
  Value init = loop.getOutputs()[number];
  for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
    if (isa<tensor::ExtractSliceOp>(use.getOwner()))
      rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(init); });
}

/// A reduction of no elements gives what it starts from.
static bool isReducedOverNothing(linalg::GenericOp op) {
  return llvm::any_of(
      llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()),
      [](auto loop) {
        auto [extent, kind] = loop;
        return extent == 0 && kind == utils::IteratorType::reduction;
      });
}

static LogicalResult tile(RewriterBase &rewriter, linalg::GenericOp op,
                          int64_t alignment) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!writesAll(op, init))
      return op.emitOpError("writes only a part of a result of type ")
             << init.get().getType()
             << ", which has no kernel; an smx or linalg op on a slice, and "
                "tensor.insert_slice, would work";
  if (op.getNumReductionLoops() != 0 &&
      llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
        return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
      }))
    return op.emitOpError(
        "is reduced over places that are sums of its loops, "
        "as a convolution is, or read backwards, which has no "
        "kernel; a product of matrices, of the patches, or a "
        "reduction of what an op of its own reads, would work");
  if (isReducedOverNothing(op)) {
    rewriter.replaceOp(op, op.getDpsInits());
    return success();
  }
  SmallVector<OpFoldResult> sizes = tileSizesOf(op, alignment);
  SmallVector<unsigned> readInits = findReadInits(op);
  unsigned loops = llvm::count_if(
      sizes, [](OpFoldResult size) { return getConstantIntValue(size) != 0; });
  if (loops == 0)
    return tileInOneBlock(rewriter, op);
  if (loops > mostBlockDims)
    return op.emitOpError("has ")
           << loops << " parallel dimensions, and kernels have at most "
           << mostBlockDims
           << "; tensor.collapse_shape in front of it would work";
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  options.tilingOptions.setTileSizes(sizes);
  options.tilingOptions.setMapping(blockMapping(op.getContext(), loops));
  // What a sum starts from is filled in where it is used.
  options.setFusionControlFn(
      [](tensor::ExtractSliceOp, OpResult producer,
         bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (isa<linalg::FillOp>(producer.getOwner()))
          return scf::SCFTileAndFuseOptions::ControlFnResult{};
        return std::nullopt;
      });
  rewriter.setInsertionPoint(op);
  auto tiled = scf::tileConsumerAndFuseProducersUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return op.emitOpError("can not be cut into tiles");
  SmallVector<Value> replacements;
  for (OpResult result : op->getResults())
    replacements.push_back(tiled->replacements.lookup(result));
  rewriter.replaceOp(op, replacements);
  for (unsigned number : readInits)
    readFromInit(rewriter, cast<scf::ForallOp>(tiled->loops.front()), number);
  for (Operation *inner : tiled->tiledAndFusedOps)
    if (auto generic = dyn_cast<linalg::GenericOp>(inner))
      if (failed(tileReduction(rewriter, generic)))
        return failure();
  return success();
}

static FailureOr<linalg::GenericOp> generalize(RewriterBase &rewriter,
                                               linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> generic =
      linalg::generalizeNamedOp(rewriter, op);
  if (failed(generic))
    op->emitOpError("has no generic form");
  return generic;
}

/// Sums and other named ops of single elements become generic ones, which may
/// be computed where rows are.
static LogicalResult generalizeElementwise(RewriterBase &rewriter,
                                           Block &block) {
  for (auto op : llvm::make_early_inc_range(block.getOps<linalg::LinalgOp>()))
    if (!isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp>(op) &&
        linalg::isElementwise(op) && op.hasPureTensorSemantics() &&
        failed(generalize(rewriter, op)))
      return failure();
  return success();
}

namespace {
struct TileOthersPass : mlir::smx::impl::TileOthersPassBase<TileOthersPass> {
  using TileOthersPassBase::TileOthersPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"alignment", alignment}});
  }

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    // What nobody reads is not computed: indices beside maxima, above all.
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    // A fill, and a slice that is inserted.
    linalg::populateDecomposePadPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    // A tensor is a value: a copy of one is the same.
    getOperation().walk([&](linalg::CopyOp copy) {
      if (copy.hasPureTensorSemantics() &&
          copy.getInputs().getTypes() == copy->getResultTypes())
        rewriter.replaceOp(copy, copy.getInputs());
    });
    Block &body = getOperation().getBody().front();
    if (failed(generalizeElementwise(rewriter, body)))
      return signalPassFailure();
    // Readers first: what is computed in a loop makes slices of what it reads.
    SmallVector<linalg::GenericOp> generics(body.getOps<linalg::GenericOp>());
    for (linalg::GenericOp op : llvm::reverse(generics))
      fuseIntoReader(rewriter, op);
    // What fits into no loop gets one of its own below.
    for (auto op : llvm::make_early_inc_range(body.getOps<linalg::GenericOp>()))
      fuseIntoLoop(rewriter, op);
    SmallVector<linalg::LinalgOp> others;
    for (auto op : body.getOps<linalg::LinalgOp>()) {
      // It would go with those whose results nobody reads.
      if (!op.hasPureTensorSemantics()) {
        op->emitOpError("writes memory itself, which has no kernel; the same "
                        "on tensors would work");
        return signalPassFailure();
      }
      others.push_back(op);
    }
    for (linalg::LinalgOp op : llvm::reverse(others)) {
      // Fused into its users.
      if (op->use_empty()) {
        rewriter.eraseOp(op);
        continue;
      }
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        auto generalized = generalize(rewriter, op);
        if (failed(generalized))
          return signalPassFailure();
        generic = *generalized;
      }
      if (failed(tile(rewriter, generic, alignment)))
        return signalPassFailure();
    }
  }
};
} // namespace
