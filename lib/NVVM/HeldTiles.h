//===- HeldTiles.h - registers that nothing is known of ---------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_HELDTILES_H
#define SMX_LIB_NVVM_HELDTILES_H

#include "KernelLowering.h"

namespace mlir::smx {

/// The elements, of whole words in all, through an instruction that does
/// nothing, in order of other effects.
Value holdElements(ThreadCode &code, Value elements);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_HELDTILES_H
