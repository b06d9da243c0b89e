//===- LaunchOrder.h - kernels that begin while another ends ----*- C++ -*-===//
#ifndef SMX_LIB_NVVM_LAUNCHORDER_H
#define SMX_LIB_NVVM_LAUNCHORDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::smx {

/// An attribute of a lowered kernel: a launch may begin before the one in front
/// of it on the stream has ended, since the kernel waits for that before all
/// else.
inline constexpr StringLiteral overlapsPreviousAttribute =
    "smx.overlaps_previous";

/// Which kernels a host function launches right after another one, with nothing
/// on the stream between the two. The later one is brought to the
/// multiprocessors while the earlier one still computes, and waits there: that
/// saves the time of a launch, a few microseconds (CUDA programming guide,
/// "Programmatic Dependent Launch and Synchronization"; from sm_90 on).
class LaunchOrder {
public:
  /// Reads the host functions of a module.
  explicit LaunchOrder(ModuleOp module);
  /// Adds what both sides do to the lowered kernels, if the chip can do it.
  void addTo(mlir::gpu::GPUModuleOp device) const;

private:
  llvm::StringSet<> first, second;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_LAUNCHORDER_H
