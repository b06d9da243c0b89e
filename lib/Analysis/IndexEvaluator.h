//===- IndexEvaluator.h - index arithmetic under given positions *- C++ -*-===//
#ifndef SMX_LIB_ANALYSIS_INDEXEVALUATOR_H
#define SMX_LIB_ANALYSIS_INDEXEVALUATOR_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::smx {

/// Values of index arithmetic under the current positions of the loops.
class IndexEvaluator {
public:
  /// Gives `value` (a loop's induction variable) a position.
  void bind(Value value, int64_t position);
  /// Gives dimension `dim` of the argument `shaped` an extent.
  void bindExtent(Value shaped, int64_t dim, int64_t extent);

  /// The value of `index`; none if it depends on something unknown.
  std::optional<int64_t> evaluate(Value index);
  std::optional<int64_t> evaluate(OpFoldResult index);
  /// Extent `dim` of a tensor or memref.
  std::optional<int64_t> extentOf(Value shaped, int64_t dim);
  /// Number of elements of a tensor or memref.
  std::optional<int64_t> elementsOf(Value shaped);

  /// Everything evaluated since `mark` was taken is forgotten when a loop moves
  /// on.
  size_t mark() const { return trail.size(); }
  void forgetSince(size_t mark);

private:
  std::optional<int64_t> compute(Value index);

  llvm::DenseMap<Value, std::optional<int64_t>> known;
  llvm::DenseMap<std::pair<Value, int64_t>, int64_t> extents;
  llvm::SmallVector<Value> trail;
};

} // namespace mlir::smx

#endif // SMX_LIB_ANALYSIS_INDEXEVALUATOR_H
