//===- Multiples.h - numbers that are multiples of a constant ---*- C++ -*-===//
#ifndef SMX_LIB_GPU_MULTIPLES_H
#define SMX_LIB_GPU_MULTIPLES_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::smx::gpu {

/// True if `value`, an index or a constant, can be shown to be a multiple of
/// `factor`: by sums, products, extremes and choices of such, and by loops that
/// begin at one and go on by one.
bool isMultipleOf(OpFoldResult value, int64_t factor);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_MULTIPLES_H
