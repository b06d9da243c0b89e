//===- TilePass.cpp - loops over tiles of rows ----------------------------===//
//
// One group is a finished state and every op that reads it.
//
//===----------------------------------------------------------------------===//

#include "StreamBounds.h"
#include "TiledReduction.h"
#include "smx/IR/OptionBounds.h"
#include "smx/IR/SourcePlace.h"
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

namespace {
struct TilePass : mlir::smx::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"rows", rows},
                                  {"stream", stream},
                                  {"resident-bytes", residentBytes},
                                  {"deferred-bytes", deferredBytes},
                                  {"row-bytes", rowBytes},
                                  {"held-blocks", heldBlocks},
                                  {"parts", parts},
                                  {"slots", slots},
                                  {"shared-bytes", sharedBytes}});
  }

  void runOnOperation() override {
    llvm::MapVector<Value, SmallVector<FinishOp>> groups;
    getOperation().walk(
        [&](FinishOp op) { groups[op.getStates()[0]].push_back(op); });
    for (auto &[state, finishes] : groups)
      for (MutableArrayRef<FinishOp> left = finishes; !left.empty();) {
        size_t count = gatherAtFirst(left);
        if (failed(tileGroup(state, left.take_front(count), rows, stream,
                             PartOptions{parts, slots}, std::nullopt)))
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

  /// `wantedRows` and `wantedStream` are 0 where the model chooses. Blocks of
  /// threads have a part of streamed results each, if there are `resultParts`.
  LogicalResult tileGroup(Value state, MutableArrayRef<FinishOp> finishes,
                          int64_t wantedRows, int64_t wantedStream,
                          const PartOptions &partOptions,
                          std::optional<StreamParts> resultParts) {
    if (llvm::all_of(finishes, hasNoElements)) {
      for (FinishOp finish : finishes) {
        OpBuilder builder(finish);
        finish.getResult().replaceAllUsesWith(tensor::EmptyOp::create(
            builder, finish.getLoc(), finish.getResult().getType(),
            ValueRange()));
        finish.erase();
      }
      return success();
    }
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
    // Parts of a row are tiles of their own.
    bool isPart = llvm::any_of(group, llvm::IsaPred<MergeOp>);
    int64_t heldBytes = !isPart ? rowBytes
                        : isStreamed
                            ? 0
                            : std::min<int64_t>(rowBytes, halfRowBytes);
    std::optional<int64_t> extent =
        getConstantIntValue(sizes[reduction.getNumRows()]);
    if (blocks && wantedStream == 0 && extent &&
        isReadByCluster(reduction,
                        ArrayRef(sizes).take_front(reduction.getNumRows()),
                        *extent, heldBlocks, partOptions.slots))
      wantedStream = *extent;
    TileSizes tileSizes;
    if (blocks) {
      BlockTileOptions options;
      options.rows = wantedRows;
      options.stream = wantedStream;
      options.parts = partOptions.parts;
      options.rowBytes = heldBytes;
      options.warpgroups = warpgroups;
      options.slots = partOptions.slots;
      options.sharedBytes = sharedBytes;
      tileSizes = chooseBlockTileSizes(reduction, finishes, sizes, options);
    } else {
      CacheTileOptions options;
      options.rows = wantedRows;
      options.stream = wantedStream;
      options.residentBytes = residentBytes;
      options.wantsResidentRows = isStreamed;
      options.deferredBytes = deferredBytes;
      options.canDefer = canDefer(reduction, group, finishes);
      tileSizes = chooseTileSizes(reduction, sizes, options);
    }
    tileSizes.fromDiagonal &= fromDiagonal;
    if (MaskOp mask = findBlocks(reduction))
      fitIntoBlocks(cast<BlocksAttr>(mask.getMask()), wantedRows, wantedStream,
                    tileSizes);
    if (failed(fitIntoPages(reduction, wantedStream, tileSizes)))
      return failure();
    remark::passed(reduction.getLoc(),
                   remark::RemarkOpts::name("TileSizes").category("smx-tile"))
        << remark::metric("rows", tileSizes.rows.empty()
                                      ? int64_t(1)
                                      : tileSizes.rows.back())
        << remark::metric("stream", tileSizes.stream)
        << remark::metric("columns", tileSizes.columns)
        << remark::metric("deferred", tileSizes.isDeferred);
    reportShared(reduction, finishes);
    reportMask(reduction, sizes, tileSizes);
    StateAlgebraAttrInterface algebra = finishes.front().getAlgebra();
    // What is split already has parts of different lengths.
    if (algebra.hasParts() && blocks && !isPart)
      if (std::optional<StreamParts> cut = chooseStreamParts(
              builder, reduction, sizes, tileSizes, partOptions))
        return tileParts(builder, reduction, group, finishes, tileSizes, sizes,
                         *cut,
                         PartsAlgebraAttr::get(builder.getContext(), algebra));
    group.append(finishes.begin(), finishes.end());
    SmallVector<Value> results =
        TiledReduction(finishes, reduction, group, tileSizes, sizes,
                       resultParts, PartsOf::Results)
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

  /// Says of ops that finish a state that another has made where that stands.
  static void reportShared(Operation *reduction, ArrayRef<FinishOp> finishes) {
    std::string place = placeOf(reduction->getLoc());
    llvm::SmallDenseSet<Location> reported{reduction->getLoc()};
    for (FinishOp finish : finishes)
      if (reported.insert(finish.getLoc()).second &&
          placeOf(finish.getLoc()) != place)
        remark::passed(
            finish.getLoc(),
            remark::RemarkOpts::name("SharedState").category("smx-tile"))
            << remark::metric("computed-with", place);
  }

  /// Blocks of threads stream a part each, and others merge their states; for
  /// streamed results each of these has the same part of them.
  LogicalResult
  tileParts(OpBuilder &builder, StreamingReductionOpInterface reduction,
            SmallVector<Operation *> group, MutableArrayRef<FinishOp> finishes,
            const TileSizes &tileSizes, ArrayRef<OpFoldResult> sizes,
            const StreamParts &cut, StateAlgebraAttrInterface algebra) {
    remark::passed(reduction.getLoc(),
                   remark::RemarkOpts::name("StreamParts").category("smx-tile"))
        << remark::metric("parts", getConstantIntValue(cut.count).value_or(0))
        << remark::metric("extent",
                          getConstantIntValue(cut.extent).value_or(0));
    SmallVector<Operation *> consumers = group;
    consumers.append(finishes.begin(), finishes.end());
    bool isStreamed =
        llvm::any_of(finishes, [](FinishOp op) { return op.isStreamed(); });
    SmallVector<Value> states =
        TiledReduction(finishes, reduction, consumers, tileSizes, sizes, cut,
                       PartsOf::States)
            .build(builder);
    SmallVector<FinishOp> merged =
        mergeParts(builder, reduction, finishes, algebra, states);
    for (auto [finish, other] : llvm::zip(finishes, merged)) {
      finish.getResult().replaceAllUsesWith(other.getResult());
      finish.erase();
    }
    // What feeds the state that nobody asks for any more is needed by the
    // results alone, and fused into them.
    for (Operation *op : group)
      if (isOpTriviallyDead(op))
        op->erase();
    // What is asked for is about the input, not about parts.
    PartOptions whole{/*parts=*/1, slots};
    if (isStreamed)
      return tileGroup(merged.front().getStates()[0], merged,
                       tileSizes.rows.empty() ? 0 : tileSizes.rows.back(),
                       tileSizes.stream, whole, cut);
    return tileGroup(merged.front().getStates()[0], merged, /*wantedRows=*/0,
                     /*wantedStream=*/0, whole, std::nullopt);
  }

  /// Tiles that lie in blocks are not masked: a somewhat smaller tile that does
  /// is better, of whole rows of a matrix unit (and of its warpgroups).
  void fitIntoBlocks(BlocksAttr marked, int64_t wantedRows,
                     int64_t wantedStream, TileSizes &tileSizes) {
    auto fit = [](int64_t &tile, int64_t block, int64_t unit) {
      for (int64_t fitting = tile; fitting >= unit; --fitting)
        if (fitting % unit == 0 && block % fitting == 0) {
          tile = fitting;
          return;
        }
    };
    if (wantedStream == 0)
      fit(tileSizes.stream, marked.getKeys(), /*unit=*/16);
    if (wantedRows == 0 && !tileSizes.rows.empty())
      fit(tileSizes.rows.back(), marked.getRows(),
          /*unit=*/blocks && warpgroups ? 64 : 16);
  }

  /// A tile of the stream lies in one page.
  static LogicalResult fitIntoPages(StreamingReductionOpInterface reduction,
                                    int64_t wantedStream,
                                    TileSizes &tileSizes) {
    int64_t page = getPageExtent(reduction);
    if (page == 0 || page % tileSizes.stream == 0)
      return success();
    int64_t fitting = std::min(tileSizes.stream, page);
    while (page % fitting != 0)
      --fitting;
    if (wantedStream != 0)
      return reduction->emitOpError("expected tiles of keys that divide a page "
                                    "of ")
             << page << " keys, got " << wantedStream << "; tiles of "
             << fitting << " would work";
    tileSizes.stream = fitting;
    return success();
  }

  /// Which tiles the mask of the scores leaves, if any.
  static void reportMask(StreamingReductionOpInterface reduction,
                         ArrayRef<OpFoldResult> sizes,
                         const TileSizes &tileSizes) {
    // Counting takes time.
    if (!reduction.getContext()->getRemarkEngine() || tileSizes.rows.empty())
      return;
    if (MaskOp mask = findBlocks(reduction)) {
      auto blocks = cast<BlocksAttr>(mask.getMask());
      remark::analysis(
          reduction.getLoc(),
          remark::RemarkOpts::name("MarkedBlocks").category("smx-tile"))
          << remark::metric("rows", blocks.getRows())
          << remark::metric("keys", blocks.getKeys())
          << remark::metric("tiles-in-blocks",
                            areTilesInBlocks(blocks, tileSizes.rows.back(),
                                             tileSizes.stream));
    }
    std::optional<TileCounts> counts =
        countTiles(reduction, sizes, tileSizes.rows.back(), tileSizes.stream);
    if (!counts)
      return;
    int64_t all = counts->whole + counts->cut + counts->skipped;
    remark::analysis(
        reduction.getLoc(),
        remark::RemarkOpts::name("MaskedTiles").category("smx-tile"))
        << remark::metric("whole", counts->whole)
        << remark::metric("cut", counts->cut)
        << remark::metric("skipped", counts->skipped)
        << remark::metric("skipped-percent",
                          all ? 100 * counts->skipped / all : 0);
  }

  /// One stream, and one quantity of what is streamed that its algebra can
  /// defer.
  static bool canDefer(StreamingReductionOpInterface reduction,
                       ArrayRef<Operation *> group,
                       MutableArrayRef<FinishOp> finishes) {
    FinishOp finish = finishes.front();
    return finishes.size() == 1 && finish.isStreamed() &&
           llvm::none_of(group, llvm::IsaPred<MergeOp>) &&
           ValueRange(finish.getInputs()) == reduction.getInputOperands() &&
           finish.getAlgebra().getDeferred(finish.getQuantity());
  }

  static OpFoldResult streamExtent(OpBuilder &builder, FinishOp finish) {
    auto map = cast<AffineMapAttr>(finish.getMaps()[finish.getStates().size()])
                   .getValue();
    unsigned position = *map.getResultPosition(
        getAffineDimExpr(finish.getNumRows(), builder.getContext()));
    return tensor::getMixedSize(builder, finish.getLoc(), finish.getInputs()[0],
                                position);
  }
};
} // namespace
