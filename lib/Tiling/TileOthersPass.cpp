//===- TileOthersPass.cpp - loops for what no reduction took in -----------===//

#include "BlockMapping.h"
#include "ConsumerFusion.h"
#include "ProductTiles.h"
#include "smx/IR/WholeResults.h"
#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
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

/// Elements of a tile along each of its two dimensions.
static constexpr int64_t tileExtent = 64,
                         tileElements = tileExtent * tileExtent;

/// The dimension that memory runs along in every operand that has it, the last
/// one of all results; none if an operand runs along another one of its own
/// dimensions there.
static std::optional<unsigned> commonLine(linalg::GenericOp op) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0 ||
      !isa<AffineDimExpr>(result.getResults().back()))
    return std::nullopt;
  auto line = cast<AffineDimExpr>(result.getResults().back());
  bool isCommon = llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInput(&operand) && !map.isFunctionOfDim(line.getPosition()))
      return true;
    return map.getNumResults() != 0 && map.getResults().back() == line;
  });
  return isCommon ? std::optional(line.getPosition()) : std::nullopt;
}

/// Elements of a tile along the dimension that memory runs along, where nothing
/// is transposed: 512 are whole accesses of a warp, and what is known of a row
/// is read once for them. Fewer where too much of the last tile of the row
/// would be beyond its end. The gradient of cross entropy gained 4 to 7 % on
/// an H200.
static int64_t lineExtent(linalg::GenericOp op, unsigned dim) {
  constexpr int64_t longest = 512, mostWasted = 4;
  int64_t extent = op.getStaticLoopRanges()[dim];
  if (ShapedType::isDynamic(extent))
    return tileExtent;
  int64_t columns = longest;
  while (columns > tileExtent &&
         int64_t(llvm::alignTo(extent, columns)) - extent > extent / mostWasted)
    columns /= 2;
  return columns;
}

/// The loops that get a tile: the fastest dimension of the result, and that of
/// an operand where it is another one, so that both sides are read and written
/// along lines of memory. Where one dimension is fastest in all operands, the
/// tile is longer along it. All other parallel loops run one element at a time.
static SmallVector<OpFoldResult> tileSizesOf(linalg::GenericOp op) {
  Builder builder(op.getContext());
  SmallVector<OpFoldResult> sizes;
  for (utils::IteratorType kind : op.getIteratorTypesArray())
    sizes.push_back(
        builder.getIndexAttr(kind == utils::IteratorType::parallel ? 1 : 0));
  // A sum of products is a product of matrices; other reductions are tiles of
  // one dimension beside the reduced one.
  bool isProduct = isSumOfProducts(op);
  unsigned most = op.getNumReductionLoops() == 0 || isProduct ? 2 : 1;
  // Inputs are bits: those that have a dimension, and whose is chosen.
  auto inputsWith = [&](unsigned dim) {
    unsigned bits = 0;
    for (auto [number, input] : llvm::enumerate(op.getDpsInputOperands()))
      bits |= unsigned(op.getMatchingIndexingMap(input).isFunctionOfDim(dim))
              << number;
    return bits;
  };
  unsigned chosen = 0, taken = 0;
  std::optional<unsigned> line =
      op.getNumReductionLoops() == 0 ? commonLine(op) : std::nullopt;
  int64_t columns = line ? lineExtent(op, *line) : tileExtent;
  auto choose = [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || chosen == most ||
        getConstantIntValue(sizes[dim.getPosition()]) != 1)
      return;
    // Each of the two matrices has one of a product's dimensions.
    if (isProduct) {
      unsigned inputs = inputsWith(dim.getPosition());
      if (inputs == 3 || (inputs & taken))
        return;
      taken |= inputs;
    }
    sizes[dim.getPosition()] = builder.getIndexAttr(
        dim.getPosition() == line ? columns : tileElements / columns);
    ++chosen;
  };
  auto fastestOf = [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumResults() != 0)
      choose(map.getResults().back());
  };
  for (OpOperand &operand : op.getDpsInitsMutable())
    fastestOf(operand);
  if (!line)
    for (OpOperand *operand : op.getDpsInputOperands())
      fastestOf(*operand);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : llvm::reverse(result.getResults()))
    choose(expr);
  // Dot products of rows: of one matrix, whatever has it.
  if (std::exchange(isProduct, false) && chosen == 0)
    for (AffineExpr expr : llvm::reverse(result.getResults()))
      if (chosen == 0)
        choose(expr);
  return sizes;
}

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
    sizes[dim] = rewriter.getIndexAttr(dim == fastest ? tileExtent : 1);
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

static LogicalResult tile(RewriterBase &rewriter, linalg::GenericOp op) {
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
  SmallVector<OpFoldResult> sizes = tileSizesOf(op);
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

namespace {
struct TileOthersPass : mlir::smx::impl::TileOthersPassBase<TileOthersPass> {
  using TileOthersPassBase::TileOthersPassBase;

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
    // What fits into no loop gets one of its own below.
    for (auto op : llvm::make_early_inc_range(
             getOperation().getBody().front().getOps<linalg::GenericOp>()))
      fuseIntoLoop(rewriter, op);
    SmallVector<linalg::LinalgOp> others;
    for (auto op :
         getOperation().getBody().front().getOps<linalg::LinalgOp>()) {
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
        rewriter.setInsertionPoint(op);
        auto generalized = linalg::generalizeNamedOp(rewriter, op);
        if (failed(generalized)) {
          op->emitOpError("has no generic form");
          return signalPassFailure();
        }
        generic = *generalized;
      }
      if (failed(tile(rewriter, generic)))
        return signalPassFailure();
    }
  }
};
} // namespace
