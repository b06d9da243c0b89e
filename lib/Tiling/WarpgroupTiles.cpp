//===- WarpgroupTiles.cpp - tiles of products for warpgroups --------------===//

#include "WarpgroupTiles.h"

#include "MaskData.h"
#include "StreamBounds.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// Rows of a tile of three warpgroups, and of two.
constexpr int64_t longRows = 192, shortRows = 128, groupRows = 64;

/// Of 160 registers a thread has those of three groups; accumulators take
/// columns / 2, scores stream / 2 and weights stream / 4. Where ptxas spills
/// nothing was found by trying. Of fewer than 80 keys, two groups and longer
/// tiles are faster.
constexpr int64_t longestStream = 96, shortestStream = 80;
} // namespace

/// Keys of a tile of three groups, beside `columns` as products pad them.
static int64_t streamOfLongRows(StreamingReductionOpInterface op,
                                const ScoreTerms &terms, int64_t columns) {
  constexpr int64_t narrowSum = 64, besideNarrowSum = 128, middleSum = 96;
  const bool isMasked = op.mayBeMasked(), isLinear = terms.areLinear(),
             readsLittle = terms.takeFewRegisters();
  if (isLinear && !isMasked && columns <= narrowSum)
    return besideNarrowSum;
  int64_t registers = 108;
  if (isMasked && isLinear && columns <= middleSum)
    registers = 120;
  // What is computed from places hides behind a third group, where a mask has
  // one edge.
  else if (isMasked
               ? terms.readNothing() && terms.takePlaces && isCutOnOneSide(op)
               : terms.readNothing() || readsLittle)
    registers = 124;
  int64_t stream =
      llvm::alignDown(std::max<int64_t>(registers - columns / 2, 0) * 4 / 3,
                      ProductTiles::piece);
  // Beside the longest ones, what is read has none where columns take more.
  return std::min(stream, readsLittle && columns > narrowSum ? shortestStream
                                                             : longestStream);
}

/// Keys of a tile of two groups, beside `columns` as products pad them: the
/// longest ones are the fastest, but of the widest sums. What is left of keys
/// without a mask takes shared memory there, and where much is cut, more of a
/// longer tile is.
static int64_t streamOfShortRows(StreamingReductionOpInterface op,
                                 const ScoreTerms &terms, int64_t columns,
                                 bool isMostlyCut) {
  constexpr int64_t mostBesideTerms = 128, wideSum = 160, widerSum = 192,
                    shortStream = 64;
  if (columns <= (terms.readNothing() ? wideSum : mostBesideTerms))
    return longestGatheredStream(terms, columns);
  if (columns > widerSum || !terms.readNothing() || isMostlyCut)
    return shortStream;
  return op.mayBeMasked() ? longestStream : shortestStream;
}

/// True if three groups gain less than what rows beyond the end of the last
/// tile take. A tile in which g of them have rows takes (4 + g) / 7 of the time
/// of a whole one (measured: `smx-gpu-idle-groups`).
static bool isWasteful(int64_t rows, int64_t gainPercent) {
  const int64_t rest = rows % longRows,
                groups = llvm::divideCeil(rest, groupRows),
                time = 7 * (rows - rest) +
                       (rest == 0 ? 0 : longRows * (4 + groups));
  return 100 * time >
         (100 + gainPercent) * 7 * int64_t(llvm::alignTo(rows, shortRows));
}

/// True if two groups need no more waves of blocks than three, of which each is
/// shorter then: one that they fill, or two. Where tiles of three are left over
/// and have many `keys`, or are a quarter of a wave or less, they are cut along
/// the keys instead (`smx-gpu-share-last-wave`, `smx-gpu-split-last-wave`),
/// which is better; narrow sums win back what is left of a second wave.
static bool needsNoMoreWaves(const WarpgroupRows &all,
                             std::optional<int64_t> keys, bool isNarrowSum,
                             bool isMasked) {
  constexpr int64_t mostWholeKeys = 2048, cutShare = 4, fullPercent = 90;
  if (!all.extent || !all.matrices || all.multiprocessors == 0)
    return false;
  auto tilesOf = [&](int64_t rows) {
    return *all.matrices * llvm::divideCeil(*all.extent, rows);
  };
  const int64_t slots = all.multiprocessors, tiles = tilesOf(longRows),
                more = tilesOf(shortRows),
                waves = llvm::divideCeil(tiles, slots);
  if (waves != int64_t(llvm::divideCeil(more, slots)))
    return false;
  const bool areWhole = keys && *keys <= mostWholeKeys &&
                        cutShare * (tiles - (waves - 1) * slots) > slots;
  if (waves == 1)
    return areWhole || 100 * more >= fullPercent * slots;
  return waves == 2 && (isMasked || (areWhole && !isNarrowSum));
}

WarpgroupTiles::WarpgroupTiles(StreamingReductionOpInterface op,
                               const ScoreTerms &terms, int64_t columns,
                               const WarpgroupRows &all,
                               const ProductTiles &products, int64_t bytes)
    : shared(products), sharedBytes(bytes) {
  const std::optional<int64_t> rowExtent = all.extent;
  constexpr int64_t shortMaskedRows = 2048, widestKeys = 256, inputBits = 16;
  columns = paddedProductExtent(columns, inputBits);
  const bool isMasked = op.mayBeMasked();
  // The longer a tile of rows, the more of its keys a mask cuts; and the longer
  // its begin and end, of which two warpgroups leave registers to overlap them.
  std::optional<int64_t> keysInMask = widthOfMasks(op);
  // Documents that are packed are short. Beside extents that are open and more
  // columns there are no registers for it.
  constexpr int64_t mostColumnsBesideOpen = 96;
  const bool isNarrow =
      (keysInMask && *keysInMask <= shortMaskedRows) ||
      (areRangesGiven(op) && (rowExtent || columns <= mostColumnsBesideOpen));
  const bool isMostlyCut =
      isMasked &&
      (isNarrow || rowExtent.value_or(shortMaskedRows + 1) <= shortMaskedRows);
  // Accumulators of more columns leave no registers to overlap cut tiles.
  constexpr int64_t mostColumnsBesideCut = 128;
  seesFewKeys =
      isMasked && columns <= mostColumnsBesideCut &&
      (isNarrow || (shared.extent && *shared.extent <= shortMaskedRows));
  fromDiagonal = seesFewKeys && isNarrow;
  // Three warpgroups read a tile of keys once for all of their rows. Beside an
  // accumulator of few columns that is a larger part of the work, and shorter
  // rows gain by it.
  const bool isNarrowSum = columns <= 96 && !isMasked;
  const int64_t fewKeys = isNarrowSum ? 640 : 1024,
                gainPercent = isNarrowSum ? 12 : 5;
  const bool isSoonOver = shared.extent && *shared.extent <= fewKeys;
  // Tiles that lie in marked blocks are not masked.
  MaskOp marks = findBlocks(op);
  const bool isMarked =
      marks && cast<BlocksAttr>(marks.getMask()).getRows() % longRows != 0;
  const bool mayBeLong =
      shared.keyBytes <= widestKeys && !isMostlyCut && !isSoonOver &&
      !isMarked &&
      !needsNoMoreWaves(all, shared.extent, isNarrowSum, isMasked) &&
      !(rowExtent && isWasteful(*rowExtent, gainPercent));
  // Rounds of tiles that are cut are those of whole ones
  // (`smx-gpu-unite-loops`).
  if (isMasked)
    shared.extent.reset();
  ProductTiles withTerms = shared;
  withTerms.termBytes = terms.bytes;
  const bool hasLongRows = mayBeLong && columns <= 128 && !isMasked;
  const int64_t roomOfTerms = sharedBytes + exchangeReserve - dealtReserve,
                longStream = streamOfLongRows(op, terms, columns);
  if (std::optional<ProductTile> chosen =
          tileWithTerms(terms, withTerms, columns, hasLongRows, roomOfTerms)) {
    shared = withTerms;
    sharedBytes = roomOfTerms;
    rows = chosen->rows;
    stream = chosen->stream;
  } else if (longStream >= shortestStream && mayBeLong &&
             shared.bytesOf(longRows, longStream) <= sharedBytes) {
    rows = longRows;
    stream = longStream;
  } else {
    rows = shortRows;
    stream = shared.fittingStream(
        shortRows, streamOfShortRows(op, terms, columns, isMostlyCut),
        sharedBytes);
  }
}
