//===- RowsOfReaders.cpp - rows that are only read ------------------------===//

#include "LongRowClasses.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpu;
using ::smx::gpu::warpThreads;

namespace {
/// Blocks that hold a row, and how many bytes of rows a multiprocessor holds
/// where as many of them are on it as registers allow.
struct Residence {
  RowSpread spread;
  int64_t bytes = 0;
};
} // namespace

/// Of a row in a cluster of `blocks` that have `part` accesses each, where a
/// thread has up to `each` of them and registers `besides`; nothing if blocks
/// would be too large.
static Residence residenceOf(const LongRow &row, int64_t part, int64_t blocks,
                             int64_t each, int64_t besides) {
  // A large block waits for the last one of its cluster for longer. What that
  // costs is less than a larger cluster of rows that start anywhere.
  constexpr int64_t most = 512, mostOfCluster = 384,
                    wordsOfAccess = accessBytes / 4;
  int64_t threads = llvm::alignTo(llvm::divideCeil(part, each), warpThreads);
  bool mayBeLarge = blocks == 1 || (blocks == 2 && !row.isAligned);
  if (threads > (mayBeLarge ? most : mostOfCluster))
    return {};
  int64_t resident = residentBlocks(threads, each * wordsOfAccess + besides);
  return {{threads, blocks, resident * threads}, resident * part * accessBytes};
}

/// A row of 16-bit elements that is read once, while nothing as long is
/// written: no store hides what follows the loads, and what decides is how much
/// of rows a multiprocessor has asked for at a time. From about 115 KiB on
/// memory is busy, so that the smallest cluster is taken by which it has those:
/// of threads with 8 accesses each, or as many whole ones as there can be.
///
/// Cross entropy, side by side on an H200 (not kept), with threads of a power
/// of two, or as little left over as can be: 14336 elements are 20 % faster,
/// 16384 12, 18000 to 25000 13 to 19, 33024 to 53248 8 to 16; of rows that
/// start anywhere 14001 9 %, 22001 11, 33333 16, 45001 19, 50257 12, 65537 16.
/// Log-sum-exp into f32 of 20000 is 45 % faster than in half as large blocks,
/// 50257 31, 128256, in a cluster and not tile by tile, 23. With a second sum
/// (smoothing) or scores that are negated rows spill at 8 accesses.
std::optional<RowSpread> mlir::smx::gpu::residentReaders(const LongRow &row) {
  constexpr int64_t mostBlocks = 8, mostAccesses = 8, fewestAccesses = 4;
  constexpr int64_t enough = 118'000;
  // A block of its own waits for no other one; a row that starts anywhere is
  // slow in a cluster.
  const int64_t enoughOfBlock = row.isAligned ? 110'000 : 98'000;
  const NestShape &shape = row.shape;
  // Registers beside those of the row.
  const int64_t besides = shape.hasDoubleSums ? 16 : 20;
  if (!row.isRead(1, 16) || shape.isWritten || shape.maxima != 0 ||
      shape.sums > 1 || shape.hasOtherFunctions || row.options.clusters == 1)
    return std::nullopt;
  int64_t slide = row.isAligned ? 0 : accessBytes - 1;
  int64_t accesses = llvm::divideCeil(row.bytes + slide, accessBytes);
  Residence best;
  for (int64_t blocks = 1; blocks <= std::min(mostBlocks, row.options.clusters);
       blocks *= 2) {
    int64_t part = llvm::divideCeil(accesses, blocks);
    // Sums in f64 take more where there are few blocks: ptxas would spill a
    // few.
    bool areFew = row.isAligned && (blocks == 2 || blocks == 4);
    const int64_t besidesMasks = shape.hasDoubleSums && areFew ? 32 : 24;
    for (int64_t each = mostAccesses; each >= fewestAccesses; --each) {
      bool areWhole = row.isAligned && row.accesses != 0 &&
                      accesses % (blocks * each * warpThreads) == 0;
      if (!areWhole && each != mostAccesses)
        continue;
      Residence found = residenceOf(row, part, blocks, each,
                                    areWhole ? besides : besidesMasks);
      if (found.bytes > best.bytes)
        best = found;
    }
    if (best.bytes >= (blocks == 1 ? enoughOfBlock : enough))
      break;
  }
  return best.bytes ? std::optional(best.spread) : std::nullopt;
}

/// f32 that is only read, and does not fill the accesses of warps: 8 to 12 of
/// them in a thread, since what follows the last one is the larger part of a
/// short row. Log-sum-exp of 1501, 5001, 10001, 20001 and 40001 elements has
/// 0.92, 1.04, 1.04, 1.03 and 1.02 of a copy, not 0.85, 0.71, 0.80, 0.73 and
/// 0.78; of 10000 1.05, not 0.92.
std::optional<RowSpread> mlir::smx::gpu::wideReaders(const LongRow &row) {
  constexpr int64_t shortest = 2 * 1024, longestOfWarp = 4 * 1024,
                    longestAligned = 64 * 1024, most = 8, fewest = 4;
  const NestShape &shape = row.shape;
  if (!row.isRead(1, 32) || shape.isWritten || shape.maxima != 0 ||
      shape.sums == 0 || row.bytes <= shortest)
    return std::nullopt;
  bool areWhole = llvm::any_of(llvm::seq_inclusive(fewest, most), [&](auto n) {
    return row.accesses != 0 && row.accesses % (n * warpThreads) == 0;
  });
  if (row.isAligned &&
      ((areWhole && row.bytes > longestOfWarp) || row.bytes > longestAligned))
    return std::nullopt;
  return spreadResident(
      row,
      {{.fewest = 8, .most = 12, .mostThreads = 320, .besides = 24},
       {.fewest = 4, .most = 8, .mostThreads = warpThreads, .besides = 24}});
}
