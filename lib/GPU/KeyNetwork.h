//===- KeyNetwork.h - larger and smaller ones of two lists ------*- C++ -*-===//
#ifndef SMX_LIB_GPU_KEYNETWORK_H
#define SMX_LIB_GPU_KEYNETWORK_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace mlir::smx::gpu {

/// What ops that choose the larger or the smaller one of two keys make of two
/// falling lists of as many. By the 0-1 principle they sort all lists if they
/// sort those of zeros behind ones, of which they are evaluated on all pairs.
class KeyNetwork {
public:
  explicit KeyNetwork(size_t count) : count(count) {}

  void setOfFirst(Value key, size_t rank);
  void setOfSecond(Value key, size_t rank);
  /// False if `key` comes from something else than the lists.
  bool has(Value key) { return evaluate(key) != nullptr; }
  /// The place of `key` in both lists, merged; none if it is not the same in
  /// all, or not one of the `count` first.
  std::optional<size_t> rankOf(Value key);

private:
  /// Bit a (count + 1) + b is for lists of a and of b ones.
  llvm::BitVector
  onesWhere(llvm::function_ref<bool(size_t a, size_t b)> isOne) const;
  const llvm::BitVector *evaluate(Value key);

  size_t count;
  llvm::DenseMap<Value, llvm::BitVector> keys;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_KEYNETWORK_H
