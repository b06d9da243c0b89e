//===- Chip.h - what the chip that is lowered for can do --------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_CHIP_H
#define SMX_LIB_NVVM_CHIP_H

#include "mlir/IR/Operation.h"

namespace mlir::smx {

/// An architecture as PTX names it: sm_80, sm_90a.
struct Chip {
  unsigned version = 0;
  /// The `a` at the end: instructions of this version alone.
  bool isSpecific = false;

  /// wgmma and its accumulators were there in one generation.
  bool hasWarpgroupProducts() const { return version == 90 && isSpecific; }
  bool hasTensorCopies() const { return version >= 90; }
  /// A kernel can wait for the end of the one that was launched before it.
  bool hasDependentLaunches() const { return version >= 90; }
  /// cvt from e4m3, in a version of PTX that is old enough for all drivers.
  bool widensF8() const { return version >= 90; }
  /// Threads can sleep on an mbarrier.
  bool suspendsOnBarriers() const { return version >= 90; }
};

/// The chip of the gpu.module that `op` stands in; the least capable one where
/// there is none.
Chip chipOf(Operation *op);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_CHIP_H
