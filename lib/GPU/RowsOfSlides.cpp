//===- RowsOfSlides.cpp - kinds of rows that are slid ---------------------===//
//
// Rows that start anywhere are held from the multiple of 16 bytes before them
// on (SlidRowsPass.cpp): all that a thread has is whole accesses, and what is
// fastest is several blocks on a multiprocessor that take turns. Figures are
// those of an H200, side by side, in runs that are not kept.
//
//===----------------------------------------------------------------------===//

#include "LongRowClasses.h"

#include "smx/Tiling/AdjacentRows.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

/// 5 to 8 accesses in up to 512 threads, of which two blocks or more have so
/// many bytes of rows on a multiprocessor.
static constexpr Sharing inLargeBlocks(int64_t besides, int64_t enough) {
  return {.fewest = 5,
          .most = 8,
          .mostThreads = 512,
          .besides = besides,
          .fewestResident = 2,
          .enough = enough};
}

/// Bytes of one row by which large blocks are faster than more small ones.
static constexpr int64_t enoughOfLargeBlocks = 106'000;

/// The same of two rows: 4 to 6 accesses of each.
static constexpr Sharing pairInLargeBlocks(int64_t besides, int64_t enough,
                                           bool endsInLast) {
  return {.fewest = 4,
          .most = 6,
          .mostThreads = 512,
          .besides = besides,
          .fewestResident = 2,
          .enough = enough,
          .endsInLast = endsInLast};
}

/// One row of 16-bit elements, written or not. Of bf16 softmax, 12345 elements
/// are 1.2 times as fast as in two blocks of 512 threads, 50257 1.4, 65537 1.4,
/// 131073 1.5; with 8 accesses in 56 registers 45001 2 %, 90001 and 120001 5 to
/// 6. Squares and two sums (norms) take more of these, and larger blocks are
/// faster of which a multiprocessor has more at a time: layer norm of 45001 and
/// 90001 by 5 %, 120001 10, 151937 18. Rows of 42 to 64 KiB are faster in one
/// larger block, as are short ones, whose warps have fewer accesses.
std::optional<RowSpread> mlir::smx::gpu::slidRows(const LongRow &row) {
  constexpr int64_t shortest = 6 * 1024, longestOfOne = 384 * 7 * accessBytes;
  const NestShape &shape = row.shape;
  bool isNarrow = row.isRead(1, 16) && shape.maxima == 0 &&
                  (row.isSumOfNarrow() || !shape.isWritten);
  if (!isNarrow || row.isAligned || shape.hasWeights() ||
      row.bytes < shortest ||
      (row.bytes > longestOfOne && row.bytes <= halfRowBytes &&
       !shape.hasDoubleSums))
    return std::nullopt;
  bool isNorm = shape.isWritten && !shape.hasExponentials;
  if (row.options.clusters == 1)
    return spreadResident(row, {{.fewest = isNorm ? 6 : 5,
                                 .most = 7,
                                 .mostThreads = 384,
                                 .besides = 36}});
  if (!isNorm)
    return spreadResident(row, {{.fewest = 5,
                                 .most = shape.isWritten ? 8 : 7,
                                 .mostThreads = 384,
                                 .besides = shape.isWritten  ? 24
                                            : shape.sums > 1 ? 36
                                                             : 28}});
  return spreadResident(
      row, {inLargeBlocks(32, enoughOfLargeBlocks),
            {.fewest = 6, .most = 7, .mostThreads = 384, .besides = 32}});
}

/// Rows of up to 4 KiB that are too long to be moved as one piece: one warp, or
/// two, each with as many accesses as there are registers for. Softmax of 1100,
/// 1501 and 2001 elements of bf16 has 0.85, 1.00 and 1.00 of a copy, not 0.52,
/// 0.67 and 0.82; log-sum-exp of 1100 and 1501 0.81 and 0.89, not 0.59 and
/// 0.77.
std::optional<RowSpread> mlir::smx::gpu::slidShortRows(const LongRow &row) {
  constexpr int64_t longest = 4096;
  const NestShape &shape = row.shape;
  if (!shape.isOneRow || !row.isRead(1, 16) || shape.maxima != 0 ||
      (shape.isWritten ? !row.isSumOfNarrow() || shape.hasDoubleSums
                       : shape.sums == 0) ||
      row.isAligned || shape.hasWeights() ||
      shape.longest <= AdjacentRows::longest || row.bytes > longest)
    return std::nullopt;
  // The slide is at most an element shorter than an access.
  const int64_t elementBytes = shape.elementBits / 8,
                accesses = llvm::divideCeil(
                    row.bytes + accessBytes - elementBytes, accessBytes);
  auto areEnough = [&](int64_t threads, int64_t each) {
    return accesses <= threads * each;
  };
  constexpr int64_t one = warpThreads, two = 2 * warpThreads;
  // With 5 accesses of a row whose exponentials are written, a thread would
  // need 72 registers.
  const int64_t mostOfOne = !shape.isWritten        ? 6
                            : shape.hasExponentials ? 0
                                                    : 5;
  RowSpread spread{.threads = two, .multiprocessor = 1280};
  if (areEnough(one, mostOfOne))
    spread = {.threads = one, .isInRegisters = true};
  // Sums in f64, and two of them, have no room beside 32 registers.
  else if (areEnough(two, 4) &&
           (shape.isWritten || (!shape.hasDoubleSums && shape.sums == 1)))
    spread.multiprocessor = shape.isWritten ? 1536 : 2048;
  else if (shape.isWritten)
    spread = {.threads = 3 * warpThreads, .multiprocessor = 1536};
  // A tile that is hardly longer than the row has no room for the slide (1530
  // to 1536 elements, and a few more): four warps have.
  if (int64_t(llvm::alignTo(row.bytes, spread.threads * accessBytes)) <
      accesses * accessBytes)
    return std::nullopt;
  return spread;
}

/// f32 of which another row is made. Exponentials leave registers for 5 to 7
/// accesses, or 8 where 106 KB of rows are on a multiprocessor then; without
/// clusters one block of many threads has all of a row. What is written in 16
/// bits takes fewer registers, as do two sums (layer norm) of what squares take
/// (RMS norm), and so there are smaller blocks first. Layer norm of 10001,
/// 25001, 50257 and 100277 elements has 1.01, 1.01, 1.00 and 1.01 of a copy,
/// not 0.71, 0.68, 0.64 and 0.56, RMS norm 1.01, 1.01, 0.88 and 0.97, not 0.65,
/// 0.71, 0.65 and 0.60; softmax into bf16 of 8191 1.03, not 0.58, and softmax
/// of 32001 1.02, not 0.86. Weights come an element at a time.
std::optional<RowSpread> mlir::smx::gpu::slidWideRows(const LongRow &row) {
  constexpr int64_t shortest = 8 * 1024;
  const NestShape &shape = row.shape;
  if (!row.isRead(1, 32) || !shape.isWritten || shape.maxima != 0 ||
      shape.sums == 0 || row.isAligned || row.bytes < shortest)
    return std::nullopt;
  if (row.options.clusters == 1)
    return row.isExponentialWrittenWide()
               ? spreadResident(row, {{.fewest = 4,
                                       .most = 5,
                                       .mostThreads = blockRowThreads,
                                       .besides = 40}})
               : std::nullopt;
  if (shape.hasWeights())
    return spreadResident(
        row, {{.fewest = 4, .most = 6, .mostThreads = 448, .besides = 28}});
  if (row.isExponentialWrittenWide()) {
    // Three blocks that take turns: 10001 elements are 12 % faster, 20001 and
    // 50257 20, 65537 27, 100277 8, 131073 24, 160001 21.
    constexpr int64_t longRow = 32 * 1024;
    const Sharing many{
        .fewest = 8, .most = 12, .mostThreads = manyThreads, .besides = 28},
        large = inLargeBlocks(36, enoughOfLargeBlocks),
        few{.fewest = 5, .most = 7, .mostThreads = 448, .besides = 36};
    return row.bytes > longRow ? spreadResident(row, {many, large, few})
                               : spreadResident(row, {large, few});
  }
  const bool areSquares = !shape.hasExponentials && shape.sums == 1;
  const int64_t besides = areSquares ? 40 : 32;
  const Sharing large = inLargeBlocks(besides, enoughOfLargeBlocks),
                larger = inLargeBlocks(besides + 8, /*enough=*/0),
                small{.fewest = 4,
                      .most = 8,
                      .mostThreads = manyThreads,
                      .besides = besides},
                ordinary{.fewest = 4,
                         .most = 8,
                         .mostThreads = 384,
                         .besides = besides,
                         .fewestResident = 2};
  // Squares of 33333 to 80001 elements are 10 to 13 % faster in small blocks.
  return areSquares ? spreadResident(row, {large, small, ordinary, larger})
                    : spreadResident(row, {large, ordinary, larger});
}

/// Exponentials in f32 of a row of 16 bits, of which a thread has 4 in 8 bytes:
/// widened they take the registers of a row of f32, and masks of another access
/// than the last one take more. 4097, 12345 and 50257 elements are 1.4 times as
/// fast as in words that are shifted, 20001 1.5, 100277 1.6.
std::optional<RowSpread> mlir::smx::gpu::slidWidened(const LongRow &row) {
  constexpr int64_t shortest = 8 * 1024;
  if (!row.isWidenedExponential() || row.isAligned || row.bytes < shortest ||
      row.options.clusters == 1)
    return std::nullopt;
  return spreadResident(row, {{.fewest = 6,
                               .most = 8,
                               .mostThreads = 416,
                               .besides = 28,
                               .fewestResident = 3,
                               .enough = 110'000,
                               .endsInLast = true,
                               .bits = 32},
                              {.fewest = 6,
                               .most = 8,
                               .mostThreads = 416,
                               .besides = 40,
                               .fewestResident = 2,
                               .bits = 32}});
}

/// One row of 16-bit elements beside weights, which come an element at a time.
/// With 4 accesses RMS norm of f16 and 2501, 5001 and 20001 elements is 6, 28
/// and 35 % faster, 70001 41; with 6, and weights of f32, of bf16 5001, 20001
/// and 70001 9, 22 and 23, layer norm 3, 9 and 11.
std::optional<RowSpread> mlir::smx::gpu::slidWeighted(const LongRow &row) {
  constexpr int64_t shortest = 4 * 1024;
  const NestShape &shape = row.shape;
  if (!row.isRead(1, 16) || !shape.hasWeights() || !shape.isWritten ||
      shape.writtenBits != 16 || shape.maxima != 0 || shape.sums == 0 ||
      row.isAligned || row.bytes < shortest || row.options.clusters == 1)
    return std::nullopt;
  return spreadResident(row, {{.fewest = 4,
                               .most = shape.weightBits > 16 ? 6 : 4,
                               .mostThreads = 512,
                               .besides = 32}});
}

/// Two rows of f32. Of lengths from 4099 to 100277 the gradient of softmax has
/// 0.96 to 1.04 of a copy, not 0.52 to 0.95, and that of log-softmax 0.77 to
/// 1.05, not 0.75 to 1.04 (100277: 0.77, not 0.81).
static std::optional<RowSpread> slidWidePairs(const LongRow &row) {
  const NestShape &shape = row.shape;
  if (shape.sums != 1 || shape.reductions != 1 || !shape.isWritten ||
      row.isAligned)
    return std::nullopt;
  return spreadResident(row,
                        {pairInLargeBlocks(32, 122'000, /*endsInLast=*/true),
                         pairInLargeBlocks(32, 98'000, /*endsInLast=*/false)});
}

/// Two rows (the gradients of softmax and of its logarithm): 3 or 4 accesses of
/// each in one block up to 16 KiB, 4 to 6 beyond, where the row should end
/// within the last one: masks of others take registers. What was widened for
/// the sum is not kept (`smx_gpu.hold .. apart`). Of 80 lengths from 4099 to
/// 400001 gradients of softmax are 35 % faster than in blocks of 3 accesses and
/// 72 registers, from 8 % (4099) over 32 % (50257) to twice (151937), and those
/// of log-softmax 7 %.
std::optional<RowSpread> mlir::smx::gpu::slidPairs(const LongRow &row) {
  constexpr int64_t shortRow = 16 * 1024;
  if (row.isRead(2, 32))
    return slidWidePairs(row);
  if (!row.isSumOfTwo() || row.isAligned)
    return std::nullopt;
  // f16 is converted by way of other registers.
  bool areMany = row.shape.isConverted && row.shape.hasExponentials;
  if (row.bytes <= shortRow)
    return spreadResident(row, {{.fewest = 3,
                                 .most = 4,
                                 .mostThreads = 192,
                                 .besides = areMany ? 24 : 16}});
  const int64_t besides = row.shape.hasExponentials ? 32 : 24;
  return spreadResident(row, {pairInLargeBlocks(besides, 122'000, true),
                              pairInLargeBlocks(besides, 98'000, true),
                              {.fewest = 4,
                               .most = 4,
                               .mostThreads = 512,
                               .besides = 32,
                               .fewestResident = 3},
                              {.fewest = 4,
                               .most = 4,
                               .mostThreads = 512,
                               .besides = 32,
                               .fewestResident = 2}});
}
