//===- Stages.h - the named stages of the road ------------------*- C++ -*-===//
//
// One table of stage names, used by the tools, the dump files and the tests.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_PIPELINE_STAGES_H
#define SMX_PIPELINE_STAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace mlir::smx {

/// What the code is for. The road forks after the tiled stage: one branch leads
/// to the CPU, the other to a GPU or, from stage `gpu` on, to the emulator,
/// which runs kernels for a GPU on the host.
enum class Target { Cpu, Cuda, Emulator };

/// "the CPU", "a CUDA device", ...: for messages.
llvm::StringRef describeTarget(Target target);

/// The stages in the order in which the road passes them: after Tiled those of
/// one branch.
enum class Stage { Input, Naive, Online, Tiled, Cpu, Llvm, Gpu, Nvvm };

/// A stage, its one spelling, and what holds when it is reached.
struct StageInfo {
  Stage stage;
  llvm::StringRef name;
  llvm::StringRef contract;
  /// The targets that the stage is for, the usual one first; all if empty.
  llvm::ArrayRef<Target> targets = {};

  /// True if the road to `target` passes this stage.
  bool isOnRoadTo(Target target) const;
  /// `target` if the road to it passes this stage, else the one that the stage
  /// is usually for.
  Target targetNear(Target target) const;
};

/// Every stage, first to last.
llvm::ArrayRef<StageInfo> getStages();

/// The table's row for `stage`.
const StageInfo &getStageInfo(Stage stage);

/// The stage called `name`, or none.
std::optional<Stage> parseStage(llvm::StringRef name);

/// "input, naive, online, ...": for messages about an unknown stage.
std::string getStageNames();

} // namespace mlir::smx

#endif // SMX_PIPELINE_STAGES_H
