//===- Road.h - run the road stage by stage ---------------------*- C++ -*-===//
//
// One pass manager per stage, so that a caller can look at the IR at every
// stage, sees the time each one takes, and is told in which one something went
// wrong.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_RUNTIME_ROAD_H
#define SMX_RUNTIME_ROAD_H

#include "smx/Pipeline/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace mlir::smx {

/// What a caller wants to know on the way.
struct RoadHooks {
  /// Called when a stage is reached (the first one included), with the
  /// milliseconds it took.
  std::function<void(Stage stage, ModuleOp module, double milliseconds)>
      onStage;
  /// Called before each stage's passes run: a place for instrumentation.
  std::function<void(Stage stage, PassManager &passes)> onPasses;
  /// Folder for the file that reproduces a failure or crash of a pass; none is
  /// written if empty.
  std::string reproducerDir;
};

/// Leads `module`, which is at stage `from`, to stage `to`. On failure the
/// error names the stage, and the reproducer if one was written; the
/// diagnostics of the passes go to the context's handlers.
llvm::Error runRoad(ModuleOp module, Stage from, Stage to,
                    const RoadOptions &options, const RoadHooks &hooks = {});

} // namespace mlir::smx

#endif // SMX_RUNTIME_ROAD_H
