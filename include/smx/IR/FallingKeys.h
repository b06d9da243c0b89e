//===- FallingKeys.h - networks that sort and merge keys --------*- C++ -*-===//
//
// K. E. Batcher, Sorting networks and their applications, 1968. What compares
// two keys is the caller's: the networks say which ones.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_IR_FALLINGKEYS_H
#define SMX_IR_FALLINGKEYS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::smx {

/// The larger one of two keys; and both, the larger one first.
using LargerKey = llvm::function_ref<Value(Value a, Value b)>;
using OrderKeys = llvm::function_ref<void(Value &first, Value &second)>;

/// Sorts any number of keys, the largest one first: 5 comparisons of 4, 19 of
/// 8.
void sortFalling(MutableArrayRef<Value> keys, OrderKeys order);

/// The `count` largest keys of two falling lists of at most as many, falling.
SmallVector<Value> mergeFalling(ValueRange a, ValueRange b, int64_t count,
                                LargerKey larger, OrderKeys order);

} // namespace mlir::smx

#endif // SMX_IR_FALLINGKEYS_H
