//===- TileSizeModel.cpp - how large a tile is ----------------------------===//

#include "TileSizeModel.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

TileSizes mlir::smx::chooseTileSizes(StreamingReductionOpInterface op,
                                     ArrayRef<OpFoldResult> sizes,
                                     const CacheTileOptions &options) {
  constexpr int64_t productRows = 64, productStream = 128;
  constexpr int64_t passBytes = 8 << 10, longestStreamTile = 65536;
  unsigned numRows = op.getNumRows();
  bool hasColumns = op.getNumDims() > numRows + 1;
  int64_t elementBytes =
      getElementTypeOrSelf(op.getStateOperands().front().getType())
          .getIntOrFloatBitWidth() /
      8;
  std::optional<int64_t> extent = getConstantIntValue(sizes[numRows]);
  AffineMap streamed = op.getOperandMaps()[op.getStateOperands().size()];
  bool streamIsFastest = streamed.getResults().back() ==
                         getAffineDimExpr(numRows, op->getContext());

  TileSizes tile;
  int64_t tileRows;
  if (hasColumns) {
    tileRows = productRows;
    tile.stream = extent ? std::min(*extent, productStream) : productStream;
  } else if (streamIsFastest) {
    bool isResident = options.wantsResidentRows && extent &&
                      *extent * elementBytes <= options.residentBytes;
    tile.stream = isResident ? *extent
                  : extent   ? std::min(*extent, longestStreamTile)
                             : longestStreamTile;
    tileRows = std::clamp<int64_t>(
        passBytes / std::max<int64_t>(tile.stream * elementBytes, 1), 1, 16);
  } else {
    // A strip of rows: one cache line of them at least. Every tile costs the
    // running sum one rounding, so there are few, in the second cache.
    constexpr int64_t widestStrip = 256, narrowestStrip = 16, mostTiles = 8,
                      openStream = 256, stripBytes = 64 << 10;
    tileRows = widestStrip;
    if (numRows != 0)
      if (auto last = getConstantIntValue(sizes[numRows - 1]))
        tileRows = std::clamp<int64_t>(*last, 1, widestStrip);
    bool isResident =
        options.wantsResidentRows && extent &&
        *extent * tileRows * elementBytes <= options.residentBytes;
    int64_t fitting = passBytes / (tileRows * elementBytes);
    int64_t least =
        extent ? std::min<int64_t>(llvm::divideCeil(*extent, mostTiles),
                                   longestStreamTile)
               : openStream;
    tile.stream = isResident ? *extent : std::max(fitting, least);
    if (extent)
      tile.stream = std::min(tile.stream, *extent);
    while (!isResident && tileRows > narrowestStrip &&
           tileRows * tile.stream * elementBytes > stripBytes)
      tileRows = llvm::divideCeil(tileRows, 2);
  }
  if (options.stream != 0)
    tile.stream = extent ? std::min(*extent, options.stream) : options.stream;
  tile.stream = std::max<int64_t>(tile.stream, 1);
  if (options.rows != 0)
    tileRows = options.rows;
  tile.rows.assign(numRows, 1);
  if (numRows != 0) {
    std::optional<int64_t> last = getConstantIntValue(sizes[numRows - 1]);
    tile.rows.back() =
        std::max<int64_t>(last ? std::min(*last, tileRows) : tileRows, 1);
  }
  // A causal mask hides 64 elements of a row in what tiles of 64 rows by 128
  // visit, and 32 where those that it cuts are halves.
  tile.halvesCutTiles =
      hasColumns && options.stream == 0 && tile.stream == productStream;
  tile.isDeferred = options.canDefer && extent && *extent > tile.stream &&
                    *extent * (numRows ? tile.rows.back() : 1) * elementBytes <=
                        options.deferredBytes;
  return tile;
}

LogicalResult mlir::smx::fitIntoPages(StreamingReductionOpInterface reduction,
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
           << page << " keys, got " << wantedStream << "; tiles of " << fitting
           << " would work";
  tileSizes.stream = fitting;
  return success();
}
