//===- FetchLoops.h - one loop of copies instead of two ---------*- C++ -*-===//
#ifndef SMX_LIB_GPU_FETCHLOOPS_H
#define SMX_LIB_GPU_FETCHLOOPS_H

#include "smx/GPU/SmxGpu.h"

namespace mlir::smx::gpu {

/// Joins loops of the role that fetches which go from a last tile to a middle
/// one, and from there to a first one, and put the same tiles: what is computed
/// for the second one takes registers throughout the first.
void joinLoops(RoleOp role);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_FETCHLOOPS_H
