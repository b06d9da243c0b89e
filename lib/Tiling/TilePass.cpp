//===- TilePass.cpp - loops over tiles of rows ----------------------------===//
//
// One group is a finished state and every op that reads it.
//
//===----------------------------------------------------------------------===//

#include "BlockMapping.h"
#include "StreamBounds.h"
#include "TileReports.h"
#include "TiledReduction.h"
#include "smx/IR/OptionBounds.h"
#include "smx/Tiling/LongRows.h"
#include "smx/Tiling/Passes.h"
#include "smx/Tiling/RowParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::smx {
#define GEN_PASS_DEF_TILEPASS
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// The extent of the whole stream that `finish` takes once more.
static OpFoldResult streamExtent(OpBuilder &builder, FinishOp finish) {
  auto map = cast<AffineMapAttr>(finish.getMaps()[finish.getStates().size()])
                 .getValue();
  unsigned position = *map.getResultPosition(
      getAffineDimExpr(finish.getNumRows(), builder.getContext()));
  return tensor::getMixedSize(builder, finish.getLoc(), finish.getInputs()[0],
                              position);
}

namespace {
/// A state, what it is computed from, and all that is finished from it.
struct StateGroup {
  StateGroup(OpBuilder &builder, StreamingReductionOpInterface reduction,
             SmallVector<Operation *> ops, MutableArrayRef<FinishOp> finishes)
      : reduction(reduction), stateOps(std::move(ops)), finishes(finishes),
        isStreamed(llvm::any_of(finishes,
                                [](FinishOp op) { return op.isStreamed(); })),
        isPart(llvm::any_of(stateOps, llvm::IsaPred<MergeOp>)),
        sizes(reduction.getDomainSizes(builder, reduction.getLoc())) {
    // Splits see a part of the stream each; a finish sees all of it.
    for (FinishOp finish : finishes)
      if (finish.isStreamed())
        sizes[reduction.getNumRows()] = streamExtent(builder, finish);
  }

  /// All ops that read what is streamed.
  SmallVector<Operation *> consumers() const {
    SmallVector<Operation *> ops = stateOps;
    ops.append(finishes.begin(), finishes.end());
    return ops;
  }

  /// One of the updates: all have the same rows and inputs of the same kind.
  StreamingReductionOpInterface reduction;
  /// The ops that make the state, readers first.
  SmallVector<Operation *> stateOps;
  MutableArrayRef<FinishOp> finishes;
  /// A result has a value for every element of the stream.
  bool isStreamed;
  /// The state is merged from several: `reduction` sees a part of the stream.
  bool isPart;
  /// Extents of the domain of `finishes`.
  SmallVector<OpFoldResult> sizes;
};

/// What is asked for of the tiles of a group.
struct TileRequest {
  /// In elements; 0 leaves them to the model.
  int64_t rows = 0, stream = 0;
  PartOptions parts;
  /// Each block of threads has one of these parts of streamed results, and
  /// makes the whole state for it.
  std::optional<StreamParts> resultParts;
};

struct TilePass : mlir::smx::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"rows", rows},
                                  {"stream", stream},
                                  {"resident-bytes", residentBytes},
                                  {"deferred-bytes", deferredBytes},
                                  {"row-bytes", rowBytes},
                                  {"slid-row-bytes", slidRowBytes},
                                  {"alignment", alignment},
                                  {"held-blocks", heldBlocks},
                                  {"strip-blocks", stripBlocks, /*least=*/1},
                                  {"parts", parts},
                                  {"slots", slots},
                                  {"multiprocessors", multiprocessors},
                                  {"shared-bytes", sharedBytes}});
  }

  void runOnOperation() override {
    llvm::MapVector<Value, SmallVector<FinishOp>> groups;
    getOperation().walk(
        [&](FinishOp op) { groups[op.getStates()[0]].push_back(op); });
    const TileRequest request{rows, stream, {parts, slots}, std::nullopt};
    for (auto &[state, finishes] : groups)
      for (MutableArrayRef<FinishOp> left = finishes; !left.empty();) {
        size_t count = gatherAtFirst(left);
        if (failed(tileGroup(state, left.take_front(count), request)))
          return signalPassFailure();
        left = left.drop_front(count);
      }
  }

  /// Those that can be computed where the first one is come first; returns how
  /// many. What they read is moved before it, unless that depends on it.
  static size_t gatherAtFirst(MutableArrayRef<FinishOp> finishes) {
    FinishOp first = finishes.front();
    IRRewriter rewriter(first);
    auto others = std::stable_partition(
        finishes.begin() + 1, finishes.end(), [&](FinishOp finish) {
          return succeeded(moveOperationDependencies(rewriter, finish, first));
        });
    return others - finishes.begin();
  }

  /// The state ops that `state` is computed from, readers first; none if a part
  /// of it comes from elsewhere.
  static SmallVector<Operation *> stateOpsOf(Value state) {
    llvm::SetVector<Operation *> ops;
    SmallVector<Value> worklist{state};
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val().getDefiningOp();
      if (!op)
        return {};
      if (!ops.insert(op))
        continue;
      if (auto merge = dyn_cast<MergeOp>(op))
        worklist.append({merge.getLhs()[0], merge.getRhs()[0]});
      else if (auto update = dyn_cast<StreamingReductionOpInterface>(op))
        worklist.push_back(update.getStateOperands().front());
    }
    return ops.takeVector();
  }

  /// True if nothing of the result is computed.
  static bool hasNoElements(FinishOp finish) {
    auto type = cast<RankedTensorType>(finish.getResult().getType());
    return type.hasStaticShape() && type.getNumElements() == 0;
  }

  /// The same in a domain of `sizes`, of which types may know less.
  static bool hasNoElements(FinishOp finish, ArrayRef<OpFoldResult> sizes) {
    return llvm::any_of(finish.getResultMap().getResults(), [&](AffineExpr e) {
      auto dim = dyn_cast<AffineDimExpr>(e);
      return dim && getConstantIntValue(sizes[dim.getPosition()]) == 0;
    });
  }

  /// Replaces results that have no elements.
  static void replaceByEmpty(MutableArrayRef<FinishOp> finishes) {
    for (FinishOp finish : finishes) {
      OpBuilder builder(finish);
      finish.getResult().replaceAllUsesWith(
          tensor::EmptyOp::create(builder, finish.getLoc(),
                                  finish.getResult().getType(), ValueRange()));
      finish.erase();
    }
  }
  static void replaceByEmpty(OpBuilder &builder,
                             MutableArrayRef<FinishOp> finishes,
                             ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
    DomainTile whole{zeros, llvm::to_vector(sizes)};
    SmallVector<Value> results;
    for (FinishOp finish : finishes)
      results.push_back(tensor::EmptyOp::create(
          builder, finish.getLoc(),
          sliceFor(builder, finish.getLoc(), finish.getResultMap(), whole)
              .sizes,
          finish.getResult().getType().getElementType()));
    replaceBy(builder, finishes, results);
  }

  /// Replaces each finish by one of `results`, whose types may know less.
  static void replaceBy(OpBuilder &builder, MutableArrayRef<FinishOp> finishes,
                        ValueRange results) {
    for (auto [finish, result] : llvm::zip_equal(finishes, results)) {
      Value replacement = result;
      if (result.getType() != finish.getResult().getType())
        replacement = tensor::CastOp::create(
            builder, finish.getLoc(), finish.getResult().getType(), result);
      finish.getResult().replaceAllUsesWith(replacement);
    }
    for (FinishOp finish : finishes)
      finish.erase();
  }

  /// Builds the loops of the state `state` and of `finishes`, all of which read
  /// it, and replaces these.
  LogicalResult tileGroup(Value state, MutableArrayRef<FinishOp> finishes,
                          const TileRequest &request) {
    if (llvm::all_of(finishes, [](FinishOp op) { return hasNoElements(op); })) {
      replaceByEmpty(finishes);
      return success();
    }
    SmallVector<Operation *> stateOps = stateOpsOf(state);
    auto isUpdate = llvm::IsaPred<StreamingReductionOpInterface>;
    auto found = llvm::find_if(stateOps, isUpdate);
    // Nothing is streamed: canonicalisation drops updates of empty tiles.
    if (found == stateOps.end() && !stateOps.empty() &&
        isa<IdentityOp>(stateOps.front()))
      return success();
    if (found == stateOps.end() || llvm::any_of(stateOps, [&](Operation *op) {
          return !isUpdate(op) && !isa<IdentityOp, MergeOp>(op);
        }))
      return finishes.front().emitOpError(
          "expected a state made by smx.identity, smx.merge and updates; a "
          "state that comes from elsewhere is already tiled");
    OpBuilder builder(finishes.front());
    StateGroup group(builder, cast<StreamingReductionOpInterface>(*found),
                     std::move(stateOps), finishes);
    auto empty = std::stable_partition(
        finishes.begin(), finishes.end(),
        [&](FinishOp op) { return !hasNoElements(op, group.sizes); });
    if (empty != finishes.end()) {
      size_t count = empty - finishes.begin();
      replaceByEmpty(builder, finishes.drop_front(count), group.sizes);
      return count == 0 ? success()
                        : tileGroup(state, finishes.take_front(count), request);
    }
    FailureOr<TileSizes> tileSizes = chooseSizes(group, request);
    if (failed(tileSizes))
      return failure();
    // Beside dimensions of rows there are loops over parts and strips.
    unsigned numRows = group.reduction.getNumRows(),
             most = mostBlockDims - 1 - tileSizes->hasStrips(group.sizes);
    if (blocks && numRows > most)
      return finishes.front().emitOpError("has ")
             << numRows << " dimensions of rows, and kernels have at most "
             << most << "; tensor.collapse_shape in front of it would work";
    reportTiles(group.reduction, finishes, group.sizes, *tileSizes);
    // What is split already has parts of different lengths.
    if (blocks && !group.isPart && finishes.front().getAlgebra().hasParts())
      if (std::optional<StreamParts> cut = chooseStreamParts(
              builder, group.reduction, group.sizes, *tileSizes, request.parts))
        return tileParts(builder, group, *tileSizes, *cut);
    SmallVector<Operation *> consumers = group.consumers();
    replaceBy(builder, finishes,
              TiledReduction(finishes, group.reduction, consumers, *tileSizes,
                             group.sizes, request.resultParts, PartsOf::Results)
                  .build(builder));
    return success();
  }

  /// The tiles of a group, as its masks and pages want them; fails with a
  /// diagnostic if the caller wants tiles that do not fit pages.
  FailureOr<TileSizes> chooseSizes(const StateGroup &group,
                                   TileRequest request) {
    StreamingReductionOpInterface reduction = group.reduction;
    const unsigned numRows = reduction.getNumRows();
    std::optional<int64_t> extent = getConstantIntValue(group.sizes[numRows]);
    if (blocks && request.stream == 0 && extent &&
        isReadByCluster(reduction, ArrayRef(group.sizes).take_front(numRows),
                        *extent, heldBlocks, request.parts.slots))
      request.stream = *extent;
    TileSizes tileSizes = blocks ? chooseForBlocks(group, request)
                                 : chooseForCaches(group, request);
    tileSizes.fromDiagonal &= fromDiagonal;
    if (MaskOp mask = findBlocks(reduction))
      fitIntoBlocks(cast<BlocksAttr>(mask.getMask()), request, tileSizes);
    if (failed(fitIntoPages(reduction, request.stream, tileSizes)))
      return failure();
    return tileSizes;
  }

  TileSizes chooseForBlocks(const StateGroup &group,
                            const TileRequest &request) {
    BlockTileOptions options{.rows = request.rows,
                             .stream = request.stream,
                             .parts = request.parts.parts,
                             .rowBytes = rowBytes,
                             .slidRowBytes = slidRowBytes,
                             .stripBlocks = stripBlocks,
                             .alignment = alignment,
                             .warpgroups = warpgroups,
                             .multiprocessors = multiprocessors,
                             .slots = request.parts.slots,
                             .sharedBytes = sharedBytes};
    // Parts of a row are tiles of their own.
    if (group.isPart) {
      options.rowBytes =
          group.isStreamed ? 0 : std::min<int64_t>(rowBytes, halfRowBytes);
      options.stripBlocks = 1;
    }
    return chooseBlockTileSizes(group.reduction, group.finishes, group.sizes,
                                options);
  }

  TileSizes chooseForCaches(const StateGroup &group,
                            const TileRequest &request) {
    CacheTileOptions options;
    options.rows = request.rows;
    options.stream = request.stream;
    options.residentBytes = residentBytes;
    options.wantsResidentRows = group.isStreamed;
    options.deferredBytes = deferredBytes;
    options.canDefer = canDefer(group);
    return chooseTileSizes(group.reduction, group.sizes, options);
  }

  /// Blocks of threads stream a part each, and others merge their states; for
  /// streamed results each of these has the same part of them.
  LogicalResult tileParts(OpBuilder &builder, const StateGroup &group,
                          const TileSizes &tileSizes, const StreamParts &cut) {
    StreamingReductionOpInterface reduction = group.reduction;
    remark::passed(reduction.getLoc(),
                   remark::RemarkOpts::name("StreamParts").category("smx-tile"))
        << remark::metric("parts", getConstantIntValue(cut.count).value_or(0))
        << remark::metric("extent",
                          getConstantIntValue(cut.extent).value_or(0));
    MutableArrayRef<FinishOp> finishes = group.finishes;
    auto algebra = PartsAlgebraAttr::get(builder.getContext(),
                                         finishes.front().getAlgebra());
    SmallVector<Operation *> consumers = group.consumers();
    SmallVector<Value> states =
        TiledReduction(finishes, reduction, consumers, tileSizes, group.sizes,
                       cut, PartsOf::States)
            .build(builder);
    SmallVector<FinishOp> merged =
        mergeParts(builder, reduction, finishes, algebra, states);
    for (auto [finish, other] : llvm::zip(finishes, merged)) {
      finish.getResult().replaceAllUsesWith(other.getResult());
      finish.erase();
    }
    // What feeds the state that nobody asks for any more is needed by the
    // results alone, and fused into them.
    for (Operation *op : group.stateOps)
      if (isOpTriviallyDead(op))
        op->erase();
    // What the caller wants is about the input, not about its parts.
    TileRequest merging;
    merging.parts = {/*parts=*/1, slots};
    if (group.isStreamed) {
      merging.rows = tileSizes.rows.empty() ? 0 : tileSizes.rows.back();
      merging.stream = tileSizes.stream;
      merging.resultParts = cut;
    }
    return tileGroup(merged.front().getStates()[0], merged, merging);
  }

  /// Tiles that lie in blocks are not masked: a somewhat smaller tile that does
  /// is better, of whole rows of a matrix unit (and of its warpgroups).
  void fitIntoBlocks(BlocksAttr marked, const TileRequest &request,
                     TileSizes &tileSizes) {
    auto fit = [](int64_t &tile, int64_t block, int64_t unit) {
      for (int64_t fitting = tile; fitting >= unit; --fitting)
        if (fitting % unit == 0 && block % fitting == 0) {
          tile = fitting;
          return;
        }
    };
    if (request.stream == 0)
      fit(tileSizes.stream, marked.getKeys(), /*unit=*/16);
    if (request.rows == 0 && !tileSizes.rows.empty())
      fit(tileSizes.rows.back(), marked.getRows(),
          /*unit=*/blocks && warpgroups ? 64 : 16);
  }

  /// One stream, and one quantity of what is streamed that its algebra can
  /// defer.
  static bool canDefer(const StateGroup &group) {
    FinishOp finish = group.finishes.front();
    StreamingReductionOpInterface reduction = group.reduction;
    return group.finishes.size() == 1 && finish.isStreamed() && !group.isPart &&
           ValueRange(finish.getInputs()) == reduction.getInputOperands() &&
           finish.getAlgebra().getDeferred(finish.getQuantity());
  }
};
} // namespace
