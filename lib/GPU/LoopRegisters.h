//===- LoopRegisters.h - what tiles take of a thread ------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_LOOPREGISTERS_H
#define SMX_LIB_GPU_LOOPREGISTERS_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx::gpu {

/// Registers of 32 bits that a thread holds of a value; 0 unless it is a tile,
/// or a row or column of one. Of elements below 16 bits each has half of one.
int64_t registersOf(Type type);

/// Registers of a thread for what `loop` carries, and for the results of its
/// asynchronous products that are in none of these.
int64_t registersOfRounds(scf::ForOp loop);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_LOOPREGISTERS_H
