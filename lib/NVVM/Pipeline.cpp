//===- Pipeline.cpp - from kernels of whole tiles to the nvvm dialect -----===//

#include "smx/NVVM/Pipeline.h"

#include "smx/CPU/Passes.h"
#include "smx/NVVM/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::smx;

void mlir::smx::buildNVVMPipeline(OpPassManager &pm,
                                  const NVVMLoweringOptions &options) {
  pm.addPass(createSmxNVVMNarrowNumbersPass());
  pm.addPass(createSmxGPUToNVVMPass(
      SmxGPUToNVVMPassOptions{options.chip, options.doublesOnMatrixUnit}));
  OpPassManager &device = pm.nest<mlir::gpu::GPUModuleOp>();
  // Of regions, LLVM drops what is dead.
  GreedyRewriteConfig folding;
  folding.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  device.addPass(createCanonicalizerPass(folding));
  device.addPass(createCSEPass());
  device.addNestedPass<LLVM::LLVMFuncOp>(createSmxNVVMSinkIntoBranchesPass());
  device.addPass(createSmxNVVMExpandMathPass());
  // Its polynomials are plain arithmetic.
  device.addPass(createSmxCPUExpandMathPass());
  device.addPass(createSCFToControlFlowPass());
  device.addNestedPass<LLVM::LLVMFuncOp>(createSmxNVVMThreadBranchesPass());
  device.addPass(createConvertToLLVMPass());
  device.addPass(createReconcileUnrealizedCastsPass());
  // What conversions leave to be folded and merged, LLVM folds in less time.
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("architecture: sm_80 or newer"),
                           llvm::cl::init("sm_80")};
  Option<bool> doublesOnMatrixUnit{
      *this, "doubles-on-matrix-unit",
      llvm::cl::desc("multiply f64 tiles by mma.m8n8k4"),
      llvm::cl::init(false)};
};
} // namespace

void mlir::smx::registerNVVMPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "smx-nvvm", "lower smx_gpu kernels to llvm and nvvm",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildNVVMPipeline(
            pm, NVVMLoweringOptions{options.chip, options.doublesOnMatrixUnit});
      });
}
