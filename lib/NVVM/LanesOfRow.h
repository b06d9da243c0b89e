//===- LanesOfRow.h - the largest keys of the lanes of a row ----*- C++ -*-===//
//
// Each lane lists its largest keys, falling: it sorts some at a time, and
// merges them with those before. A result is the largest of the first keys of
// the lanes, and the lane that had it moves its list up. Lists may be shorter
// than the results are many, as few lanes have several of these: where one is
// out of keys, all lanes list theirs again that are below the last result.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_LANESOFROW_H
#define SMX_LIB_NVVM_LANESOFROW_H

#include "LaneKeys.h"

namespace mlir::smx {

/// What a thread has of the results for one row.
struct LargestOfRowInLanes {
  SmallVector<Value> elements, columns;
};

/// Code for one row.
class LanesOfRow {
public:
  /// Keys that a lane sorts at a time, at most; and results that are found one
  /// after the other, without a loop.
  static constexpr int64_t mostPlaces = 8, mostUnrolled = 8;

  /// Of `all` keys of a lane the list has so many.
  LanesOfRow(ThreadCode &code, LaneKeys &keys, SmallVector<Value> all,
             int64_t threads, int64_t count, int64_t places)
      : code(code), keys(keys), all(std::move(all)), threads(threads),
        count(count), places(std::min<int64_t>(places, this->all.size())) {}

  /// Keys that a lane lists of so many, where a list that is out of them is
  /// made again.
  static int64_t placesFor(int64_t count, int64_t registers, int64_t threads);

  /// The results that a lane has are the ranks `threads * i + lane`, of so many
  /// `i`; or where all lanes have all ranks, the ranks `i`.
  SmallVector<Value> find(int64_t results, bool inLanes);

  /// All ranks, without making a list again, and the first key of the lane that
  /// is none of them: 0 if no other is listed.
  struct Ranks {
    SmallVector<Value> keys;
    Value next;
  };
  Ranks findAll();
  /// Those of a lane.
  SmallVector<Value> ofLane(ArrayRef<Value> ranks, int64_t results);

  /// A lane lists all of its keys.
  bool listsAll() const { return places == int64_t(all.size()); }
  /// A lane may have results that it does not list.
  bool isCut() const { return places < std::min<int64_t>(count, all.size()); }

private:
  Value isEqual(Value a, Value b) {
    return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, a, b);
  }
  /// The list of all keys, or of those below `before`.
  SmallVector<Value> list(Value before);
  Value largestOfLanes(Value key);
  /// Takes `first` from the list of the lane that has it.
  SmallVector<Value> without(ValueRange list, Value first);
  /// A list that is not empty where keys below `before` are left.
  SmallVector<Value> refilled(ValueRange list, Value before);

  ThreadCode &code;
  LaneKeys &keys;
  SmallVector<Value> all;
  int64_t threads, count, places;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_LANESOFROW_H
