//===- TileReports.cpp - remarks about tiles ------------------------------===//

#include "TileReports.h"

#include "StreamBounds.h"
#include "smx/IR/SourcePlace.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::smx;

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
      countTiles(reduction, sizes, tileSizes.rows.back(), tileSizes.stream,
                 tileSizes.cutStream());
  if (!counts)
    return;
  int64_t all = counts->whole + counts->cut + counts->skipped;
  remark::analysis(reduction.getLoc(),
                   remark::RemarkOpts::name("MaskedTiles").category("smx-tile"))
      << remark::metric("whole", counts->whole)
      << remark::metric("cut", counts->cut)
      << remark::metric("skipped", counts->skipped)
      << remark::metric("skipped-percent",
                        all ? 100 * counts->skipped / all : 0);
}

void mlir::smx::reportTiles(StreamingReductionOpInterface reduction,
                            ArrayRef<FinishOp> finishes,
                            ArrayRef<OpFoldResult> sizes,
                            const TileSizes &tileSizes) {
  remark::passed(reduction.getLoc(),
                 remark::RemarkOpts::name("TileSizes").category("smx-tile"))
      << remark::metric("rows", tileSizes.rows.empty() ? int64_t(1)
                                                       : tileSizes.rows.back())
      << remark::metric("stream", tileSizes.stream)
      << remark::metric("columns", tileSizes.columns)
      << remark::metric("deferred", tileSizes.isDeferred);
  reportShared(reduction, finishes);
  reportMask(reduction, sizes, tileSizes);
}
