//===- LongRowSchedule.cpp - threads and blocks of one long row -----------===//

#include "LongRowSchedule.h"
#include "smx/Tiling/LongRows.h"

#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

/// True for one sum of two rows of 16-bit elements, and a third row made of
/// them and the sum: the gradients of softmax and of its logarithm. Nothing is
/// kept beside the elements that were read.
static bool isSumOfTwoRows(const NestShape &shape) {
  return shape.rowsRead == 2 && shape.elementBits == 16 &&
         shape.rowBits == 2 * shape.elementBits && shape.reductions == 1 &&
         shape.sums == 1 && shape.isWritten;
}

/// True for exponentials of a row of f32 and what they are divided by.
static bool isExponentialOfWideRow(const NestShape &shape) {
  return shape.rowsRead == 1 && shape.elementBits == 32 &&
         shape.rowBits == shape.elementBits && shape.hasExponentials &&
         shape.isWritten;
}

/// True for one sum of a row of f32 and the row that is divided by it.
static bool isQuotientOfWideRow(const NestShape &shape) {
  return shape.rowsRead == 1 && shape.elementBits == 32 &&
         shape.rowBits == shape.elementBits && shape.isWritten &&
         shape.sums == 1 && !shape.hasExponentials && shape.maxima == 0;
}

namespace {
/// Threads of a block, and those that a multiprocessor should have room for.
struct RowThreads {
  int64_t block, multiprocessor = blockRowThreads;
};
} // namespace

/// True for a row of 16-bit elements that is summed, or whose exponentials
/// below its maximum are, and another one that is made of it alone. Functions
/// of its elements take more registers.
static bool isSumOfNarrowRow(const NestShape &shape) {
  return shape.rowsRead == 1 && shape.elementBits == 16 &&
         shape.rowBits == shape.elementBits && shape.sums != 0 &&
         shape.maxima == 0 && shape.writtenBits == shape.elementBits &&
         (!shape.hasExponentials || shape.reductions > shape.sums) &&
         !shape.hasOtherFunctions;
}

/// Threads where less than 8 accesses each, and more threads of a
/// multiprocessor, are faster, by figures of an H200; none elsewhere. `bytes`
/// of a row are read by whole accesses.
static std::optional<RowThreads> threadsOfFewAccesses(const NestShape &shape,
                                                      int64_t bytes) {
  constexpr int64_t access = accessBits / 8;
  // One access of each operand is computed with in 32 registers, and all 2048
  // threads of a multiprocessor have those: 0.5 % faster for 4096 elements. Two
  // accesses of each would be spilled. Rows of 2048 elements have one
  // of each anyway. With exponentials (the gradient of log-softmax) it is 5 %
  // slower.
  constexpr int64_t pair = 2 * access, fewest = 256, most = 512;
  if (isSumOfTwoRows(shape) && !shape.hasExponentials &&
      bytes > fewest * pair && bytes <= most * pair &&
      bytes % (warpThreads * pair) == 0)
    return RowThreads{bytes / pair, multiprocessorThreads};
  // Exponentials of f32 take so long that memory waits for them unless more
  // rows are there: with 4 accesses, blocks of up to 256 threads have 48
  // registers and 1280 threads of a multiprocessor, larger ones 40 and 1536,
  // faster than 1024 threads with 8 accesses. Longer rows would leave room for
  // one such block, and shorter ones have many blocks anyway.
  constexpr int64_t few = 4 * access, small = 256;
  if (isExponentialOfWideRow(shape) && bytes > small / 2 * few &&
      bytes <= most * few && bytes % (warpThreads * few) == 0)
    return RowThreads{bytes / few, bytes / few > small ? 1536 : 1280};
  // Of rows that fill most registers of 1024 threads, one block has all of a
  // row in registers; two would have half of it in shared memory, which ptxas
  // spills for at 7 accesses, and which is slower at 8.
  if (isExponentialOfWideRow(shape) && bytes > blockRowBytes / 4 * 3 &&
      bytes <= blockRowBytes && bytes % (blockRowThreads * access) == 0)
    return RowThreads{blockRowThreads};
  return std::nullopt;
}

/// RMS norm sums squares in f64. ptxas computes the squares of all that a
/// thread has, in pairs of registers, before it widens the first, and then
/// spills a few: of more than 5 accesses. Of 8 in each of a power of two of
/// threads it does not, up to 32 KiB.
static std::optional<int64_t> threadsOfWideSquares(const NestShape &shape,
                                                   int64_t bytes) {
  constexpr int64_t few = 4 * accessBits / 8, shortest = 8 * 1024,
                    longestOfMany = 32 * 1024;
  if (!isQuotientOfWideRow(shape) || bytes <= shortest ||
      bytes > blockRowThreads * few ||
      (llvm::isPowerOf2_64(bytes) && bytes <= longestOfMany))
    return std::nullopt;
  return llvm::alignTo(llvm::divideCeil(bytes, few), warpThreads);
}

/// A thread keeps one access of a row that it sums, and reads up to three
/// others again for each sum and for the result (smx-gpu-reread-rows): 32
/// registers are enough for that, and all threads of a multiprocessor wait for
/// memory at once. The rows of its blocks are 128 KiB, which its cache has room
/// for. Shorter rows have as many blocks anyway; longer ones, in clusters, are
/// faster read once. Chips without clusters were not measured: most have fewer
/// threads, and layer norm spills for sm_80.
static std::optional<RowThreads> threadsOfReread(const NestShape &shape,
                                                 const ScheduleOptions &options,
                                                 int64_t bytes) {
  constexpr int64_t shortest = 32 * 1024, longest = 64 * 1024, pieces = 4;
  if (!isSumOfNarrowRow(shape) || options.clusters == 1 || bytes < shortest ||
      bytes > longest)
    return std::nullopt;
  for (int64_t threads : {blockRowThreads / 2, blockRowThreads}) {
    int64_t stripe = threads * accessBits / 8;
    if (bytes % stripe == 0 && bytes <= pieces * stripe)
      return RowThreads{threads, multiprocessorThreads};
  }
  return std::nullopt;
}

/// True for the k largest of a row of 16-bit elements.
static bool isLargestOfNarrowRow(const NestShape &shape) {
  return shape.maxima != 0 && shape.elementBits == 16;
}

/// Threads of a multiprocessor for the k largest of a row in registers, in
/// blocks of `threads`. Each finds its maximum, and a few warps rank what is
/// left, while memory waits unless more rows are there: 48 registers are enough
/// for 8 accesses a thread and a few ranks, if warps are a power of two and
/// have the same number of accesses.
static int64_t threadsOfLargest(const NestShape &shape, int64_t threads,
                                int64_t accesses) {
  constexpr int64_t mostRanks = 8, more = 1280;
  bool isEven =
      llvm::isPowerOf2_64(threads) && accesses != 0 && accesses % threads == 0;
  return isLargestOfNarrowRow(shape) && shape.maxima <= mostRanks && isEven
             ? more
             : blockRowThreads;
}

int64_t mlir::smx::gpu::threadsOfStream(const NestShape &shape,
                                        const ScheduleOptions &options) {
  // What follows the last tile is a chain of barriers and atomic operations,
  // which other blocks hide. Of a few tiles it is the larger part, and 40
  // registers do for tiles that are all read by whole accesses; of more tiles
  // blocks of 64 registers load further ahead.
  constexpr int64_t fewTiles = 4, more = 1536;
  return isLargestOfNarrowRow(shape) && shape.tiles != 0 &&
                 shape.tiles <= fewTiles && options.alignment * 8 >= accessBits
             ? more
             : blockRowThreads;
}

/// Blocks of so many threads with a few whole accesses each are faster by 1 to
/// 3 % on an H200, where narrow elements are written.
constexpr int64_t manyThreads = 256;

/// Whole accesses that each row consists of; 0 if it ends within one, or if
/// rows are not all of one type.
static int64_t accessesOfEachRow(const NestShape &shape) {
  int64_t bits = shape.longest * shape.elementBits;
  bool isWhole = bits % accessBits == 0 &&
                 shape.rowBits == shape.rowsRead * shape.elementBits;
  return isWhole ? bits / accessBits : 0;
}

/// `threads`, or if those do not all have the same number of whole accesses of
/// a row, the most of at least `fewest` and up to 256 that do: a row that ends
/// within the last access of each costs an access, masks, and their registers.
static int64_t threadsOfWholeAccesses(int64_t threads, int64_t fewest,
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

/// The most threads of a block, up to 256, that all have the same number of
/// whole accesses of its part of each row, at most 8 in all; 0 if none do.
static int64_t threadsOfPart(const NestShape &shape, int64_t blocks) {
  int64_t accesses = accessesOfEachRow(shape);
  if (accesses == 0 || accesses % blocks != 0)
    return 0;
  accesses /= blocks;
  int64_t fewest =
      llvm::alignTo(llvm::divideCeil(accesses * shape.rowsRead * accessBits / 8,
                                     blockRowThreadBytes),
                    warpThreads);
  int64_t threads = threadsOfWholeAccesses(manyThreads, fewest, accesses);
  return accesses % threads == 0 ? threads : 0;
}

/// Where a narrow row is read and nothing as long is written, no store hides
/// what follows the loads: 4 whole accesses of each thread and more threads are
/// 0.5 % faster than 8 on an H200, where a block has room for those. 0
/// elsewhere.
static int64_t threadsOfReaders(const NestShape &shape, int64_t fewest) {
  constexpr int64_t most = 512;
  int64_t threads = 2 * fewest, accesses = accessesOfEachRow(shape);
  bool isReader = !shape.isWritten && shape.elementBits == 16 &&
                  shape.rowsRead == 1 && shape.maxima == 0;
  return isReader && threads <= most && threads % warpThreads == 0 &&
                 accesses != 0 && accesses % threads == 0
             ? threads
             : 0;
}

/// Bytes of a row that each thread of a cluster has in registers, where two
/// blocks of up to 512 threads on a multiprocessor hold all of it there; 0
/// elsewhere. A half in shared memory takes more instructions, and leaves room
/// for fewer rows that compute while others arrive: without it 128 and 256 KiB
/// of exponentials are 1 to 3 % faster on an H200, and 256 KiB that are summed
/// 1 %. Clusters of 16 wait for longer than that. Quotients of f32 norms are
/// calls in f64, and two sums (layer norm) have widened elements: both spill.
static int64_t threadBytesOfCluster(const NestShape &shape,
                                    const ScheduleOptions &options,
                                    int64_t bytes) {
  constexpr int64_t mostBlocks = 8, threads = blockRowThreads / 2;
  int64_t accesses = accessesOfEachRow(shape);
  bool isSummedOnce =
      shape.sums == 1 && !shape.hasOtherFunctions &&
      (isSumOfNarrowRow(shape) || isExponentialOfWideRow(shape));
  if (!isSummedOnce || options.alignment * 8 < accessBits ||
      options.clusters == 1 || accesses == 0 || bytes <= halfRowBytes)
    return 0;
  const int64_t held = blockRowThreadBytes,
                blocks =
                    llvm::PowerOf2Ceil(llvm::divideCeil(bytes, threads * held)),
                part = llvm::alignTo(llvm::divideCeil(bytes, blocks * held),
                                     warpThreads),
                room = blocks * part * (held * 8 / accessBits);
  // Of f32 a thread has 32 elements in 32 registers, which leaves no more for
  // masks than those of two accesses.
  if (shape.elementBits == 32 && room - accesses > 2 * part)
    return 0;
  int64_t most = std::min(options.clusters, mostBlocks) * threads * held;
  return bytes <= most ? held : 0;
}

void mlir::smx::gpu::spreadRow(BlockSchedule &schedule, const NestShape &shape,
                               const ScheduleOptions &options) {
  int64_t bytes =
      registerBytesOfRow(llvm::divideCeil(shape.longest * shape.rowBits, 8),
                         /*isDouble=*/shape.elementBits == 64);
  // Copies to shared memory want rows at multiples of 16 bytes. Of a row that
  // does not fill its threads, what is read again is masked again: for narrow
  // elements registers alone are faster, where they do. But exponentials of one
  // row take so long that a second block, with the rest in shared memory, gives
  // more; and of two rows in a cluster (gradients) ptxas keeps what it widened
  // in registers, and spills up to 100 bytes.
  bool isOfBlock = shape.rowsRead == 1 && shape.hasExponentials &&
                   shape.isWritten && bytes <= blockRowBytes &&
                   accessesOfEachRow(shape) != 0;
  bool arePairs = shape.rowsRead > 1 && bytes > blockRowBytes &&
                  accessesOfEachRow(shape) != 0;
  bool isWhole = bytes % halfRowBytes == 0 || shape.elementBits >= 32 ||
                 isOfBlock || arePairs;
  int64_t held = threadBytesOfCluster(shape, options, bytes);
  bool isShared = held == 0 && options.alignment >= 16 &&
                  (isWhole || bytes > options.clusters * halfRowBytes);
  bool isCut =
      !isShared && (options.alignment * 8 < accessBits ||
                    shape.longest * shape.elementBits % accessBits != 0);
  int64_t each = isShared ? blockRowBytes
                 : isCut  ? cutBlockBytes
                 : held   ? blockRowThreads / 2 * held
                          : halfRowBytes;
  int64_t threadBytes = isCut  ? cutRowThreadBytes
                        : held ? held
                               : blockRowThreadBytes;
  if (held != 0 ||
      (bytes > blockRowThreads * threadBytes && options.clusters > 1)) {
    schedule.cluster = std::min<int64_t>(
        options.clusters, llvm::PowerOf2Ceil(llvm::divideCeil(bytes, each)));
    schedule.spread = shape.longestClass;
  }
  // Of two rows that are more than a half of what a block holds, blocks of up
  // to 256 threads may have whole accesses, all in registers, and four of them
  // are on a multiprocessor instead of two with a half in shared memory: 1 %
  // faster for 32768 and 131072 elements on an H200.
  int64_t pairBlocks =
      llvm::PowerOf2Ceil(llvm::divideCeil(bytes, halfRowBytes / 2));
  bool isAligned = !isCut && options.alignment * 8 >= accessBits;
  int64_t pairThreads = threadsOfPart(shape, pairBlocks);
  if (isSumOfTwoRows(shape) && isAligned && options.clusters >= pairBlocks &&
      bytes > halfRowBytes && pairThreads != 0) {
    schedule.cluster = pairBlocks;
    schedule.spread = shape.longestClass;
  } else {
    pairThreads = 0;
  }
  int64_t part = llvm::divideCeil(bytes, schedule.cluster);
  int64_t fewest = std::max<int64_t>(llvm::divideCeil(part, threadBytes),
                                     fewestThreads(shape));
  int64_t threads = fewest;
  if (shape.isWritten && shape.elementBits == 16 &&
      part % (manyThreads * accessBits / 8) == 0 &&
      part > manyThreads * accessBits / 8)
    threads = std::max(threads, manyThreads);
  // Of many warps, four at a time exchange 16 bytes; where registers hold a row
  // of a cluster, fewer threads leave more of them, or room for a third block.
  threads = llvm::alignTo(threads, threads > 4 * warpThreads && held == 0
                                       ? 4 * warpThreads
                                       : warpThreads);
  if (isAligned && schedule.cluster == 1) {
    int64_t readers = threadsOfReaders(shape, fewest);
    threads = readers ? readers
                      : threadsOfWholeAccesses(threads, fewest,
                                               accessesOfEachRow(shape));
  } else if (pairThreads != 0) {
    threads = pairThreads;
  }
  // Two blocks hide each other's exchange, if shared memory has the rest. Of a
  // cluster with f32, half as many threads are faster by 2 % on an H200. A row
  // of 16-bit elements that is summed twice leaves a thread 48 bytes of its
  // registers: where one block of all threads still has most of its part in
  // shared memory, two would read it there three times, and up to 13/16 of it.
  // One of them is faster in clusters of two; larger ones, which wait for more
  // blocks, need the second one, and so do rows that are summed once, of which
  // 64 bytes or more are in registers.
  int64_t most = blockRowThreads;
  bool isMostlyShared = schedule.cluster == 2 && shape.elementBits == 16 &&
                        shape.sums > 1 &&
                        part > 2 * blockRowThreads * widenedThreadBytes;
  if (isShared && part <= blockRowBytes && !isMostlyShared)
    most /= schedule.cluster > 1 && shape.elementBits == 32 ? 4 : 2;
  RowThreads chosen = {std::min<int64_t>(threads, most)};
  if (isAligned)
    chosen.multiprocessor =
        threadsOfLargest(shape, chosen.block, accessesOfEachRow(shape));
  if (options.warps)
    chosen = {options.warps * warpThreads};
  else if (auto again = threadsOfReread(shape, options, bytes);
           again && isAligned)
    chosen = *again;
  else if (auto squares = threadsOfWideSquares(shape, bytes);
           squares && isAligned)
    chosen = {*squares};
  else if (isAligned && schedule.cluster == 1)
    chosen = threadsOfFewAccesses(shape, bytes).value_or(chosen);
  schedule.warps = chosen.block / warpThreads;
  schedule.minBlocks =
      std::max<int64_t>(chosen.multiprocessor / chosen.block, 1);
  schedule.layout = StripedAttr::get(
      schedule.layout.getContext(),
      /*rows=*/1, chosen.block, 128 / std::max<int64_t>(shape.elementBits, 8));
}
