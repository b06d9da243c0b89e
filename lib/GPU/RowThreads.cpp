//===- RowThreads.cpp - how threads stand along rows and columns ----------===//

#include "RowThreads.h"

#include "smx/Tiling/AdjacentRows.h"
#include "smx/Tiling/ColumnStrips.h"
#include "smx/Tiling/LongRows.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx::gpu;

RowThreads::RowThreads(const NestShape &shape, int64_t rows,
                       const ScheduleOptions &options)
    : paddedRows(llvm::PowerOf2Ceil(std::max<int64_t>(rows, 1))),
      length(llvm::PowerOf2Ceil(shape.longest)),
      keepsKeys(shape.rowsAreFastest && shape.maxima != 0),
      isRanked(!shape.rowsAreFastest && shape.maxima != 0 &&
               shape.rowsRead == 1 &&
               mlir::smx::isRankedInLanes(shape.elementBits, shape.maxima,
                                          length, paddedRows > 1)) {
  isSelected = isRanked && mlir::smx::isSelectedRow(shape.elementBits,
                                                    shape.maxima, length);
  fastest = shape.rowsAreFastest ? paddedRows : length;
  isLongTile = !shape.isOneRow && rows == 1 && shape.longest > longRow;
  areAdjacent = chooseAdjacent(shape, options);
  if (areAdjacent)
    return;
  vector = chooseVector(shape, options);
  // The parts that an accumulator is merged of are few: what counts is how
  // soon they are there.
  constexpr int64_t mostParts = 64;
  isStrip = shape.rowsAreFastest && shape.maxima == 0 &&
            (options.warps == 0 || shape.hasWholeColumns) &&
            !(shape.sharesRows && shape.longest <= mostParts);
  if (isStrip)
    chooseStrip(shape, options);
  else
    chooseThreads(shape, options);
}

/// About as many warps as `warps` along a part of columns, at most `most`.
/// Where they have equally many elements they need no masks; of narrow elements
/// more for each of fewer are better than the opposite. Blocks of other numbers
/// would leave threads of a multiprocessor over.
static int64_t evenWarps(const NestShape &shape, int64_t warps, int64_t most) {
  constexpr int64_t narrow = 16;
  auto isEven = [&](int64_t count) {
    return shape.longest % count == 0 &&
           8 * (stripWarps / count * count) >= 7 * stripWarps;
  };
  if (std::max(shape.elementBits, shape.widestWritten) <= narrow)
    for (int64_t fewer = warps; 2 * fewer > warps; --fewer)
      if (isEven(fewer))
        return fewer;
  for (int64_t more = warps; more <= std::min(most, warps * 5 / 4); ++more)
    if (isEven(more))
      return more;
  return std::min<int64_t>(llvm::PowerOf2Ceil(warps), most);
}

/// The same where blocks hold whole columns, and `all` warps are on a
/// multiprocessor: as many as are needed, or somewhat more that all have
/// equally many of `pieces`, if as many blocks are on it.
static int64_t warpsOfHeld(int64_t pieces, int64_t warps, int64_t all) {
  for (int64_t more = warps; more <= std::min(all, warps * 3 / 2); ++more)
    if (pieces % more == 0 && all / more == all / warps)
      return more;
  return warps;
}

void RowThreads::chooseStrip(const NestShape &shape,
                             const ScheduleOptions &options) {
  using mlir::smx::ColumnStrip;
  using ::smx::gpu::warpThreads;
  vector = std::clamp<int64_t>(paddedRows / warpThreads, 1, vector);
  columnThreads = std::min(paddedRows / vector, warpThreads);
  const int64_t tensors = std::max<int64_t>(shape.rowsRead, 1),
                most = mlir::smx::blockRowThreads / warpThreads;
  // A warp has so many elements of a column at a time.
  const int64_t ofWarp = warpThreads / columnThreads;
  int64_t warps;
  if (shape.hasWholeColumns) {
    // Exponentials that are wider than what they are of are kept.
    constexpr int64_t narrow = 16, wide = 32;
    int64_t bits = std::max(shape.elementBits, narrow);
    if (shape.hasDoubleSums || shape.widestWritten > bits)
      bits = std::max(bits, wide);
    // Squares, and conversions of f16, take registers beside many elements.
    const bool areTight = bits == narrow && tensors == 1 &&
                          (shape.isConverted || !shape.hasExponentials);
    cluster = ColumnStrip::blocks(paddedRows, {.length = shape.longest,
                                               .bits = bits,
                                               .tensors = tensors,
                                               .values = shape.reductions,
                                               .most = options.clusters,
                                               .areOnlyRead = !shape.isWritten,
                                               .areTight = areTight});
    int64_t part = llvm::divideCeil(shape.longest, cluster);
    int64_t each = ColumnStrip::elementsOfThread(bits, true);
    if (areTight) {
      // And so does what few warps exchange, beside sums of squares.
      constexpr int64_t fewWarps = 7;
      if (!shape.hasExponentials && cluster == 1 &&
          paddedRows * part < fewWarps * each * warpThreads)
        each = each * 5 / 8;
      else
        warpsOfStrips = stripWarps * 3 / 4;
    }
    // Columns that one block has all of, for want of clusters, are up to twice
    // as long: masks, and what more warps exchange, spill in 64 registers.
    if (options.clusters == 1)
      warpsOfStrips = stripWarps * 3 / 4;
    bool isWhole = shape.longest % cluster == 0 && part % ofWarp == 0;
    warps =
        std::min<int64_t>(most, llvm::divideCeil(paddedRows * part * tensors,
                                                 each * warpThreads));
    if (isWhole && warps < most)
      warps = warpsOfHeld(part / ofWarp, warps, warpsOfStrips);
    // What the caller says replaces warps, and leaves the cluster.
    if (options.warps)
      warps = options.warps;
  } else {
    int64_t each = ColumnStrip::elementsOfThread(shape.elementBits, false);
    warps = std::clamp<int64_t>(
        llvm::divideCeil(paddedRows * shape.longest * tensors,
                         each * warpThreads),
        1, most);
    warps =
        ofWarp > 1 ? llvm::PowerOf2Ceil(warps) : evenWarps(shape, warps, most);
  }
  threads = warps * warpThreads;
}

bool RowThreads::chooseAdjacent(const NestShape &shape,
                                const ScheduleOptions &options) {
  bool haveOneType =
      shape.rowsRead > 0 && shape.rowBits == shape.elementBits * shape.rowsRead;
  if (paddedRows == 1 || !shape.hasWholeRows || shape.rowsAreFastest ||
      !haveOneType || isSelected || (shape.maxima != 0 && !isRanked))
    return false;
  auto rows = mlir::smx::AdjacentRows::of(
      {shape.longest, shape.rowsRead, shape.elementBits,
       shape.isWritten ? shape.widestWritten : 0, options.alignment, isRanked});
  if (!rows)
    return false;
  vector = rows->vector;
  columnThreads = rows->lanes;
  threads = options.warps ? options.warps * ::smx::gpu::warpThreads
                          : std::clamp(paddedRows * rows->lanes,
                                       ::smx::gpu::warpThreads, rows->threads);
  return true;
}

int64_t RowThreads::chooseVector(const NestShape &shape,
                                 const ScheduleOptions &options) const {
  int64_t vector = std::min(shape.accessElements(), fastest);
  // What is narrower than a word, and may start anywhere as far as is known, is
  // moved as it is, by neighbours in a warp, which share words and sectors:
  // stores of 16 bits, 16 bytes apart, are a third as fast. A row alone is
  // moved in whole words, and shifted; what is short and only read is in the
  // first cache. Of words that holds for short rows, by 3 %, and where nothing
  // is reduced: the gradient of cross entropy of 1001 has 1.01 of a copy's
  // rate, not 0.76 (an H200, not kept).
  constexpr int64_t wordBits = 32, mostOfLane = 8, shortRow = 256;
  if (paddedRows > 1 && shape.elementBits < wordBits &&
      8 * options.alignment < wordBits &&
      (shape.isWritten || fastest >= mostOfLane * ::smx::gpu::warpThreads))
    return 1;
  if (paddedRows > 1 && shape.elementBits == wordBits && shape.isWritten &&
      8 * options.alignment <= wordBits &&
      (fastest <= shortRow || shape.reductions == 0))
    return 1;
  constexpr int64_t heldKeys = 4;
  if (keepsKeys)
    return std::min(vector, int64_t(llvm::divideCeil(
                                heldKeys, llvm::PowerOf2Ceil(shape.maxima))));
  return vector;
}

int64_t RowThreads::mostLanes(const NestShape &shape) const {
  if (vector == 1) {
    // More lanes have more of what they exchange, and of values of the row, to
    // compute; fewer than 16 store parts of sectors. Rows that nothing is
    // reduced of, as gradients of cross entropy, have more such values.
    constexpr int64_t few = 4, partOfSector = 8, sector = 16;
    const bool isReduced = shape.reductions != 0;
    if (shape.longest <= 4 * few)
      return few;
    if (shape.longest <= (isReduced ? 5 : 2) * partOfSector)
      return partOfSector;
    if (shape.longest <= (isReduced ? 9 : 28) * sector)
      return sector;
    return threads;
  }
  // Lanes of one access each, some of them idle, are slower than half as many.
  return shape.longest < length ? std::max<int64_t>(length / (2 * vector), 1)
                                : threads;
}

void RowThreads::chooseThreads(const NestShape &shape,
                               const ScheduleOptions &options) {
  constexpr int64_t mostThreads = 512, longestWarpRow = 1024;
  // Of a long tile in a loop, and of whole rows that are only read, a thread
  // has twice as much, where it takes no more registers: what lanes exchange,
  // and the arithmetic of a row's values, is shared by more elements. It also
  // has twice as much where lanes of a row in several warps would be idle, as
  // with 768 of 1024 elements. Exponentials of one row that are written take
  // the registers, and two rows without any fill accesses anyway.
  readsWholeRows = !shape.isWritten && !shape.rowsAreFastest &&
                   (shape.maxima == 0 || isRanked) &&
                   (paddedRows > 1 || shape.isOneRow);
  bool leavesLanes =
      !shape.rowsAreFastest && shape.maxima == 0 && length == longestWarpRow &&
      4 * shape.longest <= 3 * length &&
      (readsWholeRows || (shape.rowsRead == 1) != shape.hasExponentials);
  // Of f32 it has, too, where several rows to a block are only read (with a sum
  // in f64 for each lane, and 5 exchanges of it, log-sum-exp of 100 elements
  // has 0.50 of a copy's rate, not 0.98), or long ones summed twice (smoothed
  // cross entropy of 262144: 0.85, not 0.60), or the largest are found by keys
  // of a word.
  constexpr int64_t narrow = 16, wide = 32;
  bool isShared = readsWholeRows && paddedRows > 1;
  isSummedTwice = !shape.isOneRow && paddedRows == 1 &&
                  shape.elementBits == wide && shape.longest >= longRow &&
                  !shape.isWritten && shape.reductions > shape.sums &&
                  3 * shape.sums >= 2 * shape.reductions;
  // Behind a loop the largest are ranked, and a few warps wait less for each
  // other; of more results than some, each has too many to rank. Parts of
  // accesses, of rows that start anywhere, take the registers.
  constexpr int64_t someRanks = 16;
  const bool isFewOfStream =
      !shape.isOneRow && paddedRows == 1 && !shape.rowsAreFastest &&
      shape.longest >= longRow && shape.maxima != 0 &&
      shape.maxima <= someRanks && options.alignment >= ::smx::gpu::accessBytes;
  if (shape.elementBits == narrow)
    hasTwice = isLongTile || readsWholeRows || leavesLanes;
  else if (isRanked)
    hasTwice = readsWholeRows &&
               mlir::smx::haveCutKeys(shape.elementBits, shape.maxima);
  else
    hasTwice = shape.elementBits == wide &&
               (isShared || isSummedTwice || isFewOfStream);
  int64_t each = hasTwice ? 32 : 16;
  int64_t fewest = keepsKeys ? 1 : paddedRows * fewestThreads(shape);
  threads =
      std::max(int64_t(llvm::PowerOf2Ceil(paddedRows * length / each)), fewest);
  if (keepsKeys)
    threads = std::min(threads, mostThreads / 2);
  if (options.warps)
    threads = options.warps * 32;
  threads = std::clamp<int64_t>(threads, 32, mostThreads);
  columnThreads = std::min(threads, fastest / vector);
  // A row that a warp holds needs no exchange with another one. Of more keys
  // than it has lanes it would leave many candidates.
  const int64_t warpRow = hasTwice && leavesLanes ? longestWarpRow : 512;
  if (fastest <= warpRow && shape.maxima <= ::smx::gpu::warpThreads)
    columnThreads = std::min(columnThreads, ::smx::gpu::warpThreads);
  // Several short rows: each thread has elements, and values, of one of them.
  // Its largest ones are found without exchanges where a lane has all of it.
  const int64_t fewestLanes = isRanked ? 1 : 4;
  if ((hasTwice || isRanked) && readsWholeRows && paddedRows > 1)
    columnThreads =
        std::min(columnThreads, std::max(fewestLanes, length / each));
  // Or a warp selects them.
  if (isSelected)
    columnThreads = ::smx::gpu::warpThreads;
  if (paddedRows > 1 && shape.isWritten && !shape.rowsAreFastest &&
      shape.maxima == 0)
    columnThreads = std::min(columnThreads, mostLanes(shape));
  // The largest of rows of padding, whose scores are equal, take the longest.
  if (shape.maxima != 0 && !shape.rowsAreFastest && options.warps == 0)
    threads = std::clamp<int64_t>(paddedRows * columnThreads, 32, threads);
}

int64_t RowThreads::warpsThatSelect(const NestShape &shape) const {
  // What a lane has of a row, and what else it takes to select the largest:
  // more where f16 is converted, the rest of a row is masked, and many elements
  // are widened.
  constexpr int64_t wordBits = 32, besides = 48, besidesWords = 36,
                    ofConversions = 32, ofMasks = 48, ofMaskedWords = 28,
                    manyElements = 64, ofMany = 32;
  const int64_t elements = llvm::divideCeil(shape.longest, columnThreads);
  const bool areWords = shape.elementBits == wordBits;
  int64_t registers = elements * shape.elementBits / wordBits +
                      (areWords ? besidesWords : besides);
  if (shape.isConverted)
    registers += ofConversions;
  if (!llvm::isPowerOf2_64(shape.longest))
    registers += areWords ? ofMaskedWords : ofMasks;
  else if (elements > manyElements)
    registers += ofMany;
  // Each part of a multiprocessor has equally many warps.
  constexpr int64_t parts = 4, ofPart = 16384;
  return parts * (ofPart / (registers * ::smx::gpu::warpThreads));
}

int64_t RowThreads::minBlocks(const NestShape &shape) const {
  constexpr int64_t wordBits = 32;
  if (isStrip && shape.elementBits <= wordBits && !shape.hasOpenLoop)
    return std::max<int64_t>(warpsOfStrips * ::smx::gpu::warpThreads / threads,
                             1);
  // More would spill where the rest of a row is masked.
  if (isSummedTwice)
    return mlir::smx::blockRowThreads * 3 / 4 / threads;
  // A multiprocessor has 32 blocks at most.
  constexpr int64_t mostBlocks = 32;
  if (isSelected)
    return std::clamp<int64_t>(warpsThatSelect(shape) *
                                   ::smx::gpu::warpThreads / threads,
                               1, mostBlocks);
  constexpr int64_t most = 6, fewer = 5, longPart = 68, narrow = 16,
                    shortRow = 512, multiprocessor = 1536;
  if (shape.isWritten || shape.maxima != 0 || shape.elementBits != narrow)
    return 1;
  if (areAdjacent)
    return shape.hasDoubleSums || shape.longest > columnThreads * longPart
               ? fewer
               : most;
  bool isRowOfWarp = hasTwice && readsWholeRows && paddedRows > 1 &&
                     shape.longest > shortRow &&
                     columnThreads == ::smx::gpu::warpThreads;
  // A second sum (smoothing) spills in 40 registers.
  constexpr int64_t ofTwoSums = 1280;
  if (!isRowOfWarp)
    return 1;
  return (shape.sums > 1 ? ofTwoSums : multiprocessor) / threads;
}
