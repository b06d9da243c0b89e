//===- ReaderFusion.h - tensors that rows are made of -----------*- C++ -*-===//
#ifndef SMX_LIB_TILING_READERFUSION_H
#define SMX_LIB_TILING_READERFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// Computes `op`, whose result others read, too, inside the loop that reads
/// tiles of it, which gets it as another result, and erases it; false if there
/// is no such loop, or its tiles are not all of it, each once.
bool fuseIntoReader(RewriterBase &rewriter, linalg::GenericOp op);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_READERFUSION_H
