//===- Roofline.h - the least time that work can take -----------*- C++ -*-===//
//
// Plain C++: a table of chips, and the largest of what memory, products, other
// arithmetic and exponentials take at their peaks.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_ANALYSIS_ROOFLINE_H
#define SMX_ANALYSIS_ROOFLINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace smx {

/// What one call of a kernel moves and computes.
struct Work {
  /// Global memory, in bytes.
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
  /// Multiplications and additions of contractions whose factors have at most
  /// 16 bits.
  int64_t narrowProductFlops = 0;
  /// The same for wider factors.
  int64_t wideProductFlops = 0;
  /// Other additions, products, quotients, maxima and elementary functions.
  int64_t otherFlops = 0;
  int64_t exponentials = 0;

  int64_t bytes() const { return bytesRead + bytesWritten; }
  int64_t productFlops() const { return narrowProductFlops + wideProductFlops; }
  /// Flops per byte of global memory; 0 if no byte moves.
  double intensity() const;
};

/// Peaks of a chip, per second. An exponential rate of 0 sets no limit.
struct ChipPeaks {
  std::string name;
  double bytes;
  double narrowProductFlops;
  double wideFlops;
  double exponentials;
};

/// The chip called `name` in the table, or none.
std::optional<ChipPeaks> findPeaks(std::string_view name);

/// "h200, a100": for messages about an unknown chip.
std::string getChipNames();

/// A lower bound of the time, and what sets it: "memory", "products", "vector"
/// or "exponentials".
struct RooflineTime {
  double seconds;
  const char *limit;
};

/// The roofline time of `work` on `chip`, all units working at the same time.
RooflineTime getRooflineTime(const Work &work, const ChipPeaks &chip);

} // namespace smx

#endif // SMX_ANALYSIS_ROOFLINE_H
