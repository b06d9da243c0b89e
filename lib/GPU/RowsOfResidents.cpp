//===- RowsOfResidents.cpp - rows of several blocks of a multiprocessor ---===//
//
// A row whose threads do not all have whole accesses leaves some of them idle,
// and masks take registers. What decides is how much of rows a multiprocessor
// has asked for at a time, and that three blocks or more take turns. Figures
// are those of an H200, side by side, in runs that are not kept.
//
//===----------------------------------------------------------------------===//

#include "LongRowClasses.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

/// Of rows that are written, with which a multiprocessor is busy.
static constexpr int64_t enoughBytes = 98'000;

/// Beside more ptxas takes the registers of another one.
static constexpr int64_t accessesOfFew = 10;

/// Of a row in so many blocks, the threads that leave least over of a part, the
/// fewest of those, if as many blocks and bytes of it as are wanted are on a
/// multiprocessor.
static std::optional<RowSpread> spreadPart(const LongRow &row,
                                           const Sharing &sharing,
                                           int64_t accesses, int64_t blocks) {
  constexpr int64_t wordsOfAccess = accessBytes / 4;
  const int64_t rows = row.shape.rowsRead,
                part = llvm::divideCeil(accesses, blocks);
  std::optional<RowSpread> best;
  int64_t most = 0;
  for (int64_t threads = warpThreads; threads <= sharing.mostThreads;
       threads += warpThreads) {
    int64_t each = llvm::divideCeil(part, threads);
    if (each < sharing.fewest || each > sharing.most ||
        32 * part < sharing.fullness * threads * each ||
        (sharing.endsInLast && blocks * threads * each - accesses >= threads) ||
        (best && threads * each >= most))
      continue;
    int64_t registers = each * wordsOfAccess * rows + sharing.besides;
    if (each * rows > accessesOfFew)
      registers += wordsOfAccess * rows;
    int64_t resident = residentBlocks(threads, registers);
    if (resident < sharing.fewestResident ||
        resident * part * accessBytes * rows < sharing.enough)
      continue;
    best = RowSpread{threads, blocks, resident * threads,
                     /*isInRegisters=*/each * rows * accessBytes >
                         blockRowThreadBytes};
    most = threads * each;
  }
  return best;
}

static std::optional<RowSpread> spreadBy(const Sharing &sharing,
                                         const LongRow &row) {
  const int64_t bits = sharing.bits ? sharing.bits : row.shape.elementBits;
  const int64_t bytes =
      row.shape.longest * bits / 8 + (row.isAligned ? 0 : accessBytes - 1);
  const int64_t accesses = llvm::divideCeil(bytes, accessBytes);
  for (int64_t blocks = 1;
       blocks <= std::min(row.options.clusters, sharing.mostBlocks);
       blocks *= 2)
    if (std::optional<RowSpread> spread =
            spreadPart(row, sharing, accesses, blocks))
      return spread;
  return std::nullopt;
}

std::optional<RowSpread>
mlir::smx::gpu::spreadResident(const LongRow &row,
                               std::initializer_list<Sharing> ways) {
  for (const Sharing &sharing : ways)
    if (std::optional<RowSpread> spread = spreadBy(sharing, row))
      return spread;
  return std::nullopt;
}

/// A row of 16-bit elements that is summed and written, of more than 32 KiB and
/// of none of the classes that its threads fill. Softmax of 18000 elements is 8
/// % faster, 20000 5, 50304 5, 100352 4, 200064 2; layer norm of 33024 18,
/// 40000 10, 100352 8, 151936 28, 200064 39; RMS norm of 100352 6, 200064 11.
/// 65536 and 131072 are 0.6 %; softmax of 53248 and 122880 0.9 and 0.7 %
/// slower.
std::optional<RowSpread> mlir::smx::gpu::residentSums(const LongRow &row) {
  constexpr int64_t many = 8, enoughOfMany = 118'000;
  if (!row.isSumOfNarrow() || !row.isAligned || row.accesses == 0 ||
      row.bytes <= quarterRowBytes || row.options.clusters == 1)
    return std::nullopt;
  // What is left over of exponentials takes as long to compute as what is not,
  // and a larger cluster waits for longer: part of it is in shared memory. Of
  // 16 blocks ptxas spills masks of 8 accesses, or of more than the last.
  bool takesLong = row.shape.hasExponentials;
  return spreadResident(row, {{.fewest = 5,
                               .most = 8,
                               .mostThreads = 512,
                               .besides = 28,
                               .fewestResident = 3,
                               .enough = enoughBytes,
                               .mostBlocks = takesLong ? many / 2 : many},
                              {.fewest = 5,
                               .most = 7,
                               .mostThreads = 512,
                               .besides = 28,
                               .fewestResident = 3,
                               .enough = takesLong ? enoughOfMany : enoughBytes,
                               .fullness = takesLong ? 31 : 30}});
}

/// Two rows with exponentials (the gradient of log-softmax), four accesses of
/// each in up to two blocks: 9000 elements are 8 % faster, 9216 6, 18000 14,
/// 20000 11, 24576 2, 36864 7, 49152 6, and 25000, in 48 registers and not 56,
/// 4. More blocks wait for longer, so that three or more should be on a
/// multiprocessor, or what has most of its registers: 50304 elements are 2 %
/// faster, 81920 2, 98304 12, 131072 2, 200064 5; with less than 140 kB of rows
/// there 126064 and 250000 would be 2 and 8 % slower.
std::optional<RowSpread> mlir::smx::gpu::residentPairs(const LongRow &row) {
  constexpr int64_t plenty = 140'000;
  if (!row.isSumOfTwo() || !row.shape.hasExponentials || !row.isAligned ||
      row.accesses == 0 || row.bytes <= quarterRowBytes ||
      row.options.clusters == 1)
    return std::nullopt;
  return spreadResident(row, {{.fewest = 4,
                               .most = 4,
                               .mostThreads = 512,
                               .besides = 16,
                               .fewestResident = 2,
                               .enough = enoughBytes,
                               .mostBlocks = 2},
                              {.fewest = 4,
                               .most = 5,
                               .mostThreads = 512,
                               .besides = 16,
                               .fewestResident = 3,
                               .enough = plenty,
                               .fullness = 31},
                              {.fewest = 4,
                               .most = 5,
                               .mostThreads = 512,
                               .besides = 16,
                               .fewestResident = 2,
                               .enough = plenty}});
}

/// Two rows without (the gradient of softmax), which do not fill blocks: 18000
/// elements are 5 % faster, 20000 1.6, 25000 and 50304 1 and 2; and in larger
/// clusters 60000 2.6 %, 100000 1.7, 120000 2.5, 128256 2.2, 180000 1.6.
std::optional<RowSpread> mlir::smx::gpu::residentCutPairs(const LongRow &row) {
  if (!row.isSumOfTwo() || row.shape.hasExponentials || !row.isAligned ||
      row.bytes <= halfRowBytes || row.options.clusters == 1 ||
      row.accesses == 0)
    return std::nullopt;
  constexpr int64_t longBytes = 4 * halfRowBytes;
  bool fillsWarps = row.accesses % warpThreads == 0;
  if (fillsWarps && (row.bytes <= longBytes || row.bytes % halfRowBytes == 0))
    return std::nullopt;
  const Sharing few{.fewest = 3,
                    .most = 4,
                    .mostThreads = 512,
                    .besides = 40,
                    .fewestResident = 2,
                    .enough = enoughBytes,
                    .mostBlocks = 4},
      many{.fewest = 4,
           .most = 5,
           .mostThreads = 512,
           .besides = 24,
           .fewestResident = 2,
           .enough = enoughBytes,
           .endsInLast = true};
  return fillsWarps ? spreadResident(row, {many})
                    : spreadResident(row, {few, many});
}

/// Nothing where each thread has as many whole accesses of the row.
static std::optional<RowSpread> unlessWhole(const LongRow &row,
                                            std::optional<RowSpread> spread) {
  bool areWhole = spread && row.accesses != 0 &&
                  row.accesses % (spread->threads * spread->cluster) == 0;
  return areWhole ? std::nullopt : spread;
}

/// A long row of 16-bit elements of which one of f32 is made; shorter ones, if
/// they start anywhere, are `slidWidened`. Softmax of 50257
/// elements is 16 % faster, 65537 38, 128256 13, 151936 27, 200064 44;
/// log-softmax of 40001 15, 131073 60, 200064 50; RMS norm of 50257 17, 65536
/// 49, 262144 61. Exponentials that no mask holds back are widened all at once,
/// and spilled: of rows that start anywhere, with 8 accesses, too.
std::optional<RowSpread> mlir::smx::gpu::residentWidened(const LongRow &row) {
  constexpr int64_t shortest = 60'000;
  const NestShape &shape = row.shape;
  if (!row.isRead(1, 16) || !shape.isWritten || shape.widestWritten != 32 ||
      shape.writtenBits != 32 || shape.sums == 0 || shape.maxima != 0 ||
      shape.hasWeights() || row.options.clusters == 1 || row.bytes < shortest)
    return std::nullopt;
  const Sharing many{.fewest = 7, .most = 8, .mostThreads = 320, .besides = 32},
      larger{.fewest = 4, .most = 8, .mostThreads = 384, .besides = 32},
      fewer{.fewest = 4, .most = 7, .mostThreads = 320, .besides = 32},
      converted{.fewest = 4, .most = 6, .mostThreads = 288, .besides = 40};
  if (!shape.hasExponentials)
    return spreadResident(row, {many, larger});
  if (!row.isAligned)
    return spreadResident(row, {shape.isConverted ? converted : fewer});
  return unlessWhole(row, spreadResident(row, {larger}));
}

/// Exponentials of f64 that do not fill the accesses of threads: 20000 elements
/// are 27 % faster, 50304 5; of rows that start anywhere 4097 2.9 times as
/// fast, 8191 2, 20001 to 50257 2.1 to 2.4, and up to 16384 more blocks with
/// fewer accesses are faster than the opposite.
std::optional<RowSpread> mlir::smx::gpu::residentDoubles(const LongRow &row) {
  // Each element takes the registers of two.
  constexpr int64_t shortest = 64 * 1024, longestOfMany = 256 * 1024;
  const NestShape &shape = row.shape;
  if (!row.isRead(1, 64) || !shape.hasExponentials || !shape.isWritten ||
      shape.sums != 1 || shape.maxima != 0 || row.options.clusters == 1 ||
      row.bytes < shortest)
    return std::nullopt;
  const Sharing many{
      .fewest = 7, .most = 9, .mostThreads = manyThreads, .besides = 44},
      few{.fewest = 8, .most = 11, .mostThreads = manyThreads, .besides = 40};
  bool wantsMany = !row.isAligned && row.bytes <= longestOfMany;
  return unlessWhole(row, spreadResident(row, {wantsMany ? many : few}));
}
