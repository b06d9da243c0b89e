//===- BandPadding.h - bands that hide what is beyond the end ---*- C++ -*-===//
#ifndef SMX_LIB_GPU_BANDPADDING_H
#define SMX_LIB_GPU_BANDPADDING_H

#include "mlir/IR/Value.h"

namespace mlir::smx::gpu {

/// True if `mask`, a tile of i1, is known to be false at every column from
/// `columns` on, in each of the first `rows` rows. Rows are the tile's
/// dimension `rowDim`; both numbers are the kernel's, of elements.
///
/// A band keeps column c of row r only where r - c + g >= 0, so that
///
///     c <= r + g <= rows - 1 + g,   which is below `columns`
///     if columns - rows - g >= 0
///
/// for one of the numbers that `rows` is the minimum of, and each of those of
/// `columns`. In causal attention of n queries and keys these are n - i, n - j
/// and i - j: 0.
bool hidesColumnsFrom(Value columns, Value mask, Value rows, unsigned rowDim);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_BANDPADDING_H
