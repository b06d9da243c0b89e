//===- LaneKeys.h - elements of a row as unsigned numbers -------*- C++ -*-===//
//
// A key compares like (element, -column): the order of an element, and below it
// the complement of its column. Of 16-bit elements both take a word, and of
// others two. No two keys of a row are equal; none is 0, below all.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_LANEKEYS_H
#define SMX_LIB_NVVM_LANEKEYS_H

#include "KernelLowering.h"

namespace mlir::smx {

/// Makes keys of elements and their columns, and the other way round.
class LaneKeys {
public:
  /// Of the elements of `tile`.
  LaneKeys(ThreadCode &code, RankedTensorType tile)
      : code(code), element(cast<FloatType>(tile.getElementType())),
        isWord(areWords(tile)) {}

  static bool areWords(RankedTensorType tile) {
    return elementBits(tile) == 16 && tile.getDimSize(1) <= placesOfWord;
  }

  Value constant(int64_t value) {
    return isWord ? code.i32(value) : code.i64(value);
  }
  /// Of registers and their columns.
  SmallVector<Value> of(Value registers, ArrayRef<Value> columns);
  Value elementOf(Value key);
  Value columnOf(Value key);

private:
  static constexpr int64_t placesOfWord = 1 << 16;

  Value placeOf(Value column) {
    return LLVM::SubOp::create(code, code.i32(placesOfWord - 1), column);
  }
  Value ordersOf(Value pair);

  ThreadCode &code;
  FloatType element;
  bool isWord;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_LANEKEYS_H
