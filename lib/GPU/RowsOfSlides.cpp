//===- RowsOfSlides.cpp - kinds of rows that are slid ---------------------===//
//
// Rows that start anywhere are held from the multiple of 16 bytes before them
// on (SlidRowsPass.cpp): all that a thread has is whole accesses, and what is
// fastest is several blocks on a multiprocessor that take turns. Figures are
// those of an H200, side by side, in runs that are not kept.
//
//===----------------------------------------------------------------------===//

#include "LongRowClasses.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

namespace {
/// What threads may have of a slid row.
struct Share {
  /// Accesses of each operand, and threads of a block.
  int64_t fewest, most, mostThreads;
  /// Registers beside those of the row.
  int64_t besides;
};
} // namespace

/// In as few blocks as can be, the threads that leave least over; of those, the
/// fewest. As many blocks are on a multiprocessor as registers allow.
static std::optional<RowSpread> spreadSlid(const LongRow &row, Share share) {
  const NestShape &shape = row.shape;
  const int64_t bytes = shape.longest * shape.elementBits / 8 + accessBytes - 1;
  for (int64_t blocks = 1; blocks <= row.options.clusters; blocks *= 2) {
    int64_t accesses =
        llvm::divideCeil(llvm::divideCeil(bytes, accessBytes), blocks);
    std::optional<int64_t> best;
    int64_t most = 0;
    for (int64_t threads = warpThreads; threads <= share.mostThreads;
         threads += warpThreads) {
      int64_t each = llvm::divideCeil(accesses, threads);
      if (each < share.fewest || each > share.most ||
          (best && threads * each >= most))
        continue;
      best = threads;
      most = threads * each;
    }
    if (!best)
      continue;
    constexpr int64_t wordsOfAccess = accessBytes / 4;
    int64_t registers =
        most / *best * wordsOfAccess * shape.rowsRead + share.besides;
    return RowSpread{*best, blocks, residentBlocks(*best, registers) * *best};
  }
  return std::nullopt;
}

/// One row of 16-bit elements, written or not. Of bf16 softmax, 12345 elements
/// are 1.2 times as fast as in two blocks of 512 threads, 50257 1.4, 65537 1.4,
/// 131073 1.5. Squares and two sums (norms) take more registers: of five
/// accesses ptxas spills a few. Rows of 42 to 64 KiB are faster in one larger
/// block, as are short ones, whose warps have fewer accesses.
std::optional<RowSpread> mlir::smx::gpu::slidRows(const LongRow &row) {
  constexpr int64_t shortest = 6 * 1024, longestOfOne = 384 * 7 * accessBytes;
  const NestShape &shape = row.shape;
  bool isNarrow = row.isRead(1, 16) && shape.maxima == 0 &&
                  (row.isSumOfNarrow() || !shape.isWritten);
  if (!isNarrow || row.isAligned || row.bytes < shortest ||
      (row.bytes > longestOfOne && row.bytes <= halfRowBytes &&
       !shape.hasDoubleSums))
    return std::nullopt;
  bool isNorm = shape.isWritten && !shape.hasExponentials;
  return spreadSlid(row, {/*fewest=*/isNorm ? 6 : 5, /*most=*/7,
                          /*mostThreads=*/384,
                          /*besides=*/row.options.clusters == 1 ? 36
                          : isNorm                              ? 32
                                                                : 28});
}

/// Exponentials of f32. Where there are no clusters one block of many threads
/// has all of a row.
std::optional<RowSpread> mlir::smx::gpu::slidWideRows(const LongRow &row) {
  constexpr int64_t shortest = 8 * 1024;
  if (!row.isExponentialWrittenWide() || row.isAligned || row.bytes < shortest)
    return std::nullopt;
  if (row.options.clusters == 1)
    return spreadSlid(row, {/*fewest=*/4, /*most=*/5, blockRowThreads,
                            /*besides=*/40});
  return spreadSlid(row, {/*fewest=*/5, /*most=*/7, /*mostThreads=*/448,
                          /*besides=*/36});
}

/// Two rows of which exponentials are made (the gradient of log-softmax): 12345
/// elements 1.07 times as fast as with two accesses in a block of 896 threads,
/// 50257 1.04.
std::optional<RowSpread> mlir::smx::gpu::slidPairs(const LongRow &row) {
  constexpr int64_t shortest = 32 * 1024;
  if (!row.isSumOfTwo() || !row.shape.hasExponentials || row.isAligned ||
      row.bytes < shortest)
    return std::nullopt;
  std::optional<RowSpread> spread =
      spreadSlid(row, {/*fewest=*/4, /*most=*/4, /*mostThreads=*/448,
                       /*besides=*/40});
  // Of 16 blocks ptxas spills a few.
  return spread && spread->cluster <= 8 ? spread : std::nullopt;
}
