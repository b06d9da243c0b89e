//===- Largest.h - the largest elements of a row ----------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_LARGEST_H
#define SMX_LIB_NVVM_LARGEST_H

#include "KernelLowering.h"

namespace mlir::smx {

/// How the threads of a row share the work, and their scratch memory.
struct LargestPlan {
  explicit LargestPlan(gpu::LargestOp op) : count(op.getCount()) {
    auto layout = cast<gpu::StripedAttr>(
        gpu::getLayout(cast<RankedTensorType>(op.getTile().getType())));
    threads = layout.getColumnThreads();
    rows = layout.getRowThreads();
    vector = layout.getVector();
    elementBits = op.getTile().getType().getElementTypeBitWidth();
    registers = gpu::getRegisterCount(op.getTile().getType()) /
                gpu::getRegisterCount(op.getSliceType());
    extent = op.getExtent();
    elements = op.getMemory()
                   ? llvm::divideCeil(extent, threads * vector) * vector
                   : registers;
    isInMemory = bool(op.getMemory());
    mayBeShorter = bool(op.getValid());
    aligned = op.getAligned();
    runsOfRound = op.getSpan() / (threads * vector);
    // Of s sets s ln(s / (s - k)) elements reach the k-th largest maximum on
    // average: 1.4 k of 2 k sets. Of fewer sets it would be more, to list and
    // to compare.
    if (warps() > 1)
      while (together < ::smx::gpu::warpThreads &&
             threads / (2 * together) >= 2 * count)
        together *= 2;
  }

  /// Results; threads of a row, and rows that threads have at a time.
  int64_t count, threads, rows;
  /// Lanes whose elements are one set.
  int64_t together = 1;
  /// Registers of a thread in one row, of how many bits, and how many of them
  /// are neighbours.
  int64_t registers, elementBits, vector;
  /// Elements of a thread in one row, which are its registers or, of a row in
  /// memory, more.
  int64_t elements;
  bool isInMemory;
  /// The extent of the row in memory; threads have columns behind it where it
  /// is cut.
  int64_t extent;
  /// Not all of the extent may be there.
  bool mayBeShorter;
  /// Bytes that the vectors of a row in memory lie at multiples of.
  int64_t aligned;
  /// Runs of a thread, vectors of neighbours, that the span of a round has; 0
  /// if nothing is known of rounds.
  int64_t runsOfRound;

  bool isCut() const {
    return mayBeShorter || extent % (threads * vector) != 0;
  }
  /// A power of two that what is there of a row in memory is a multiple of.
  int64_t unit() const {
    return mayBeShorter ? std::max<int64_t>(aligned / elementBytes(), 1)
                        : extent & -extent;
  }
  int64_t warps() const { return threads / ::smx::gpu::warpThreads; }
  int64_t sets() const { return threads / together; }
  /// There is a bound.
  bool isScreened() const { return sets() >= count; }
  int64_t elementBytes() const { return elementBits / 8; }
  /// Lanes that compare the maximum of a set with those of the others, where a
  /// warp does not look at all sets: of those that have it.
  int64_t lanesOfSet() const { return std::min(together, sets() & -sets()); }
  /// Threads that can hand in. Of 2k sets whose elements differ, k sets do with
  /// at most 1.4k threads on average.
  int64_t slots() const {
    return isScreened()
               ? std::min<int64_t>(threads, llvm::alignTo(2 * count, 32))
               : threads;
  }
  /// A slot has the registers of a thread, if they are its elements, and behind
  /// them the column of the first, and which runs are to be looked at: the
  /// first one, and the one behind.
  int64_t columnOfSlot() const {
    return isInMemory ? 0 : llvm::alignTo(registers * elementBytes(), 16);
  }
  int64_t firstRunOfSlot() const { return columnOfSlot() + 4; }
  int64_t endRunOfSlot() const { return columnOfSlot() + 8; }
  int64_t slotBytes() const { return columnOfSlot() + 16; }
  /// How long the list is: room for some equal elements.
  int64_t candidates() const {
    return llvm::alignTo(8 * count, 2 * ::smx::gpu::warpThreads);
  }
  /// Neighbouring lanes of `all` that compare a candidate with the others: each
  /// with a few, of 2k.
  int64_t lanesOfCandidate(int64_t all) const {
    constexpr int64_t most = 16;
    int64_t lanes = std::min<int64_t>(all / (2 * count), count / 2);
    return std::clamp<int64_t>(llvm::bit_floor<uint64_t>(lanes), 1, most);
  }

  // Bytes from the start of a row's scratch.
  // First the number of threads that hand in, then how many elements are
  // listed.
  int64_t listed() const { return 4; }
  int64_t bound() const { return 8; }
  int64_t maxima() const { return 16; }
  int64_t firstSlot() const { return maxima() + llvm::alignTo(4 * sets(), 16); }
  int64_t list() const { return firstSlot() + slots() * slotBytes(); }
  int64_t exchanged() const { return list() + 8 * candidates(); }
  int64_t results() const {
    return exchanged() + llvm::alignTo(8 * warps(), 16);
  }
  int64_t bytes() const { return results() + llvm::alignTo(8 * count, 16); }
  int64_t allBytes() const { return rows * bytes(); }
};

/// Scratch of an smx_gpu.largest; 0 for other ops.
int64_t largestScratchBytes(Operation *op);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_LARGEST_H
