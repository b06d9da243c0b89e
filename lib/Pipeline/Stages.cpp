//===- Stages.cpp - the named stages of the road --------------------------===//

#include "smx/Pipeline/Stages.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir::smx;

static const StageInfo stages[] = {
    {Stage::Input, "input", "IR as it was handed over"},
    {Stage::Naive, "naive",
     "what was recognised is an smx specification op; no state values"},
    {Stage::Online, "online",
     "every row reduction is an explicit state; no op needs a whole row"},
    {Stage::Tiled, "tiled",
     "loops over tiles, the state in iter_args, tails and masked tiles apart"},
    {Stage::Cpu, "cpu", "memrefs, vector operations and register-blocked loops",
     Target::Cpu},
    {Stage::Llvm, "llvm", "the llvm dialect (and omp) only", Target::Cpu},
    {Stage::Gpu, "gpu",
     "kernels on whole tiles, the schedule in the IR; the host launches them",
     Target::Cuda},
    {Stage::Nvvm, "nvvm", "kernels are code of one thread, in llvm and nvvm",
     Target::Cuda},
};

llvm::ArrayRef<StageInfo> mlir::smx::getStages() { return stages; }

const StageInfo &mlir::smx::getStageInfo(Stage stage) {
  return stages[static_cast<unsigned>(stage)];
}

std::optional<Stage> mlir::smx::parseStage(llvm::StringRef name) {
  for (const StageInfo &info : stages)
    if (info.name == name)
      return info.stage;
  return std::nullopt;
}

std::string mlir::smx::getStageNames() {
  return llvm::join(
      llvm::map_range(stages, [](const StageInfo &info) { return info.name; }),
      ", ");
}
