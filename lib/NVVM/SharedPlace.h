//===- SharedPlace.h - an address as instructions take it -------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_SHAREDPLACE_H
#define SMX_LIB_NVVM_SHAREDPLACE_H

#include "KernelLowering.h"

namespace mlir::smx {

/// A place in shared memory, taken apart: `base` (!llvm.ptr<3>), a distance in
/// bytes that the thread knows (an integer, or null), and a constant. Ops with
/// constants of their own share what the thread has to keep.
struct SharedPlace {
  explicit SharedPlace(Value address) : base(address) {
    while (auto step = base.getDefiningOp<LLVM::GEPOp>()) {
      const bool isConstant = step.getDynamicIndices().empty();
      if (!step.getElemType().isInteger(8) || (!isConstant && distance))
        return;
      if (isConstant)
        constant += step.getRawConstantIndices().front();
      else
        distance = step.getDynamicIndices().front();
      base = step.getBase();
    }
  }

  Value base, distance;
  int64_t constant = 0;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_SHAREDPLACE_H
