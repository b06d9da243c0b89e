//===- FallingKeys.cpp - networks that sort and merge keys ----------------===//

#include "smx/IR/FallingKeys.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

/// By odd-even merges.
void mlir::smx::sortFalling(MutableArrayRef<Value> keys, OrderKeys order) {
  int64_t count = keys.size();
  for (int64_t sorted = 1; sorted < count; sorted *= 2)
    for (int64_t distance = sorted; distance >= 1; distance /= 2)
      for (int64_t i = distance % sorted; i + distance < count;
           i += 2 * distance)
        for (int64_t j = i; j < i + distance && j + distance < count; ++j)
          if (j / (2 * sorted) == (j + distance) / (2 * sorted))
            order(keys[j], keys[j + distance]);
}

/// The larger halves of a and b: c_r = max(a_r, b_{n-1-r}) are the n largest of
/// both and bitonic; a bitonic list is sorted by comparing places at distances
/// n/2, n/4, .., 1.
SmallVector<Value> mlir::smx::mergeFalling(ValueRange a, ValueRange b,
                                           int64_t count, LargerKey larger,
                                           OrderKeys order) {
  int64_t padded = llvm::PowerOf2Ceil(count);
  // Null behind a list is below all keys.
  auto at = [](ValueRange list, int64_t place) {
    return place < int64_t(list.size()) ? list[place] : Value();
  };
  SmallVector<Value> list;
  for (int64_t place = 0; place < padded; ++place) {
    Value x = at(a, place), y = at(b, padded - 1 - place);
    list.push_back(x && y ? larger(x, y) : x ? x : y);
  }
  for (int64_t distance = padded / 2; distance > 0; distance /= 2)
    for (int64_t place = 0; place < padded; ++place) {
      if (place & distance)
        continue;
      Value &first = list[place], &second = list[place + distance];
      if (first && second)
        order(first, second);
      else if (second)
        std::swap(first, second);
    }
  list.truncate(count);
  return list;
}
