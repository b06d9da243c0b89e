//===- IdentityTiling.h - tiles of ops without reductions -------*- C++ -*-===//
#ifndef SMX_LIB_IR_IDENTITYTILING_H
#define SMX_LIB_IR_IDENTITYTILING_H

#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::smx {

/// One parallel loop for each dimension of a tensor.
inline SmallVector<utils::IteratorType> parallelLoops(int64_t rank) {
  return SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel);
}

/// All elements of a tensor of `sizes`.
inline SmallVector<Range> wholeDomain(OpBuilder &builder,
                                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<Range> domain;
  for (OpFoldResult size : sizes)
    domain.push_back({builder.getIndexAttr(0), size, builder.getIndexAttr(1)});
  return domain;
}

/// A tiling whose iteration domain is the result: a tile of the one is the same
/// tile of the other. `Model` has the rest.
template <typename Model, typename OpT>
struct IdentityTiling : TilingInterface::ExternalModel<Model, OpT> {
  LogicalResult getResultTilePosition(
      Operation *, OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
      SmallVector<OpFoldResult> &resultSizes) const {
    resultOffsets.assign(offsets.begin(), offsets.end());
    resultSizes.assign(sizes.begin(), sizes.end());
    return success();
  }

  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &b, unsigned,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) const {
    return static_cast<const Model *>(this)->getTiledImplementation(
        op, b, offsets, sizes);
  }
};

} // namespace mlir::smx

#endif // SMX_LIB_IR_IDENTITYTILING_H
