//===- Pipeline.cpp - from loops and vectors to the llvm dialect ----------===//

#include "smx/CPU/Pipeline.h"

#include "smx/CPU/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/RequestCWrappers.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

static bool hostHas(StringRef feature) {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return features.lookup(feature);
}

/// That of AArch64; the conversions of x86 (avx512bf16, avxneconvert) have 0 in
/// the place of denormals.
static bool hostConvertsBF16() { return hostHas("bf16"); }

int64_t mlir::smx::getHostVectorBits() {
  return hostHas("avx512f") ? 512 : hostHas("avx2") ? 256 : 128;
}

void mlir::smx::buildCPUToLLVMPipeline(OpPassManager &pm,
                                       const CPULoweringOptions &options) {
  pm.addPass(createSmxCPUOwnNamesPass());
  if (options.threads) {
    pm.addNestedPass<func::FuncOp>(createSmxCPUSmallLoopsPass());
    pm.addPass(createForallToParallelLoopPass());
    pm.addPass(createConvertSCFToOpenMPPass());
    // Inlines the allocation scopes, which must not hold control flow.
    pm.addPass(createCanonicalizerPass());
  } else {
    pm.addPass(createForallToForLoopPass());
  }
  pm.addPass(createSmxCPUThreadLoopsPass());
  SmxCPUExpandMathPassOptions math;
  math.avx512 = hostHas("avx512f");
  pm.addPass(createSmxCPUExpandMathPass(math));
  if (!hostConvertsBF16())
    pm.addPass(createSmxCPUExpandBF16Pass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createSmxCPUAssertionsPass());
  // The wrapper of a declaration that nothing calls would want a body of it
  // when the code is linked.
  pm.addPass(createSymbolDCEPass());
  pm.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  // Conversions leave many equal constants; without them the canonicalizer
  // takes half as long.
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createSmxCPUOwnNamesPass());
  if (hostHas("avx"))
    pm.addPass(createSmxCPUStreamBF16Pass());
  if (options.threads)
    pm.addPass(createSmxCPUParallelFunctionsPass());
}
