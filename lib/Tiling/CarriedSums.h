//===- CarriedSums.h - sums that loops carry --------------------*- C++ -*-===//
#ifndef SMX_LIB_TILING_CARRIEDSUMS_H
#define SMX_LIB_TILING_CARRIEDSUMS_H

#include "mlir/IR/Operation.h"

namespace mlir::smx {

/// Loops over tiles under `root` carry in f64 what their algebra sums in f64,
/// from the identity on: in f32 the sum is rounded once a tile, and where all
/// tiles have the same sum always to the same side, by up to half a unit in the
/// last place each.
void carryDoubleSums(Operation *root);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_CARRIEDSUMS_H
