//===- Pipeline.h - from kernels of whole tiles to PTX ----------*- C++ -*-===//
#ifndef SMX_NVVM_PIPELINE_H
#define SMX_NVVM_PIPELINE_H

#include "smx/NVVM/TensorMapUse.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

#include <array>
#include <string>

namespace mlir::smx {

/// What the lowering may decide.
struct NVVMLoweringOptions {
  /// Architecture: sm_80 or newer, sm_90a for wgmma.
  std::string chip = "sm_80";
  /// f64 tiles are multiplied by the matrix unit, not by the threads.
  bool doublesOnMatrixUnit = false;
};

/// Appends the passes from `smx_gpu` kernels to a `gpu.module @kernels` of llvm
/// and nvvm.
void buildNVVMPipeline(OpPassManager &pm, const NVVMLoweringOptions &options);

/// Registers `--smx-nvvm`, the pipeline, with the global pass registry.
void registerNVVMPipeline();

/// Fails if `chip` is no GPU architecture that LLVM knows, or one that kernels
/// are not made for.
llvm::Error checkChip(StringRef chip);

/// What a launch of a kernel has to know beside its arguments.
struct KernelLaunch {
  /// Threads of a block, blocks of a cluster (1: none).
  int64_t threads = 0, cluster = 1;
  /// Dynamic shared memory, in bytes.
  int64_t sharedBytes = 0;
  /// The launch may begin before the one in front of it has ended.
  bool overlapsPrevious = false;
  /// Parameters behind the arguments.
  std::vector<TensorMapUse> tensorMaps;
};

/// The launch of a lowered kernel; an error names the kernels that there are.
llvm::Expected<KernelLaunch> getKernelLaunch(ModuleOp module, StringRef kernel);

/// PTX of all kernels of a lowered module, at least one, for `chip`, which they
/// were lowered for. Entries have the kernels' names. An error has the text of
/// the back end.
llvm::Expected<std::string> emitPTX(ModuleOp module, StringRef chip);

} // namespace mlir::smx

#endif // SMX_NVVM_PIPELINE_H
