//===- LongRowSchedule.cpp - threads and blocks of one long row -----------===//

#include "LongRowSchedule.h"
#include "LongRowClasses.h"
#include "RowThreads.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

LongRow::LongRow(const NestShape &shape, const ScheduleOptions &options)
    : shape(shape), options(options),
      bytes(
          registerBytesOfRow(llvm::divideCeil(shape.longest * shape.rowBits, 8),
                             /*isDouble=*/shape.elementBits == 64)),
      accesses(0), isAligned(options.alignment >= accessBytes) {
  if (shape.longest % shape.accessElements() == 0 &&
      shape.rowBits == shape.rowsRead * shape.elementBits)
    accesses = shape.longest / shape.accessElements();
}

int64_t mlir::smx::gpu::residentBlocks(int64_t threads, int64_t registers) {
  // A quarter of a multiprocessor has as many registers for its warps, which
  // are given them by eights.
  constexpr int64_t quarters = 4, unit = 8;
  int64_t ofWarp = llvm::alignTo(registers, unit) * warpThreads,
          warps = threads / warpThreads,
          mostWarps = ::smx::gpu::registerFile / quarters / ofWarp * quarters;
  return std::min({mostWarps / warps, multiprocessorThreads / threads,
                   multiprocessorBlocks});
}

int64_t mlir::smx::gpu::threadsOfWholeAccesses(int64_t threads, int64_t fewest,
                                               int64_t accesses) {
  if (accesses == 0 || accesses % threads == 0)
    return threads;
  fewest = llvm::alignTo(fewest, warpThreads);
  for (int64_t whole = std::max(fewest, manyThreads); whole >= fewest;
       whole -= warpThreads)
    if (accesses % whole == 0)
      return whole;
  return threads;
}

/// A block keeps in shared memory what its threads have no registers for.
static bool isPartlyShared(const LongRow &row) {
  const NestShape &shape = row.shape;
  // Copies to shared memory want rows at multiples of 16 bytes.
  if (!row.isAligned)
    return false;
  // Of a row that does not fill its threads, what is read again is masked
  // again: for narrow elements registers alone are faster, where they do.
  if (row.bytes % halfRowBytes == 0 || shape.elementBits >= 32 ||
      row.bytes > row.options.clusters * halfRowBytes)
    return true;
  if (row.accesses == 0)
    return false;
  // But exponentials of one row take so long that a second block, with the rest
  // in shared memory, gives more; and of two rows in a cluster (gradients)
  // ptxas keeps what it widened in registers, and spills up to 100 bytes.
  if (row.bytes <= blockRowBytes)
    return shape.rowsRead == 1 && shape.hasExponentials && shape.isWritten;
  // So it is for exponentials in a cluster whose registers the row does not
  // fill, and which has fewer blocks then.
  return shape.rowsRead > 1 || (row.isSumOfNarrow() && shape.hasExponentials);
}

/// Threads with up to `threadBytes` of a row each; of a row that is too long
/// for one block, with about `each` bytes of it in a block.
static RowSpread spreadEvenly(const LongRow &row, int64_t each,
                              int64_t threadBytes) {
  int64_t cluster = 1;
  if (row.bytes > blockRowThreads * threadBytes && row.options.clusters > 1)
    cluster = std::min<int64_t>(
        row.options.clusters,
        llvm::PowerOf2Ceil(llvm::divideCeil(row.bytes, each)));
  int64_t part = llvm::divideCeil(row.bytes, cluster);
  int64_t fewest = std::max<int64_t>(llvm::divideCeil(part, threadBytes),
                                     fewestThreads(row.shape));
  int64_t threads = fewest;
  constexpr int64_t stripe = manyThreads * accessBytes;
  if (row.shape.isWritten && row.shape.elementBits == 16 &&
      part % stripe == 0 && part > stripe)
    threads = std::max(threads, manyThreads);
  // Of many warps, four at a time exchange 16 bytes.
  threads = llvm::alignTo(threads, threads > 4 * warpThreads ? 4 * warpThreads
                                                             : warpThreads);
  if (row.isAligned && cluster == 1)
    threads = threadsOfWholeAccesses(threads, fewest, row.accesses);
  return {std::min(threads, blockRowThreads), cluster};
}

RowSpread mlir::smx::gpu::spreadOrdinary(const LongRow &row) {
  if (isPartlyShared(row)) {
    RowSpread spread = spreadEvenly(row, blockRowBytes, blockRowThreadBytes);
    // Two blocks hide each other's exchange, if shared memory has the rest. Of
    // a cluster with f32, half as many threads are faster by 2 % on an H200.
    if (llvm::divideCeil(row.bytes, spread.cluster) <= blockRowBytes)
      spread.threads = std::min(
          spread.threads,
          blockRowThreads /
              (spread.cluster > 1 && row.shape.elementBits == 32 ? 4 : 2));
    return spread;
  }
  if (row.isAligned &&
      row.shape.longest * row.shape.elementBits % accessBits == 0)
    return spreadEvenly(row, halfRowBytes, blockRowThreadBytes);
  // Both halves of a cut access, and what says where, take registers. Of these
  // there are not enough for twice as much where a row starts with an access
  // (its end has a mask), nor for weights, exponentials that are wider than
  // what was read, products of two rows (the gradient of softmax), f64, and f32
  // but for its exponentials.
  const NestShape &shape = row.shape;
  bool areWide =
      shape.elementBits > 32 ||
      (shape.elementBits == 32 && !(shape.isWritten && shape.hasExponentials));
  if (row.isAligned || areWide || shape.hasWeights() ||
      shape.widestWritten > shape.elementBits ||
      (shape.rowsRead > 1 && !shape.hasExponentials))
    return spreadEvenly(row, cutBlockBytes, cutRowThreadBytes);
  // Words are shifted, and results exchanged, by threads that wait for nobody:
  // the more each has, the better, up to all registers of a multiprocessor.
  return spreadEvenly(row, blockRowBytes, blockRowThreadBytes);
}

/// The first one that fits decides. Most exclude each other; what one block
/// holds in registers is for exponentials that no cluster does.
static constexpr std::optional<RowSpread> (*rowClasses[])(const LongRow &) = {
    // Short ones that start anywhere.
    slidShortRows,
    // Only read, or beside weights.
    residentReaders,
    wideReaders,
    weightedRows,
    weightedSums,
    // Of few whole accesses, or widened.
    residentDoubles,
    residentWidened,
    // They start anywhere.
    slidRows,
    slidWideRows,
    slidWeighted,
    slidPairs,
    slidWidened,
    // Two rows.
    pairsOfEightBlocks,
    residentPairs,
    pairsInRegisters,
    residentCutPairs,
    pairsOfOneAccess,
    // One row.
    sumsInQuarters,
    sumsInSmallBlocks,
    summedTwiceInSmallBlocks,
    residentSums,
    sumsInRegisters,
    longExponentials,
    widenedExponentials,
    readersInRegisters,
    wideExponentialsOfOneBlock,
    wideSquares,
    wideExponentialsOfAllThreads,
    shortWideExponentials,
    narrowReaders,
    fewLargest,
    largestOfFewWarps,
};

static RowSpread spreadOf(const LongRow &row) {
  for (auto rowClass : rowClasses)
    if (std::optional<RowSpread> spread = rowClass(row))
      return *spread;
  return spreadOrdinary(row);
}

bool mlir::smx::gpu::isLongRow(const NestShape &shape,
                               const ScheduleOptions &options) {
  return shape.isOneRow && (shape.longest * shape.rowBits > 8 * longRow ||
                            slidShortRows(LongRow(shape, options)) ||
                            wideReaders(LongRow(shape, options)));
}

void mlir::smx::gpu::spreadRow(BlockSchedule &schedule, const NestShape &shape,
                               const ScheduleOptions &options) {
  RowSpread spread = spreadOf(LongRow(shape, options));
  // What the caller says replaces threads, and leaves the cluster.
  if (options.warps)
    spread = {options.warps * warpThreads, spread.cluster};
  if (spread.cluster > 1) {
    schedule.cluster = spread.cluster;
    schedule.spread = shape.longestClass;
  }
  schedule.warps = spread.threads / warpThreads;
  schedule.isInRegisters = spread.isInRegisters;
  schedule.minBlocks =
      std::max<int64_t>(spread.multiprocessor / spread.threads, 1);
  schedule.layout =
      StripedAttr::get(schedule.layout.getContext(),
                       /*rows=*/1, spread.threads,
                       std::min(shape.accessElements(), accessBits / 8));
}

int64_t mlir::smx::gpu::threadsOfStream(const NestShape &shape,
                                        const ScheduleOptions &options) {
  // What follows the last tile is a chain of barriers and atomic operations,
  // which other blocks hide. Of a few tiles it is the larger part, and 40
  // registers do for tiles that are all read by whole accesses; of more tiles
  // blocks of 64 registers load further ahead.
  constexpr int64_t fewTiles = 4, more = 1536;
  LongRow row(shape, options);
  return row.isLargestOfNarrow() && shape.tiles != 0 &&
                 shape.tiles <= fewTiles && row.isAligned
             ? more
             : blockRowThreads;
}
