//===- SelectedRows.h - rows whose largest a warp selects -------*- C++ -*-===//
#ifndef SMX_IR_SELECTEDROWS_H
#define SMX_IR_SELECTEDROWS_H

#include <cstdint>

namespace mlir::smx {

/// Elements of the longest row that a warp holds, to select the largest of it:
/// those that are not less than a bound, which it sorts.
inline constexpr int64_t longestSelectedRow(int64_t bits) {
  return bits == 16 ? 4096 : bits == 32 ? 2048 : 0;
}

/// Whether a warp selects the `count` largest of a row. Few of a short one are
/// found one after the other; of a long one its bound costs more than that of a
/// block, which has fewer registers to compare. An only one needs no bound. The
/// numbers are an H200's (docs/model-choices.md).
inline constexpr bool isSelectedRow(int64_t bits, int64_t count,
                                    int64_t length) {
  constexpr int64_t shortRow = 256, longRow = 512, most = 64,
                    longestOfOne = 2048;
  const int64_t longest = longestSelectedRow(bits);
  if (length > longest || count > most)
    return false;
  if (count == 1)
    return length > (bits == 16 ? 512 : 128) && length <= longestOfOne;
  if (length <= shortRow)
    return count > 32;
  if (length <= longRow)
    return count > 12;
  return count > (2 * length <= longest ? 2 : bits == 16 ? 16 : 8);
}

} // namespace mlir::smx

#endif // SMX_IR_SELECTEDROWS_H
