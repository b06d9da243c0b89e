//===- Chip.h - what the chip that is lowered for can do --------*- C++ -*-===//
#ifndef SMX_NVVM_CHIP_H
#define SMX_NVVM_CHIP_H

#include "mlir/IR/Operation.h"

namespace mlir::smx {

/// An architecture as PTX names it: sm_80, sm_90a.
struct Chip {
  /// Version 0 if the name is not one of an architecture.
  static Chip named(StringRef name);

  unsigned version = 0;
  /// The `a` at the end: instructions of this version alone.
  bool isSpecific = false;

  /// wgmma and its accumulators were there in one generation.
  bool hasWarpgroupProducts() const { return version == 90 && isSpecific; }
  bool hasTensorCopies() const { return version >= 90; }
  /// Roles can have other numbers of registers than a launch gives
  /// (setmaxnreg).
  bool reallocatesRegisters() const { return version >= 90 && isSpecific; }
  /// A kernel can wait for the end of the one that was launched before it.
  bool hasDependentLaunches() const { return version >= 90; }
  /// cvt from e4m3, in a version of PTX that is old enough for all drivers.
  bool widensF8() const { return version >= 90; }
  /// Threads can sleep on an mbarrier.
  bool suspendsOnBarriers() const { return version >= 90; }
  /// Bytes of shared memory that a block can have (CUDA programming guide,
  /// "Technical Specifications per Compute Capability"); the least for a
  /// version that is not known.
  int64_t sharedLimit() const;
};

/// The chip of the gpu.module that `op` stands in; the least capable one where
/// there is none.
Chip chipOf(Operation *op);

} // namespace mlir::smx

#endif // SMX_NVVM_CHIP_H
