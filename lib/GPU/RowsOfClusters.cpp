//===- RowsOfClusters.cpp - kinds of rows that clusters hold --------------===//
//
// Figures are those of an H200.
//
//===----------------------------------------------------------------------===//

#include "LongRowClasses.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

/// The most threads of a block, up to 256, that all have the same number of
/// whole accesses of its part of each row, at most 8 in all; 0 if none do.
static int64_t threadsOfPart(const LongRow &row, int64_t blocks) {
  if (row.accesses == 0 || row.accesses % blocks != 0)
    return 0;
  int64_t accesses = row.accesses / blocks;
  int64_t fewest = llvm::alignTo(
      llvm::divideCeil(accesses * row.shape.rowsRead * accessBytes,
                       blockRowThreadBytes),
      warpThreads);
  int64_t threads = threadsOfWholeAccesses(manyThreads, fewest, accesses);
  return accesses % threads == 0 ? threads : 0;
}

/// Of two rows that are more than a half of what a block holds, blocks of up to
/// 256 threads may have whole accesses, all in registers, and four of them are
/// on a multiprocessor instead of two with a half in shared memory: 1 % faster
/// for 32768 and 131072 elements.
std::optional<RowSpread> mlir::smx::gpu::pairsInRegisters(const LongRow &row) {
  if (!row.isSumOfTwo() || !row.isAligned || row.bytes <= halfRowBytes)
    return std::nullopt;
  int64_t blocks =
      llvm::PowerOf2Ceil(llvm::divideCeil(row.bytes, halfRowBytes / 2));
  int64_t threads = threadsOfPart(row, blocks);
  if (row.options.clusters < blocks || threads == 0)
    return std::nullopt;
  return RowSpread{threads, blocks};
}

/// Two blocks of up to 512 threads on a multiprocessor may hold all of a row in
/// registers. A half in shared memory takes more instructions, and leaves room
/// for fewer rows that compute while others arrive: without it 128 and 256 KiB
/// of exponentials are 1 to 3 % faster, and 256 KiB that are summed 1 %.
/// Clusters of 16 wait for longer than that. Quotients of f32 norms are calls
/// in f64, and two sums (layer norm) have widened elements: both spill.
std::optional<RowSpread> mlir::smx::gpu::sumsInRegisters(const LongRow &row) {
  constexpr int64_t mostBlocks = 8, threads = blockRowThreads / 2;
  bool isSummedOnce = row.shape.sums == 1 && !row.shape.hasOtherFunctions &&
                      (row.isSumOfNarrow() || row.isExponentialOfWide());
  int64_t most = std::min(row.options.clusters, mostBlocks) * threads *
                 blockRowThreadBytes;
  if (!isSummedOnce || !row.isAligned || row.options.clusters == 1 ||
      row.accesses == 0 || row.bytes <= halfRowBytes || row.bytes > most)
    return std::nullopt;
  int64_t blocks = llvm::PowerOf2Ceil(
      llvm::divideCeil(row.bytes, threads * blockRowThreadBytes));
  // Fewer threads leave more registers, or room for a third block.
  int64_t part = llvm::alignTo(
      llvm::divideCeil(row.bytes, blocks * blockRowThreadBytes), warpThreads);
  // Of f32 a thread has 32 elements in 32 registers, which leaves no more for
  // masks than those of two accesses.
  int64_t room = blocks * part * (blockRowThreadBytes / accessBytes);
  if (row.shape.elementBits == 32 && room - row.accesses > 2 * part)
    return std::nullopt;
  return RowSpread{part, blocks};
}

/// A row of 16-bit elements that is summed twice leaves a thread 48 bytes of
/// its registers: where one block of all threads still has most of its part in
/// shared memory, two would read it there three times, and up to 13/16 of it.
/// One of them is faster in clusters of two; larger ones, which wait for more
/// blocks, need the second one, and so do rows that are summed once, of which
/// 64 bytes or more are in registers.
std::optional<RowSpread>
mlir::smx::gpu::summedTwiceByTwoBlocks(const LongRow &row) {
  constexpr int64_t blocks = 2,
                    mostlyShared = 2 * blockRowThreads * widenedThreadBytes;
  if (row.shape.elementBits != 16 || row.shape.sums < 2 ||
      row.options.clusters < blocks || !isPartlyShared(row) ||
      row.bytes <= blocks * mostlyShared || row.bytes > blocks * blockRowBytes)
    return std::nullopt;
  int64_t threads = llvm::divideCeil(row.bytes, blocks * blockRowThreadBytes);
  return RowSpread{
      static_cast<int64_t>(llvm::alignTo(threads, 4 * warpThreads)), blocks};
}
