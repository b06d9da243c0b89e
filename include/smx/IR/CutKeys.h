//===- CutKeys.h - keys that leave out lower bits ---------------*- C++ -*-===//
//
// What the passes that choose where the largest elements of a row are found and
// the code that finds them have to agree on.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_IR_CUTKEYS_H
#define SMX_IR_CUTKEYS_H

#include <cstdint>

namespace mlir::smx {

/// The `count` largest elements of `bits` are found by keys that are cut to 32
/// bits, and looked at. Of one or two, looking takes what shorter keys gain;
/// more of them take a loop.
inline constexpr bool haveCutKeys(int64_t bits, int64_t count) {
  constexpr int64_t fewest = 3, most = 8;
  return bits == 32 && count >= fewest && count <= most;
}

} // namespace mlir::smx

#endif // SMX_IR_CUTKEYS_H
