//===- LaneKeys.h - elements of a row as unsigned numbers -------*- C++ -*-===//
//
// A key compares like (element, -column): the order of an element, and below it
// the complement of its column. Of 16-bit elements both take a word, and of
// others two. No two keys of a row are equal; none is 0, below all.
//
// A cut key is a word in any case: what the column leaves of it has the upper
// bits of the order. Elements that agree in those are in the order of their
// columns.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_LANEKEYS_H
#define SMX_LIB_NVVM_LANEKEYS_H

#include "KernelLowering.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::smx {

/// Makes keys of elements and their columns, and the other way round.
class LaneKeys {
public:
  /// Of the elements of `tile`.
  LaneKeys(ThreadCode &code, RankedTensorType tile)
      : LaneKeys(code, tile, areWords(tile), placesBelowHalf) {}
  static LaneKeys cut(ThreadCode &code, RankedTensorType tile) {
    return LaneKeys(code, tile, /*isWord=*/true,
                    llvm::PowerOf2Ceil(tile.getDimSize(1)));
  }

  static bool areWords(RankedTensorType tile) {
    return elementBits(tile) == 16 && tile.getDimSize(1) <= placesBelowHalf;
  }

  Value constant(int64_t value) {
    return isWord ? code.i32(value) : code.i64(value);
  }
  /// The orders of two elements of 16 bits, in the halves of a word.
  Value ordersOf(Value pair);
  /// Of registers and their columns.
  SmallVector<Value> of(Value registers, ArrayRef<Value> columns);
  /// Not of a cut key.
  Value elementOf(Value key);
  Value columnOf(Value key);
  /// i1: the elements of two words have the same order, as far as it is there.
  Value haveOneOrder(Value a, Value b);

private:
  /// Columns that a word has room for below 16 bits of an element.
  static constexpr int64_t placesBelowHalf = 1 << 16;

  LaneKeys(ThreadCode &code, RankedTensorType tile, bool isWord, int64_t places)
      : code(code), element(cast<FloatType>(tile.getElementType())),
        isWord(isWord), places(places) {}

  Value placeOf(Value column) {
    return LLVM::SubOp::create(code, code.i32(places - 1), column);
  }
  /// A word of what is above the place in one.
  Value wordOf(Value order, Value column);

  ThreadCode &code;
  FloatType element;
  bool isWord;
  /// Columns that a word has room for.
  int64_t places;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_LANEKEYS_H
