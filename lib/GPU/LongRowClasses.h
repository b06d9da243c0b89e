//===- LongRowClasses.h - kinds of long rows, and their threads -*- C++ -*-===//
//
// A class of rows says, for those it is about, how many threads hold a row and
// in how many blocks; none for others. LongRowSchedule.cpp has their order: the
// first that fits decides.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPU_LONGROWCLASSES_H
#define SMX_LIB_GPU_LONGROWCLASSES_H

#include "NestShape.h"
#include "smx/GPU/Layout.h"
#include "smx/Tiling/LongRows.h"

#include <optional>

namespace mlir::smx::gpu {

using ::smx::gpu::accessBytes;
static_assert(accessBytes * 8 == accessBits);

struct LongRow {
  LongRow(const NestShape &shape, const ScheduleOptions &options);

  const NestShape &shape;
  const ScheduleOptions &options;
  /// Bytes of registers that it takes, all operands together.
  int64_t bytes;
  /// Whole accesses that each operand consists of; 0 if it ends within one, or
  /// if operands are not all of one type.
  int64_t accesses;
  /// It starts with an access.
  bool isAligned;

  /// The loop nest reads so many rows of elements of so many bits, and nothing
  /// else as long.
  bool isRead(int64_t rows, int64_t bits) const {
    return shape.rowsRead == rows && shape.elementBits == bits &&
           shape.rowBits == rows * bits;
  }
  /// The k largest of a row of 16-bit elements.
  bool isLargestOfNarrow() const {
    return shape.maxima != 0 && shape.elementBits == 16;
  }
  /// A row of 16-bit elements that is summed, or whose exponentials below its
  /// maximum are, and another one that is made of it alone. Functions of its
  /// elements take more registers.
  bool isSumOfNarrow() const {
    return isRead(1, 16) && shape.sums != 0 && shape.maxima == 0 &&
           shape.writtenBits == shape.elementBits &&
           (!shape.hasExponentials || shape.reductions > shape.sums) &&
           !shape.hasOtherFunctions;
  }
  /// Exponentials of a row of f32 and what they are divided by.
  bool isExponentialOfWide() const {
    return isRead(1, 32) && shape.hasExponentials && shape.isWritten;
  }
  /// The same written in f32: what a narrower result is made of takes fewer
  /// instructions.
  bool isExponentialWrittenWide() const {
    return isExponentialOfWide() && shape.widestWritten >= shape.elementBits;
  }
  /// One sum of two rows of 16-bit elements, and a third row made of them and
  /// the sum: the gradients of softmax and of its logarithm. Nothing is kept
  /// beside the elements that were read.
  bool isSumOfTwo() const {
    return isRead(2, 16) && shape.reductions == 1 && shape.sums == 1 &&
           shape.writtenBits == shape.elementBits;
  }
  /// Exponentials of a row of 16-bit elements, in f32 and to its last bits, of
  /// which another row is made.
  bool isWidenedExponential() const {
    return isRead(1, 16) && shape.hasExponentials && shape.hasDoubleSums &&
           shape.isWritten;
  }
};

struct RowSpread {
  /// Threads of a block, and blocks of a cluster.
  int64_t threads, cluster = 1;
  /// Threads that a multiprocessor should have room for.
  int64_t multiprocessor = blockRowThreads;
  /// A thread has registers for more of a row than others have.
  bool isInRegisters = false;
};

/// Blocks of `threads`, with so many registers each, for which a multiprocessor
/// has room.
int64_t residentBlocks(int64_t threads, int64_t registers);

/// How blocks may share rows.
struct Sharing {
  /// Accesses of a row that a thread has, of each operand, and threads of a
  /// block.
  int64_t fewest, most, mostThreads;
  /// Registers beside those of the row.
  int64_t besides;
  /// Blocks of a multiprocessor, and bytes of rows that those have.
  int64_t fewestResident = 1, enough = 0;
  int64_t mostBlocks = mostClusterBlocks;
  /// Of 32 accesses that threads have room for, how many there are at least.
  int64_t fullness = 0;
  /// The row ends within the last access that its threads have. (Where a
  /// cluster has room for more of a row, it ends within another one in the last
  /// block, and both have masks.)
  bool endsInLast = false;
  /// Bits of an access's elements; 0: those that are read.
  int64_t bits = 0;
};

/// By the first of `ways` that there is, in the smallest cluster that there is
/// by it, the threads that leave least over; of those, the fewest. As many
/// blocks are on a multiprocessor as registers allow, which ask for rows while
/// others compute.
std::optional<RowSpread> spreadResident(const LongRow &row,
                                        std::initializer_list<Sharing> ways);

/// Blocks of so many threads with a few whole accesses each are faster by 1 to
/// 3 % on an H200, where narrow elements are written.
inline constexpr int64_t manyThreads = 256;

/// `threads`, or if those do not all have the same number of whole accesses of
/// a row, the most of at least `fewest` and up to 256 that do: a row that ends
/// within the last access of each costs an access, masks, and their registers.
int64_t threadsOfWholeAccesses(int64_t threads, int64_t fewest,
                               int64_t accesses);

/// What holds for rows of no class.
RowSpread spreadOrdinary(const LongRow &row);

// Rows of clusters (RowsOfClusters.cpp).
std::optional<RowSpread> pairsOfEightBlocks(const LongRow &row);
std::optional<RowSpread> pairsInRegisters(const LongRow &row);
std::optional<RowSpread> sumsInQuarters(const LongRow &row);
std::optional<RowSpread> sumsInSmallBlocks(const LongRow &row);
std::optional<RowSpread> sumsInRegisters(const LongRow &row);
std::optional<RowSpread> longExponentials(const LongRow &row);
std::optional<RowSpread> widenedExponentials(const LongRow &row);
std::optional<RowSpread> readersInRegisters(const LongRow &row);
std::optional<RowSpread> summedTwiceInSmallBlocks(const LongRow &row);

// Rows that are only read (RowsOfReaders.cpp).
std::optional<RowSpread> residentReaders(const LongRow &row);
std::optional<RowSpread> wideReaders(const LongRow &row);

// Rows that several blocks of a multiprocessor have (RowsOfResidents.cpp).
std::optional<RowSpread> residentSums(const LongRow &row);
std::optional<RowSpread> residentPairs(const LongRow &row);
std::optional<RowSpread> residentCutPairs(const LongRow &row);
std::optional<RowSpread> residentWidened(const LongRow &row);
std::optional<RowSpread> residentDoubles(const LongRow &row);

// Rows that start anywhere (RowsOfSlides.cpp).
std::optional<RowSpread> slidRows(const LongRow &row);
std::optional<RowSpread> slidShortRows(const LongRow &row);
std::optional<RowSpread> slidWideRows(const LongRow &row);
std::optional<RowSpread> slidWeighted(const LongRow &row);
std::optional<RowSpread> slidPairs(const LongRow &row);
std::optional<RowSpread> slidWidened(const LongRow &row);

// Rows of one block (RowsOfBlocks.cpp).
std::optional<RowSpread> weightedRows(const LongRow &row);
std::optional<RowSpread> weightedSums(const LongRow &row);
std::optional<RowSpread> wideSquares(const LongRow &row);
std::optional<RowSpread> pairsOfOneAccess(const LongRow &row);
std::optional<RowSpread> wideExponentialsOfAllThreads(const LongRow &row);
std::optional<RowSpread> shortWideExponentials(const LongRow &row);
std::optional<RowSpread> wideExponentialsOfOneBlock(const LongRow &row);
std::optional<RowSpread> narrowReaders(const LongRow &row);
std::optional<RowSpread> fewLargest(const LongRow &row);
std::optional<RowSpread> largestOfFewWarps(const LongRow &row);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_LONGROWCLASSES_H
