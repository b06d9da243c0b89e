//===- StateReaders.h - what is made of a state ----------------*- C++ -*-===//
#ifndef SMX_LIB_TILING_STATEREADERS_H
#define SMX_LIB_TILING_STATEREADERS_H

#include "mlir/IR/Operation.h"

namespace mlir::smx {

/// Marks updates under `root` by the quantities that the state ends in, behind
/// loops, the tiles that follow, and merges of parts: with
/// `forLogarithmAttribute` if these are logarithms of the sum alone, and with
/// `forRowsAttribute` if one is as long as the stream.
void markStateReaders(Operation *root);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_STATEREADERS_H
