//===- ColumnStrips.h - rows along a slower dimension -----------*- C++ -*-===//
//
// What the pass that cuts rows which are columns of memory into strips and the
// pass that spreads a strip over threads have to agree on. A warp has all of a
// strip's width, so that lanes exchange nothing (of 16 columns two share one),
// and warps share its length.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TILING_COLUMNSTRIPS_H
#define SMX_TILING_COLUMNSTRIPS_H

#include <cstdint>

namespace mlir::smx {

/// Columns of memory of so many elements, of so many bits in each of so many
/// tensors, and what else decides how blocks hold them.
struct MemoryColumns {
  int64_t length, bits, tensors;
  /// Values of each that blocks exchange, and most blocks of a cluster.
  int64_t values, most;
  /// Nothing as long is written.
  bool areOnlyRead;
  /// What is computed of 16-bit elements of one tensor takes more registers
  /// than the exponentials of bf16: squares, and conversions of f16.
  bool areTight = false;
};

/// Neighbouring columns of a matrix in memory, all or a part of each.
struct ColumnStrip {
  /// Elements of a part of columns that no block holds. A sum of more than 16
  /// bits is corrected, which rounds, where the maximum rises from one part to
  /// the next.
  static constexpr int64_t part(int64_t bits) {
    return bits <= 16 ? 256 : bits <= 32 ? 1024 : 512;
  }
  /// Threads that a multiprocessor has registers for, 64 each.
  static constexpr int64_t threadsOfMultiprocessor = 1024;

  /// Elements of a thread, of so many bits. Those of whole columns take half of
  /// its registers; in a loop over parts their exponentials do.
  static constexpr int64_t elementsOfThread(int64_t bits, bool isHeld) {
    return isHeld ? 32 * 32 / bits : bits > 32 ? 16 : 32;
  }

  /// Columns of a strip of so many tensors, 16 at least, of which a block takes
  /// part after part. What warps exchange grows with their number and with the
  /// columns of a lane: columns times threads are limited. Memory wants 256
  /// bytes side by side.
  static constexpr int64_t widthOfParts(int64_t length, int64_t bits,
                                        int64_t tensors) {
    constexpr int64_t mostExchanged = 32768;
    const int64_t each = elementsOfThread(bits, /*isHeld=*/false);
    int64_t columns = narrowest;
    auto isWithin = [&](int64_t wider) {
      return wider <= wideBits / bits &&
             wider * wider * length <= mostExchanged * each &&
             wider * length * (bits > 16 ? tensors : 1) * (bits > 32 ? 2 : 1) <=
                 each * threadsOfMultiprocessor;
    };
    while (isWithin(2 * columns))
      columns *= 2;
    return columns;
  }

  /// Blocks of a cluster that have parts of so many such columns: four are on a
  /// multiprocessor, and take turns, or three of somewhat more threads, unless
  /// they are tight and have 128 bytes side by side.
  static constexpr int64_t blocks(int64_t columns, const MemoryColumns &of) {
    const int64_t ofTurns = of.areTight && columns * of.bits >= wideBits / 2
                                ? threadsOfMultiprocessor / 4
                                : threadsOfTurns;
    int64_t threads = threadsOf(columns * of.length, of.bits, of.tensors),
            count = 1;
    while (2 * count <= of.most && threads > count * ofTurns)
      count *= 2;
    return count;
  }

  /// Columns that blocks hold; 0 if reading parts of them, twice if they are
  /// written, is faster. Memory wants 256 bytes side by side, and of columns of
  /// less than 16 elements 512 fill more threads (measured on an H200). But
  /// what blocks exchange grows with the columns and with the blocks; then they
  /// are half as wide, or a quarter.
  static constexpr int64_t heldWidth(const MemoryColumns &of) {
    constexpr int64_t shortColumn = 16, mostExchanged = 1024;
    int64_t columns = (of.length < shortColumn ? 2 : 1) * wideBits / of.bits;
    for (; columns >= narrowest; columns /= 2) {
      int64_t count = blocks(columns, of),
              threads = threadsOf(columns * of.length, of.bits, of.tensors);
      bool isWide = columns * of.bits >= wideBits;
      // Masks of wide elements take longer than memory.
      if (of.bits > 32 && of.length % count != 0)
        continue;
      if (isWide && count > 1 && columns * count * of.values > mostExchanged)
        continue;
      if (threads <= count * mostThreads(of, columns * of.bits, count))
        return columns;
    }
    return 0;
  }

private:
  static constexpr int64_t narrowest = 16, wideBits = 8 * 256,
                           threadsOfTurns = 320;

  /// Of a block that has so many bits side by side: a large one waits for
  /// itself, and its cluster for it.
  static constexpr int64_t mostThreads(const MemoryColumns &of, int64_t rowBits,
                                       int64_t count) {
    constexpr int64_t quarter = threadsOfMultiprocessor / 4;
    if (rowBits < wideBits / 4)
      return 0;
    if (of.bits <= 16 && rowBits < wideBits / 2)
      return of.tensors > 1 || of.areOnlyRead ? 0
             : of.areTight                    ? quarter * 3 / 4
                                              : quarter;
    if (of.areOnlyRead)
      return threadsOfTurns;
    if (of.areTight && count > 1)
      return quarter;
    // An only block of many threads has more registers for each.
    return count > 1 || of.bits <= 16 ? 2 * quarter : 4 * quarter;
  }

  /// Exponentials of 64 bits take more registers than what they are of.
  static constexpr int64_t threadsOf(int64_t elements, int64_t bits,
                                     int64_t tensors) {
    return elements * tensors * (bits > 32 ? 2 : 1) /
           elementsOfThread(bits, /*isHeld=*/true);
  }
};

} // namespace mlir::smx

#endif // SMX_TILING_COLUMNSTRIPS_H
