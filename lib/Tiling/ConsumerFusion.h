//===- ConsumerFusion.h - what is computed from rows' results ---*- C++ -*-===//
#ifndef SMX_LIB_TILING_CONSUMERFUSION_H
#define SMX_LIB_TILING_CONSUMERFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// Computes `op` inside the loop whose results are all that it reads, from the
/// tiles that the loop has at hand, and erases it; false if there is no such
/// loop, or an element of the result needs more than one tile.
bool fuseIntoLoop(RewriterBase &rewriter, linalg::GenericOp op);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_CONSUMERFUSION_H
