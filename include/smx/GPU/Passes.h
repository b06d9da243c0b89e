//===- Passes.h - the passes of smx/GPU -------------------------*- C++ -*-===//
#ifndef SMX_GPU_PASSES_H
#define SMX_GPU_PASSES_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Pass/Pass.h"

namespace mlir::smx::gpu {

/// Registers of 32 bits that the tiles of a thread may take before first
/// operands of products go to shared memory.
inline constexpr int64_t operandRegisters = 192;

#define GEN_PASS_DECL
#include "smx/GPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

#endif // SMX_GPU_PASSES_H
