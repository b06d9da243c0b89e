//===- NormalizeNest.h - loop nests as kernels take them --------*- C++ -*-===//
#ifndef SMX_LIB_GPU_NORMALIZENEST_H
#define SMX_LIB_GPU_NORMALIZENEST_H

#include "TileClasses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx::gpu {

/// Brings a nest into the form that the conversion knows, and returns its
/// classes: extents of outside tensors are computed outside, affine maps in
/// bodies written out, what is the same for all elements of a body is computed
/// before it, and the loops of an op are different classes. Fails, with a
/// diagnostic, where they can not be.
FailureOr<TileClasses> normalizeNest(scf::ForallOp nest);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_NORMALIZENEST_H
