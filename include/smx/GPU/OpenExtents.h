//===- OpenExtents.h - what a kernel has to be made for ---------*- C++ -*-===//
//
// Registers and shared memory hold whole tiles, so a tile needs a bound. Where
// loops cut a dimension they give it one. A dimension that no loop cuts, such
// as the head dim of attention, is as large as in the arguments: if the types
// leave it open, a kernel can only be made for its size in a call. A dimension
// that loops cut, but whose whole results a loop carries, may stay open: rows
// of known lengths get the faster kernels.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_GPU_OPENEXTENTS_H
#define SMX_GPU_OPENEXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::smx::gpu {

/// Dimension `dim` of argument `argument` of a function.
struct ArgumentExtent {
  unsigned argument;
  int64_t dim;
  /// No kernel leaves it open; else one for any size is merely slower.
  bool isNeeded = true;
  friend auto operator<=>(const ArgumentExtent &,
                          const ArgumentExtent &) = default;
};

/// The extents of arguments that something in the loop nests of `function` is
/// as large as, each once, in rising order; needed where a tile is. The
/// function is as `smx-gpu-kernels` takes it. Fails, with a diagnostic, where
/// that pass would.
FailureOr<SmallVector<ArgumentExtent>> findOpenExtents(func::FuncOp function);

} // namespace mlir::smx::gpu

#endif // SMX_GPU_OPENEXTENTS_H
