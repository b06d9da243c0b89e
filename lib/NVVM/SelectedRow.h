//===- SelectedRow.h - the largest of a row, by a bound ---------*- C++ -*-===//
//
// Cut a row into k sets of elements or more: the k-th largest of their maxima
// is not above the k-th largest element, and of 2k sets 1.4k elements are not
// below it, on average. A warp that holds a row bisects for such a bound, lists
// what reaches it, and sorts the list.
//
// More than the list holds may reach it: many equal elements, or large ones
// that are all in few sets. Then the warp bisects among all elements; and where
// equal ones are too many, for the column up to which they count.
//
// An only result needs neither: it equals the maximum of the row, and is the
// first to do so.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_SELECTEDROW_H
#define SMX_LIB_NVVM_SELECTEDROW_H

#include "LanesOfRow.h"

namespace mlir::smx {

/// Code for one row, of which the lanes of a warp have `columns`.
class SelectedRow {
public:
  /// The results of an op whose rows are in lanes of a warp are found so.
  static bool finds(gpu::LargestOp op);
  /// Shared memory of one row of a tile.
  static int64_t bytesOf(RankedTensorType tile, int64_t count);

  SelectedRow(ThreadCode &code, RankedTensorType tile, Value memory,
              ArrayRef<Value> columns, int64_t count);

  /// As LanesOfRow does.
  LargestOfRowInLanes find(Value registers, int64_t results, bool inLanes);

private:
  /// A bit for each register of a lane.
  using Marks = SmallVector<Value>;
  /// An order, how many reach it, and one above it that too few do.
  struct Bound {
    Value order, reached, end;
  };

  static int64_t listedOf(int64_t count);
  /// A row has more elements than a list: what it has is all sorted otherwise.
  static bool isListed(int64_t columns, int64_t count) {
    return columns > listedOf(count);
  }
  /// The only result.
  LargestOfRowInLanes findFirst(Value all);
  /// The first column that is marked, beyond the row if none is.
  Value firstColumn(const Marks &marks);
  /// Of a register.
  Value columnOf(Value i);
  int64_t registers() const { return columns.size(); }
  /// Keys of a lane that are sorted; those of a list, or all.
  int64_t sorted() const { return listedOf(count) / ::smx::gpu::warpThreads; }
  int64_t keyBytes() const { return areWords ? 4 : 8; }
  Type keyType() { return code.getIntegerType(8 * keyBytes()); }
  int64_t listOffset() const {
    return bytesOf(tile, count) - listedOf(count) * keyBytes();
  }
  Value at(Value number, int64_t bytes, int64_t offset);

  // Orders are unsigned, of as many bits as elements: NaN is above all.
  Value orderOfInfinity();
  /// The element of an order: an f32, or two of 16 bits.
  Value boundOf(Value order);
  SmallVector<Value> ordersOfSets(Value all);
  /// Halves what is between an order that `least` or more reach and its end;
  /// stops as soon as `enough` or fewer reach a bound.
  Bound bisect(Bound start, Value least, Value enough,
               llvm::function_ref<Value(Value order)> countOf);

  /// Of all lanes; of one.
  Value countOf(const Marks &marks);
  Value countOfLane(const Marks &marks);
  /// What is not less than the element of an order, or greater.
  Marks markReaching(Value all, Value order, bool greater = false);
  Marks markColumns(Value last);
  Marks mark(Value all);
  Marks markFew(Value all, Bound bound, Value end);
  int64_t bitOfRegister(int64_t i) const;
  Value registerOf(int64_t word, Value bit);
  /// The first register that is marked in a word that is not 0.
  Value firstRegister(int64_t word, Value bits);

  void storeRow(Value all);
  Value keyOf(int64_t word, Value bit);
  void list(const Marks &marks);
  void orderWith(SmallVector<Value> &ofLane, int64_t mask, bool isMirrored);
  void sort(SmallVector<Value> &ofLane);

  ThreadCode &code;
  RankedTensorType tile;
  Value memory;
  ArrayRef<Value> columns;
  int64_t count, elementBits;
  bool areWords;
  LaneKeys keys;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_SELECTEDROW_H
