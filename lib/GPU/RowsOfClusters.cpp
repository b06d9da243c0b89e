//===- RowsOfClusters.cpp - kinds of rows that clusters hold --------------===//
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

/// Two rows of 64 to 128 KiB without exponentials (the gradient of softmax):
/// two accesses of each operand take 48 registers, and five blocks of 256
/// threads or more are on a multiprocessor: 0.6 to 1.1 % faster for 16384 to
/// 32768 elements. With exponentials (that of log-softmax), and of 16 blocks,
/// it is 8 to 9 % slower.
std::optional<RowSpread>
mlir::smx::gpu::pairsOfEightBlocks(const LongRow &row) {
  constexpr int64_t blocks = 8, threadBytes = 2 * 2 * accessBytes;
  if (!row.isSumOfTwo() || row.shape.hasExponentials || !row.isAligned ||
      row.options.clusters < blocks || row.bytes < halfRowBytes ||
      row.bytes > blockRowBytes ||
      row.bytes % (blocks * warpThreads * threadBytes) != 0)
    return std::nullopt;
  return RowSpread{row.bytes / (blocks * threadBytes), blocks};
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

/// A row that is summed once, and another one of its own type that is made of
/// it and the sum: all of it may be in registers.
static bool isSummedOnce(const LongRow &row) {
  return row.shape.sums == 1 && !row.shape.hasOtherFunctions &&
         (row.isSumOfNarrow() || row.isExponentialOfWide()) && row.isAligned &&
         row.accesses != 0;
}

/// A narrow row of 32 to 64 KiB that is summed once, in one or two blocks that
/// it fills: four blocks of a multiprocessor take turns. 16384 and 32768
/// exponentials and squares are 1.4 to 1.6 % faster than where all threads of a
/// multiprocessor read most of a row again, and 3 % than in blocks of 512.
std::optional<RowSpread> mlir::smx::gpu::sumsInQuarters(const LongRow &row) {
  SmallBlocks small(row.bytes);
  if (!row.isSumOfNarrow() || row.shape.sums != 1 || !row.isAligned ||
      row.bytes < quarterRowBytes || row.bytes > halfRowBytes ||
      row.bytes != small.room() || small.blocks > row.options.clusters)
    return std::nullopt;
  return RowSpread{small.threads, small.blocks};
}

/// Four blocks of up to 256 threads, whose clusters take turns, hide more of
/// what these wait for than two of up to 512, and leave fewer threads of a
/// multiprocessor without a row where those are not full (768 of 1024 for 192
/// and 384 KiB). Narrow rows of more than 128 KiB: 98304 elements are 1.2 %
/// (exponentials) and 2.2 % (norms) faster, 128256 1.5 %, 196608 5.7 and 5.6 %,
/// 262144 1.9 and 1.4 %; shorter ones, and those of full blocks of 512 threads,
/// are not. Rows of f32 are faster from 256 KiB on: 98304 elements 3.4 %.
std::optional<RowSpread> mlir::smx::gpu::sumsInSmallBlocks(const LongRow &row) {
  SmallBlocks small(row.bytes);
  if (!isSummedOnce(row) || small.blocks > row.options.clusters)
    return std::nullopt;
  bool isNarrow = row.shape.elementBits == 16;
  bool areFull =
      llvm::isPowerOf2_64(row.bytes) && row.bytes <= 4 * halfRowBytes;
  if (isNarrow ? row.bytes <= blockRowBytes || areFull ||
                     !isNearlyFull(row.bytes, small.room())
               : row.bytes <= 2 * blockRowBytes || row.bytes != small.room())
    return std::nullopt;
  return RowSpread{small.threads, small.blocks};
}

/// Two blocks of up to 512 threads on a multiprocessor may hold all of a row in
/// registers. A half in shared memory takes more instructions, and leaves room
/// for fewer rows that compute while others arrive: without it 128 and 256 KiB
/// of exponentials are 1 to 3 % faster, and 256 KiB that are summed 1 %.
/// Clusters of 16 wait for longer than that. Quotients of f32 norms are calls
/// in f64, and two sums (layer norm) have widened elements: both spill.
std::optional<RowSpread> mlir::smx::gpu::sumsInRegisters(const LongRow &row) {
  constexpr int64_t mostBlocks = 8, threads = blockRowThreads / 2;
  int64_t most = std::min(row.options.clusters, mostBlocks) * threads *
                 blockRowThreadBytes;
  if (!isSummedOnce(row) || row.options.clusters == 1 ||
      row.bytes <= halfRowBytes || row.bytes > most)
    return std::nullopt;
  int64_t blocks = llvm::PowerOf2Ceil(
      llvm::divideCeil(row.bytes, threads * blockRowThreadBytes));
  // Fewer threads leave more registers, or room for a third block.
  int64_t part = llvm::alignTo(
      llvm::divideCeil(row.bytes, blocks * blockRowThreadBytes), warpThreads);
  int64_t room = blocks * part * blockRowThreadBytes;
  // Of f32 a thread has 32 elements in 32 registers, which leaves no more for
  // masks than those of two accesses.
  if (row.shape.elementBits == 32 && room - row.bytes > 2 * part * accessBytes)
    return std::nullopt;
  // Of four blocks or more that are not full, the last one has few threads with
  // elements: with the rest in shared memory 100000 exponentials are 9.5 %
  // faster, 151936 3.8, 200000 15.9. More than 13 accesses of each thread there
  // are spilled for f16.
  int64_t ofBlock = threads * 13 * accessBytes;
  int64_t sharing =
      llvm::PowerOf2Ceil(llvm::divideCeil(row.bytes, blockRowBytes));
  if (row.shape.elementBits == 16 && row.shape.hasExponentials &&
      row.bytes > blockRowBytes && row.bytes <= sharing * ofBlock &&
      !isNearlyFull(row.bytes, room))
    return std::nullopt;
  return RowSpread{part, blocks};
}

/// Exponentials of a row of more than 512 KiB are partly in shared memory. Of
/// f32, 1 MiB, two blocks of 512 threads have more of it in registers than two
/// of 256, and compute faster: 262144 elements by 0.7 %; in clusters of 16 it
/// is 4 % slower, and of 12 or 14 accesses a thread ptxas spills a few. Of
/// narrow rows, up to 1.5 MiB, 16 blocks of 256 threads leave room for a third
/// or a fourth: 393216 elements are 1 % faster, 524288 0.8, 786432 1.7; 1048576
/// are not.
std::optional<RowSpread> mlir::smx::gpu::longExponentials(const LongRow &row) {
  constexpr int64_t shortest = 4 * blockRowBytes, wide = 8 * blockRowBytes,
                    longestNarrow = 12 * blockRowBytes;
  bool isNarrow = row.shape.elementBits == 16;
  int64_t blocks = isNarrow ? 16 : 8, threads = isNarrow ? manyThreads : 512;
  bool isOfClass = isNarrow
                       ? row.bytes > shortest && row.bytes <= longestNarrow &&
                             row.bytes % (blocks * threads * accessBytes) == 0
                       : row.bytes == wide;
  if (!isSummedOnce(row) || !row.shape.hasExponentials ||
      row.options.clusters < blocks || !isOfClass)
    return std::nullopt;
  return RowSpread{threads, blocks};
}

/// Exponentials of a narrow row in f32 (softmax of bf16 into f32): widened, 32
/// elements of a thread take the registers that 32 of f32 do, and up to 256
/// threads, of which a multiprocessor has four times as many, have those; of
/// the longest rows, up to 1024. Twice as many elements are spilled. Blocks of
/// 512 are 9 % slower for 16384 elements, and 1.4 % for 65536 and 131072.
std::optional<RowSpread>
mlir::smx::gpu::widenedExponentials(const LongRow &row) {
  constexpr int64_t mostThreads = blockRowThreads / 4,
                    threadBytes = exponentialThreadBytes;
  if (!row.isWidenedExponential() || !row.isAligned || row.accesses == 0)
    return std::nullopt;
  int64_t blocks = std::min<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(
                                         row.bytes, mostThreads * threadBytes)),
                                     row.options.clusters);
  int64_t threads = llvm::alignTo(
      llvm::divideCeil(row.bytes, blocks * threadBytes), warpThreads);
  if (threads > blockRowThreads)
    return std::nullopt;
  return RowSpread{threads, blocks};
}

/// A narrow row of 64 to 256 KiB that is read once, and nothing as long is
/// written, with more to compute than `residentReaders` have registers for, in
/// blocks of up to 256 threads: all of it is asked for at once, and what
/// follows the loads takes turns with other rows. One block of up to 1024
/// threads, which has a multiprocessor for itself, is 10 to 41 % slower for
/// 40000 to 57344 elements, and tiles of a block, one after the other, 0.6 to
/// 2 % for 65536 to 131072. smx-tile decides which of the latter are one tile
/// (isReadByCluster); clusters of 16 are slower but for a few lengths.
std::optional<RowSpread>
mlir::smx::gpu::readersInRegisters(const LongRow &row) {
  constexpr int64_t mostBlocks = 8;
  SmallBlocks small(row.bytes);
  if (!row.isRead(1, 16) || row.shape.isWritten || row.shape.maxima != 0 ||
      !row.isAligned || row.accesses == 0 || row.bytes <= halfRowBytes ||
      small.blocks > std::min(row.options.clusters, mostBlocks))
    return std::nullopt;
  return RowSpread{small.threads, small.blocks};
}

/// A narrow row of more than 32 KiB that is summed twice, in small blocks that
/// it fills: what threads have no registers for is in shared memory, and four
/// blocks of a multiprocessor take turns. 32768 elements are 1.4 % faster,
/// 40960 1, 65536 1.1, 81920 5.9, 98304 1.7, 131072 0.7, 196608 2.2,
/// 262144 3.1.
std::optional<RowSpread>
mlir::smx::gpu::summedTwiceInSmallBlocks(const LongRow &row) {
  SmallBlocks small(row.bytes);
  if (!row.isSumOfNarrow() || row.shape.sums < 2 || !row.isAligned ||
      row.bytes <= quarterRowBytes || row.bytes != small.room() ||
      small.blocks > row.options.clusters)
    return std::nullopt;
  return RowSpread{small.threads, small.blocks};
}
