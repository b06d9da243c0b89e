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

  /// Elements of a thread, of so many bits: their exponentials, or they
  /// themselves, take half of its registers.
  static constexpr int64_t elementsOfThread(int64_t bits) {
    return bits > 32 ? 16 : 32;
  }

  /// Columns of a strip of so many tensors, 16 at least. What warps exchange
  /// grows with their number and with the columns of a lane: columns times
  /// threads are limited. Memory wants 256 bytes side by side, and of columns
  /// of less than 16 elements 512 fill more threads (measured on an H200).
  static constexpr int64_t width(int64_t length, int64_t bits,
                                 int64_t tensors) {
    constexpr int64_t narrowest = 16, wideBits = 8 * 256, shortColumn = 16,
                      mostExchanged = 32768;
    int64_t widest = (length < shortColumn ? 2 : 1) * wideBits / bits,
            columns = narrowest;
    auto isWithin = [&](int64_t wider) {
      return wider <= widest &&
             wider * wider * length <= mostExchanged * elementsOfThread(bits) &&
             fits(wider * length, bits, tensors);
    };
    while (isWithin(2 * columns))
      columns *= 2;
    return columns;
  }

  /// A block has registers for a strip of whole columns that is 64 bytes wide
  /// in all tensors.
  static constexpr bool isHeld(int64_t length, int64_t bits, int64_t tensors) {
    constexpr int64_t narrowestBits = 8 * 64;
    int64_t columns = width(length, bits, tensors);
    return columns * bits * tensors >= narrowestBits &&
           fits(columns * length, bits, tensors);
  }

private:
  /// So many elements of each tensor; two of 16 bits fill a register, and
  /// exponentials of 64 take more than they do.
  static constexpr bool fits(int64_t elements, int64_t bits, int64_t tensors) {
    return elements * (bits > 16 ? tensors : 1) * (bits > 32 ? 2 : 1) <=
           elementsOfThread(bits) * threadsOfMultiprocessor;
  }
};

} // namespace mlir::smx

#endif // SMX_TILING_COLUMNSTRIPS_H
