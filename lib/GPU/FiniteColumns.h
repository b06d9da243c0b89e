//===- FiniteColumns.h - products that values make infinite -----*- C++ -*-===//
#ifndef SMX_LIB_GPU_FINITECOLUMNS_H
#define SMX_LIB_GPU_FINITECOLUMNS_H

#include "mlir/IR/Builders.h"

namespace mlir::smx::gpu {

/// i1, true for a warp if a column of `product`, weights times values, is not
/// finite in any of its rows.
Value hasOddColumn(OpBuilder &b, Location loc, Value product);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_FINITECOLUMNS_H
