//===- Stages.cpp - the named stages of the road --------------------------===//

#include "smx/Pipeline/Stages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::smx;

static constexpr Target forCpu[] = {Target::Cpu};
static constexpr Target forBlocks[] = {Target::Cuda, Target::Emulator};
static constexpr Target forCuda[] = {Target::Cuda};

static const StageInfo stages[] = {
    {Stage::Input, "input", "IR as it was handed over"},
    {Stage::Naive, "naive",
     "what was recognised is an smx specification op; no state values"},
    {Stage::Online, "online",
     "every row reduction is an explicit state; no op needs a whole row"},
    {Stage::Tiled, "tiled",
     "loops over tiles, the state in iter_args, tails and masked tiles apart"},
    {Stage::Cpu, "cpu", "memrefs, vector operations and register-blocked loops",
     forCpu},
    {Stage::Llvm, "llvm", "the llvm dialect (and omp) only", forCpu},
    {Stage::Gpu, "gpu",
     "kernels on whole tiles, the schedule in the IR; the host launches them",
     forBlocks},
    {Stage::Nvvm, "nvvm", "kernels are code of one thread, in llvm and nvvm",
     forCuda},
};

llvm::StringRef mlir::smx::describeTarget(Target target) {
  switch (target) {
  case Target::Cpu:
    return "the CPU";
  case Target::Cuda:
    return "a CUDA device";
  case Target::Emulator:
    return "the emulator";
  }
  llvm_unreachable("all targets are listed");
}

bool StageInfo::isOnRoadTo(Target target) const {
  return targets.empty() || llvm::is_contained(targets, target);
}

Target StageInfo::targetNear(Target target) const {
  return isOnRoadTo(target) ? target : targets.front();
}

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
