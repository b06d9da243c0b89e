//===- BlockTileSizeModel.cpp - tiles for thread blocks -------------------===//

#include "ProductTiles.h"
#include "ScoreTerms.h"
#include "StreamBounds.h"
#include "TileSizeModel.h"
#include "WarpgroupTiles.h"
#include "smx/IR/Dequantization.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

/// Bytes of registers for an element of a row of `extent` elements: for all
/// tensors that long which the reduction and its quantities are computed from.
static int64_t bytesPerElement(StreamingReductionOpInterface op,
                               ArrayRef<FinishOp> finishes, int64_t extent) {
  llvm::SetVector<Value> values;
  values.insert_range(op.getInputOperands());
  for (FinishOp finish : finishes)
    values.insert_range(finish.getInputs());
  int64_t bytes = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    auto type = dyn_cast<RankedTensorType>(values[i].getType());
    if (!type || !llvm::is_contained(type.getShape(), extent))
      continue;
    Operation *producer = values[i].getDefiningOp();
    if (isa_and_nonnull<linalg::LinalgOp, MaskOp>(producer))
      values.insert_range(producer->getOperands());
    else if (!isa_and_nonnull<tensor::EmptyOp, arith::ConstantOp>(producer))
      bytes += llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return registerBytesOfRow(
      bytes,
      getElementTypeOrSelf(op.getStateOperands().front().getType()).isF64());
}

/// Rows that are multiplied by the same values: `size` of them along dimension
/// `dim`.
struct RowGroup {
  unsigned dim = 0;
  int64_t size = 1;
};

/// The group that a quotient in the map of the values makes; of one row if
/// there is none.
static RowGroup groupOf(AffineMap values, unsigned numRows) {
  for (AffineExpr expr : values.getResults()) {
    auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(quotient.getLHS());
    auto size = dyn_cast<AffineConstantExpr>(quotient.getRHS());
    if (dim && size && dim.getPosition() < numRows)
      return {dim.getPosition(), size.getValue()};
  }
  return {};
}

/// Columns of a block where each row has columns of its own: fewer where there
/// are fewer rows than blocks have room, so that more of these read.
static int64_t columnsOfOwn(ArrayRef<OpFoldResult> rowSizes, int64_t columns,
                            int64_t slots) {
  // In f32, 128 bytes.
  constexpr int64_t fewestColumns = 32;
  for (OpFoldResult size : rowSizes)
    slots /= std::max<int64_t>(getConstantIntValue(size).value_or(slots), 1);
  while (slots > 1 && columns % (2 * fewestColumns) == 0) {
    columns /= 2;
    slots /= 2;
  }
  return columns;
}

/// Columns of such a block where the stream is more than a tile: the most that
/// divide `columns`, of which a lane keeps 8 registers of each state (maximum,
/// sum and average) through the loop. All if none are that few.
static int64_t columnsOfOwnInLoop(int64_t columns, int64_t elementBytes) {
  constexpr int64_t keptBytes = 1024, unit = 16;
  int64_t most = keptBytes / elementBytes;
  for (int64_t fewer = std::min(most, columns); fewer >= 2 * unit;
       fewer -= unit)
    if (columns % fewer == 0)
      return fewer;
  return columns;
}

/// Tiles of few rows, each of a group or of all rows of the last dimension;
/// none if an extent is open.
static std::optional<int64_t> blocksOf(ArrayRef<OpFoldResult> rowSizes,
                                       const RowGroup &group,
                                       int64_t rowExtent) {
  int64_t blocks = 1;
  for (OpFoldResult size : rowSizes) {
    std::optional<int64_t> extent = getConstantIntValue(size);
    if (!extent)
      return std::nullopt;
    blocks *= *extent;
  }
  int64_t each = group.size > 1 ? group.size : rowExtent;
  return blocks / std::max<int64_t>(each, 1);
}

TileSizes mlir::smx::chooseBlockTileSizes(StreamingReductionOpInterface op,
                                          ArrayRef<FinishOp> finishes,
                                          ArrayRef<OpFoldResult> sizes,
                                          int64_t rows, int64_t stream,
                                          int64_t rowBytes, bool warpgroups,
                                          int64_t slots, int64_t sharedBytes) {
  constexpr int64_t longestTile = 4096, longestNarrowTile = 8192,
                    heldKeysRowBytes = 16384, blockBytes = 4096;
  // Of a strip of neighbouring rows, in bytes of state elements: at most so
  // long a tile, so long where the extent is open (loops for what is left take
  // registers), and so large a tile; and at least so many rows, which are 32
  // bytes or more in memory.
  constexpr int64_t longestStrip = 4096, openStrip = 512, stripBytes = 65536,
                    narrowestStrip = 16, widestStrip = 64;
  // Of few rows: how many those are, the largest group of heads, bytes of a
  // tile of keys, of which a multiprocessor has room for 6 blocks' (keys and
  // values, two of each); and how many blocks there are for each that runs at
  // once where tiles are twice as long: 3 have room then, and the last ones of
  // several rounds matter little. And bytes of a span of the swizzle.
  constexpr int64_t fewRows = 16, mostGrouped = 64, streamedBytes = 8192,
                    manyRounds = 3, span = 128;
  // Bytes of a tile that the threads of a block hold, beside two factors.
  constexpr int64_t oneTileBytes = 65536;
  unsigned numRows = op.getNumRows();
  bool hasColumns = op.getNumDims() > numRows + 1;
  auto lastOf = [](ArrayRef<OpFoldResult> some) {
    return some.empty() ? std::optional<int64_t>(1)
                        : getConstantIntValue(some.back());
  };
  std::optional<int64_t> extent = getConstantIntValue(sizes[numRows]);
  std::optional<int64_t> rowExtent = lastOf(sizes.take_front(numRows));
  int64_t elementBytes =
      getElementTypeOrSelf(op.getStateOperands().front().getType())
          .getIntOrFloatBitWidth() /
      8;
  unsigned states = op.getStateOperands().size();
  AffineMap streamed = op.getOperandMaps()[states];
  int64_t inputBits =
      getElementTypeOrSelf(op.getInputOperands().back().getType())
          .getIntOrFloatBitWidth();
  bool streamIsFastest = streamed.getResults().back() ==
                         getAffineDimExpr(numRows, op->getContext());

  // Every row has columns of its own: there is no product of matrices.
  SmallVector<AffineMap> maps = op.getOperandMaps();
  bool hasOwnColumns =
      hasColumns && numRows != 0 &&
      llvm::any_of(ArrayRef(maps).drop_front(states + 1), [&](AffineMap map) {
        return map.isFunctionOfDim(numRows - 1);
      });

  TileSizes tile;
  tile.inBlocks = true;
  int64_t tileRows;
  int64_t columns = 1;
  for (OpFoldResult size : sizes.drop_front(numRows + 1))
    columns *= getConstantIntValue(size).value_or(128);
  ProductTiles shared;
  if (hasColumns && !hasOwnColumns) {
    if (sizes.size() == numRows + 2)
      columns = tile.columns = columnsOfStrip(columns, elementBytes);
    shared.keyBytes = bytesOfFactors(op.getInputOperands().front());
    shared.valueBytes = paddedProductExtent(columns, inputBits) * inputBits / 8;
    shared.stages = inputBits == 16 ? 2 : 1;
    shared.extent = extent;
    sharedBytes -= exchangeReserve;
  }
  if (hasColumns) {
    // A warp holds 16 rows of the accumulator and of the scores. What it reads
    // of keys and values serves 32 rows where registers have room for them and
    // the matrix unit multiplies; what scores read, and masks take some of that
    // room, but for one edge of products of 16-bit elements. Rows of 96 such
    // elements take more addresses, because of their swizzle.
    constexpr int64_t addressedWidth = 96;
    int64_t width = columns * elementBytes / 4;
    bool isShort = inputBits == 16 && width <= 128;
    tileRows = isShort ? 128 : 64;
    ScoreTerms terms = findScoreTerms(op);
    bool readsShared = isShort && terms.shared != 0;
    bool isTight = op.mayBeMasked() && inputBits != 32 &&
                   !(isShort && width > addressedWidth && hasOneEdge(op));
    if (width <= (isTight || readsShared ? 64 : 128))
      tile.stream = 64;
    else if (isShort)
      tile.stream = 48;
    else
      tile.stream = inputBits == 16 || width <= 128 ? 32 : 16;
    if (isShort && width > 64)
      tile.stream =
          std::min(tile.stream, longestPortableStream(op, terms, width));
    // What is streamed has 16 bits an element, and a warpgroup rows enough.
    if (warpgroups && inputBits == 16 && columns <= 256 &&
        rowExtent.value_or(ShapedType::kDynamic) != 1) {
      tile.hasSlack = true;
      WarpgroupTiles chosen(op, terms, columns, rowExtent, shared, sharedBytes);
      tile.seesFewKeys = chosen.seesFewKeys;
      tile.fromDiagonal = chosen.fromDiagonal;
      shared = chosen.shared;
      sharedBytes = chosen.sharedBytes;
      if (chosen.stream != 0) {
        tileRows = chosen.rows;
        tile.stream = chosen.stream;
      }
    }
  } else if (streamIsFastest) {
    // What is read once anyway needs no more than a block. Where accesses are
    // cut, a thread of it has half as much, and longer tiles share what they
    // cost.
    bool isReadOnce =
        llvm::none_of(finishes, [](FinishOp op) { return op.isStreamed(); });
    bool isCut = extent && *extent * inputBits % accessBits != 0;
    int64_t longest = inputBits == 16 ? longestNarrowTile : longestTile;
    if (isReadOnce && isCut) {
      rowBytes = std::min(rowBytes, blockRowThreads * cutRowThreadBytes);
      longest = cutTileBytes / bytesPerElement(op, finishes, *extent);
    } else if (isReadOnce) {
      rowBytes = std::min(rowBytes, blockRowBytes);
    }
    // Of keys, which are wider than the state, few are made of a tile: the
    // longer it is, the fewer. Registers alone hold a row, or half of them a
    // tile, beside the keys of the tiles before.
    if (inputBits > 8 * elementBytes) {
      rowBytes = std::min(rowBytes, halfRowBytes);
      longest =
          halfRowBytes / 2 /
          (extent ? bytesPerElement(op, finishes, *extent) : elementBytes);
      // A loop keeps maxima of its threads, and no keys; so does the rest of
      // the row behind it. What follows is serial, and other rows hide it: of
      // the short tile a multiprocessor has more of them than of whole rows.
      int64_t scoreBits =
          getElementTypeOrSelf(op.getInputOperands().front().getType())
              .getIntOrFloatBitWidth();
      int64_t plain = scoreBits == 16 ? longestNarrowTile : longestTile;
      bool hasLoop = extent && *extent >= 2 * plain &&
                     *extent * scoreBits % accessBits == 0;
      if (hasLoop || (extent && *extent % plain == 0)) {
        longest = plain;
        if (scoreBits <= 32)
          rowBytes = std::min(rowBytes, heldKeysRowBytes);
      }
    }
    bool isResident =
        extent && *extent * bytesPerElement(op, finishes, *extent) <= rowBytes;
    int64_t whole = isResident
                        ? *extent
                        : std::min<int64_t>(extent.value_or(longest), longest);
    tile.stream = whole;
    tileRows = std::clamp<int64_t>(
        llvm::bit_floor(
            uint64_t(blockBytes / std::max<int64_t>(whole * inputBits / 8, 1))),
        1, 32);
  } else {
    tile.stream = extent ? std::min(*extent, longestStrip / elementBytes)
                         : openStrip / elementBytes;
    int64_t column = std::max<int64_t>(tile.stream * elementBytes, 1);
    tileRows =
        std::clamp<int64_t>(llvm::bit_floor(uint64_t(stripBytes / column)),
                            narrowestStrip, widestStrip);
  }
  // Few rows: what they have to compute is less than what they read, and one
  // warp for it lets many blocks have a tile under way each. Where heads share
  // keys and are more than queries, rows are heads.
  RowGroup group;
  if (hasColumns && numRows != 0 && rowExtent && *rowExtent <= fewRows &&
      rows == 0) {
    group = groupOf(maps.back(), numRows);
    if (group.size <= *rowExtent || group.size > mostGrouped)
      group = {};
    int64_t columnBytes = columns * inputBits / 8;
    int64_t bytes = streamedBytes;
    std::optional<int64_t> blocks =
        blocksOf(sizes.take_front(numRows), group, *rowExtent);
    // Where a warp widens what it reads, a longer tile has no registers.
    auto producer =
        op.getInputOperands().back().getDefiningOp<linalg::GenericOp>();
    bool isWidened = producer && findQuantized(producer);
    if (slots > 1 && blocks && *blocks >= manyRounds * slots && !isWidened)
      bytes *= 2;
    if (inputBits == 16)
      tile.stream = std::clamp<int64_t>(
          llvm::bit_floor(uint64_t(bytes / std::max<int64_t>(columnBytes, 1))),
          16, 64);
    // Rows that end within a span take more addresses, and f64 more registers.
    if (inputBits == 32 ? columnBytes > 3 * span && columnBytes % span != 0
                        : inputBits == 64 && shared.keyBytes > 4 * span)
      tile.stream = std::min<int64_t>(tile.stream, 32);
  }
  if (hasColumns && !hasOwnColumns) {
    auto fitting = [&](int64_t tileRows) {
      return shared.fittingStream(tileRows, tile.stream, sharedBytes);
    };
    if (group.size > 1 && fitting(group.size) == 0)
      group = {};
    tileRows = std::min(tileRows, rowExtent.value_or(tileRows));
    while (group.size == 1 && fitting(tileRows) == 0 &&
           tileRows > ProductTiles::piece)
      tileRows = llvm::alignTo(tileRows / 2, ProductTiles::piece);
    tile.stream = std::max(fitting(group.size > 1 ? group.size : tileRows),
                           ProductTiles::piece);
  }
  if (rows != 0)
    tileRows = rows;
  // A tile has no room for a third dimension. A short stream is one tile then:
  // its loads are under way together.
  if (hasOwnColumns) {
    tileRows = 1;
    int64_t fewer = columnsOfOwn(sizes.take_front(numRows), columns, slots);
    if (!extent || *extent * fewer * elementBytes > oneTileBytes)
      fewer = columnsOfOwnInLoop(fewer, elementBytes);
    if (sizes.size() == numRows + 2 && fewer < columns)
      columns = tile.columns = fewer;
    if (extent && *extent * columns * elementBytes <= oneTileBytes)
      tile.stream = std::max(tile.stream, *extent);
  }
  if (stream != 0)
    tile.stream = stream;
  if (extent)
    tile.stream = std::min(*extent, tile.stream);
  tile.stream = std::max<int64_t>(tile.stream, 1);
  tile.rows.assign(numRows, 1);
  if (group.size > 1) {
    tile.rows[group.dim] = group.size;
    return tile;
  }
  if (numRows != 0)
    tile.rows.back() = std::max<int64_t>(
        rowExtent ? std::min(*rowExtent, tileRows) : tileRows, 1);
  return tile;
}
