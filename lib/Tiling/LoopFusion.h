//===- LoopFusion.h - what is computed beside rows --------------*- C++ -*-===//
#ifndef SMX_LIB_TILING_LOOPFUSION_H
#define SMX_LIB_TILING_LOOPFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// Computes `op` inside the loop whose results it reads, from the tiles that
/// the loop has at hand and those of other tensors in the same places, and
/// erases it; false if there is no such loop, if an element of the result needs
/// more than one tile, or if the loop multiplies matrices and the op reads
/// something else besides.
bool fuseIntoLoop(RewriterBase &rewriter, linalg::GenericOp op);

/// Computes `op`, whose result others read, too, inside the loop that reads
/// tiles of it, which gets it as another result, and erases it; false if there
/// is no such loop, or its tiles are not all of it, each once.
bool fuseIntoReader(RewriterBase &rewriter, linalg::GenericOp op);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_LOOPFUSION_H
