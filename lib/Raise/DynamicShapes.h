//===- DynamicShapes.h - reshapes by computed sizes -------------*- C++ -*-===//
#ifndef SMX_RAISE_DYNAMICSHAPES_H
#define SMX_RAISE_DYNAMICSHAPES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace mlir::smx {

/// A dimension of a tensor.
using TensorDim = std::pair<Value, int64_t>;

/// The size of a dimension, as a constant times sizes of other tensors.
struct Size {
  int64_t factor = 1;
  /// Tensor and dimension; sorted, with repetition.
  SmallVector<TensorDim> symbols;
  bool operator==(const Size &other) const {
    return factor == other.factor && symbols == other.symbols;
  }
  bool isOne() const { return factor == 1 && symbols.empty(); }
};

Size operator*(const Size &lhs, const Size &rhs);

/// The size that an integer computes, if it is a product of sizes. Sizes are
/// not negative, and products of them do not overflow: what they measure fits
/// into memory.
std::optional<Size> getSize(Value integer);
/// The size of one dimension of a tensor, as far back as it can be followed.
std::optional<Size> getSize(Value tensor, int64_t dim);

/// True if all of `lhs`, which have one size, are provably as long as all of
/// `rhs`: both lead back to one size, through ops that would be undefined if
/// their operands did not agree.
bool haveSameSize(ArrayRef<TensorDim> lhs, ArrayRef<TensorDim> rhs);

/// The dimensions that loop `loop` of `op` runs over.
SmallVector<TensorDim> dimsOfLoop(linalg::LinalgOp op, unsigned loop);

/// Replaces `tensor.reshape` by the reshape with groups that it provably is,
/// drops broadcasts that provably repeat nothing, and assertions on sizes that
/// hold.
void recoverReshapes(RewriterBase &rewriter, Operation *root);

} // namespace mlir::smx

#endif // SMX_RAISE_DYNAMICSHAPES_H
