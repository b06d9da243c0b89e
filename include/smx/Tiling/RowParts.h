//===- RowParts.h - blocks that share a row ---------------------*- C++ -*-===//
//
// What the pass that makes partial states of a long row and the one that gives
// parts of it to blocks of threads have to agree on.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TILING_ROWPARTS_H
#define SMX_TILING_ROWPARTS_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::smx {

/// Blocks that share each of the rows, which have values of their own and are
/// only read, where `slots` blocks run at once: 1 if there are rows for all of
/// them, or nobody knows how many.
inline int64_t blocksOfRow(ArrayRef<OpFoldResult> rowSizes, int64_t slots) {
  int64_t rows = 1;
  for (OpFoldResult size : rowSizes)
    rows *= getConstantIntValue(size).value_or(slots);
  return rows > 0 ? std::max<int64_t>(slots / rows, 1) : 1;
}

} // namespace mlir::smx

#endif // SMX_TILING_ROWPARTS_H
