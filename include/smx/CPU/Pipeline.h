//===- Pipeline.h - from loops and vectors to the llvm dialect --*- C++ -*-===//
#ifndef SMX_CPU_PIPELINE_H
#define SMX_CPU_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::smx {

/// What the lowering may decide.
struct CPULoweringOptions {
  /// Parallel loops become OpenMP regions; otherwise they run in order.
  bool threads = true;
};

/// Width of the widest vector registers of this machine, in bits.
int64_t getHostVectorBits();

/// Appends the passes from bufferized loops and vectors to the llvm dialect.
void buildCPUToLLVMPipeline(OpPassManager &pm,
                            const CPULoweringOptions &options);

} // namespace mlir::smx

#endif // SMX_CPU_PIPELINE_H
