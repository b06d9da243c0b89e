//===- BlockOrder.h - in which order blocks start ---------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_BLOCKORDER_H
#define SMX_LIB_GPU_BLOCKORDER_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx::gpu {

/// True if the loops in `nest` have more rounds the larger the induction
/// variable `number` of it is, as those of causal attention have for rows. Then
/// the blocks of large numbers are to start first: what is left for the end is
/// short, and leaves no multiprocessor waiting for long.
bool growsWith(scf::ForallOp nest, unsigned number);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_BLOCKORDER_H
