//===- RowsOfBlocks.cpp - kinds of long rows that one block holds ---------===//
//
// Figures are those of an H200, side by side, in runs that are not kept.
//
//===----------------------------------------------------------------------===//

#include "LongRowClasses.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

/// A row of 16-bit elements, and weights that are read for each of them where
/// it is written: registers that would hold more of a row hold those. With 4
/// accesses of a thread RMS norm of 4096, 6144 and 12288 elements is 2, 5 and
/// 10 % faster than with 2 or 3, or 6, in 256 threads, layer norm 1 to 3 %. Of
/// less than three such blocks both are up to a fifth slower than of four with
/// more accesses, in part in shared memory, and in clusters a tenth.
std::optional<RowSpread> mlir::smx::gpu::weightedRows(const LongRow &row) {
  constexpr int64_t threadBytes = 4 * accessBytes, shortest = 6 * 1024,
                    most = 512, registers = 56, registersOfMasks = 64,
                    fewestBlocks = 3;
  int64_t threads =
      llvm::alignTo(llvm::divideCeil(row.bytes, threadBytes), warpThreads);
  if (!row.shape.hasWeights() || !row.isRead(1, 16) || !row.shape.isWritten ||
      !row.isAligned || row.accesses == 0 || row.bytes < shortest ||
      threads > most)
    return std::nullopt;
  bool areWhole = row.accesses % threads == 0;
  int64_t blocks =
      residentBlocks(threads, areWhole ? registers : registersOfMasks);
  if (blocks < fewestBlocks)
    return std::nullopt;
  return RowSpread{threads, /*cluster=*/1, blocks * threads};
}

/// The same of a sum of two rows, which is written, too: one access of each in
/// 32 registers up to 4096 elements, 1 % faster than two (of f16 ptxas would
/// spill one), and two in 64 up to 8192, 1 to 2 % faster than four.
std::optional<RowSpread> mlir::smx::gpu::weightedSums(const LongRow &row) {
  constexpr int64_t pair = 2 * accessBytes, shortest = 8 * 1024, most = 512;
  if (!row.shape.hasWeights() || !row.isRead(2, 16) || !row.shape.isWritten ||
      !row.isAligned || row.accesses == 0 || row.bytes < shortest ||
      row.bytes > most * 2 * pair)
    return std::nullopt;
  bool few = row.bytes <= most * pair && row.accesses % warpThreads == 0 &&
             !row.shape.isConverted;
  int64_t threads = llvm::alignTo(
      llvm::divideCeil(row.bytes, (few ? 1 : 2) * pair), warpThreads);
  return RowSpread{threads, /*cluster=*/1,
                   residentBlocks(threads, few ? 32 : 64) * threads};
}

/// RMS norm of f32 sums squares in f64. ptxas computes the squares of all that
/// a thread has, in pairs of registers, before it widens the first, and then
/// spills a few: of more than 5 accesses. Of 8 in each of a power of two of
/// threads it does not, up to 32 KiB. Of more than 24 KiB, two blocks or more
/// take turns, if two have the row: 7168 elements are 5 % faster than in one
/// with 4 accesses, 9000 and 10000 50, 12288 37, 16384 27.
std::optional<RowSpread> mlir::smx::gpu::wideSquares(const LongRow &row) {
  constexpr int64_t few = 4 * accessBytes, shortest = 8 * 1024,
                    longestOfSmall = 24 * 1024, longestOfMany = 32 * 1024;
  bool isQuotient = row.isRead(1, 32) && row.shape.isWritten &&
                    row.shape.sums == 1 && !row.shape.hasExponentials &&
                    row.shape.maxima == 0;
  if (!isQuotient || !row.isAligned || row.bytes <= shortest ||
      row.bytes > blockRowThreads * few ||
      (llvm::isPowerOf2_64(row.bytes) && row.bytes <= longestOfMany))
    return std::nullopt;
  if (row.bytes > longestOfSmall)
    if (std::optional<RowSpread> spread =
            spreadResident(row, {{.fewest = 5,
                                  .most = 5,
                                  .mostThreads = 512,
                                  .besides = 28,
                                  .fewestResident = 2,
                                  .mostBlocks = 2}}))
      return spread;
  return RowSpread{static_cast<int64_t>(
      llvm::alignTo(llvm::divideCeil(row.bytes, few), warpThreads))};
}

/// One access of each operand is computed with in 32 registers, and all 2048
/// threads of a multiprocessor have those: 0.5 % faster for 4096 elements. Two
/// accesses of each would be spilled. Rows of 2048 elements have one of each
/// anyway. With exponentials (the gradient of log-softmax) it is 5 % slower.
std::optional<RowSpread> mlir::smx::gpu::pairsOfOneAccess(const LongRow &row) {
  constexpr int64_t pair = 2 * accessBytes, fewest = 256, most = 512;
  if (!row.isSumOfTwo() || row.shape.hasExponentials || !row.isAligned ||
      row.bytes <= fewest * pair || row.bytes > most * pair ||
      row.bytes % (warpThreads * pair) != 0)
    return std::nullopt;
  return RowSpread{row.bytes / pair, /*cluster=*/1, multiprocessorThreads};
}

/// Two accesses of f32 and their exponentials are computed with in 32
/// registers, which all threads of a multiprocessor have, if blocks leave few
/// of them over: 1.4 % faster for 4096 elements than four accesses, 0.1 to 0.4
/// % for 2048, 2560 and 3072, but 2 % slower for 3584, where an eighth is left.
/// Two blocks of 1024 threads are 6 % slower for 8192. Chips without clusters,
/// most of which have fewer threads, were not measured.
std::optional<RowSpread>
mlir::smx::gpu::wideExponentialsOfAllThreads(const LongRow &row) {
  constexpr int64_t two = 2 * accessBytes, fewest = 256, most = 512;
  int64_t threads = row.bytes / two;
  if (!row.isExponentialWrittenWide() || !row.isAligned ||
      row.options.clusters == 1 || threads < fewest || threads > most ||
      row.bytes % (warpThreads * two) != 0 ||
      !fillsMultiprocessor(threads, multiprocessorThreads / threads))
    return std::nullopt;
  return RowSpread{threads, /*cluster=*/1, multiprocessorThreads};
}

/// Exponentials of f32 take so long that memory waits for them unless more rows
/// are there: with 4 accesses, blocks of up to 256 threads have 48 registers
/// and 1280 threads of a multiprocessor, larger ones 40 and 1536, faster than
/// 1024 threads with 8 accesses. Longer rows would leave room for one such
/// block, and shorter ones have many blocks anyway.
std::optional<RowSpread>
mlir::smx::gpu::shortWideExponentials(const LongRow &row) {
  constexpr int64_t few = 4 * accessBytes, small = 256, most = 512;
  int64_t threads = row.bytes / few;
  if (!row.isExponentialWrittenWide() || !row.isAligned || threads > most ||
      row.bytes <= small / 2 * few || row.bytes % (warpThreads * few) != 0)
    return std::nullopt;
  return RowSpread{threads, /*cluster=*/1, threads > small ? 1536 : 1280};
}

/// Of rows that fill most registers of 1024 threads, one block has all of a row
/// in registers; two would have half of it in shared memory, which ptxas spills
/// for at 7 accesses, and which is slower at 8.
std::optional<RowSpread>
mlir::smx::gpu::wideExponentialsOfOneBlock(const LongRow &row) {
  if (!row.isExponentialOfWide() || !row.isAligned ||
      row.bytes <= blockRowBytes / 4 * 3 || row.bytes > blockRowBytes ||
      row.bytes % (blockRowThreads * accessBytes) != 0)
    return std::nullopt;
  return RowSpread{blockRowThreads};
}

/// A narrow row that is read while nothing as long is written, where there are
/// no clusters or more to compute than `residentReaders` have registers for: 4
/// whole accesses of each thread and more threads are 0.5 % faster than 8,
/// where a block has room for those.
std::optional<RowSpread> mlir::smx::gpu::narrowReaders(const LongRow &row) {
  constexpr int64_t most = 512;
  int64_t threads = 2 * llvm::divideCeil(row.bytes, blockRowThreadBytes);
  if (!row.isRead(1, 16) || row.shape.isWritten || row.shape.maxima != 0 ||
      !row.isAligned || row.accesses == 0 || threads > most ||
      threads % warpThreads != 0 || row.accesses % threads != 0)
    return std::nullopt;
  return RowSpread{threads};
}

/// Each thread of the k largest of a row in registers finds its maximum, and a
/// few warps rank what is left, while memory waits unless more rows are there:
/// 48 registers are enough for 8 accesses a thread and a few ranks, if warps
/// are a power of two and have the same number of accesses.
std::optional<RowSpread> mlir::smx::gpu::fewLargest(const LongRow &row) {
  constexpr int64_t mostRanks = 8, more = 1280, ofOne = 1152;
  if (!row.isLargestOfNarrow() || row.shape.maxima > mostRanks ||
      !row.isAligned || row.accesses == 0)
    return std::nullopt;
  RowSpread spread = spreadOrdinary(row);
  if (!llvm::isPowerOf2_64(spread.threads) ||
      row.accesses % spread.threads != 0)
    return std::nullopt;
  // Of one, what is behind is unrolled, and spills in 48.
  spread.multiprocessor = row.shape.maxima == 1 ? ofOne : more;
  return spread;
}

/// Other rows of which a block finds the largest: what is behind their maxima
/// takes each warp of a block equally long, and fewer of them wait for each
/// other, while seven blocks hide what is left.
std::optional<RowSpread> mlir::smx::gpu::largestOfFewWarps(const LongRow &row) {
  constexpr int64_t threads = 4 * warpThreads, threadBytes = 160, all = 896;
  if (row.shape.maxima == 0 || row.shape.elementBits > 32 || !row.isAligned ||
      row.accesses == 0 || row.bytes > threads * threadBytes ||
      spreadOrdinary(row).threads <= threads)
    return std::nullopt;
  RowSpread spread{threads};
  spread.multiprocessor = all;
  return spread;
}
