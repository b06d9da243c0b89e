//===- Traffic.cpp - what a function moves and computes -------------------===//
//
// Memory is counted on the IR as it is; arithmetic on a copy in which the state
// ops are written out, because only their algebra knows what they compute.
//
//===----------------------------------------------------------------------===//

#include "smx/Analysis/Traffic.h"

#include "ArithmeticCount.h"
#include "MemoryCount.h"
#include "MemoryModel.h"
#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::smx;

FailureOr<SmallVector<FunctionTraffic>>
mlir::smx::analyzeTraffic(ModuleOp module, const TrafficOptions &options) {
  OwningOpRef<ModuleOp> expanded(module.clone());
  PassManager passes(module.getContext());
  passes.addPass(createExpandStatePass());
  // Sums that a resident row does not need are computed by no one.
  passes.addPass(createCanonicalizerPass());
  if (failed(passes.run(*expanded)))
    return failure();

  SmallVector<FunctionTraffic> all;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      all.push_back({function.getName().str(),
                     Stage::Llvm,
                     {},
                     {"functions of the llvm dialect"}});
  for (auto [function, copy] : llvm::zip_equal(
           module.getOps<func::FuncOp>(), expanded->getOps<func::FuncOp>())) {
    if (function.isExternal())
      continue;
    FunctionTraffic traffic;
    traffic.function = function.getName().str();
    traffic.stage = options.stage.value_or(findStage(function));
    LoopRounds memoryRounds(function, options.extents, options.maxRounds);
    countMemory(function, traffic.stage, memoryRounds, traffic.work);
    LoopRounds arithmeticRounds(copy, options.extents, options.maxRounds);
    countArithmetic(copy, arithmeticRounds, traffic.work);
    for (const LoopRounds *rounds : {&memoryRounds, &arithmeticRounds})
      for (StringRef what : rounds->getLeftOut())
        if (!llvm::is_contained(traffic.notCounted, what))
          traffic.notCounted.push_back(what.str());
    all.push_back(std::move(traffic));
  }
  return all;
}
