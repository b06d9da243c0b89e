//===- Pipelines.h - the road as pass pipelines -----------------*- C++ -*-===//
//
// One build function per stage: each takes IR at the stage before and leaves IR
// at its own. The tools, the JIT and `softmax-opt --smx-to-<stage>` all use
// these.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_PIPELINE_PIPELINES_H
#define SMX_PIPELINE_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "smx/Pipeline/RoadOptions.h"

namespace mlir::smx {

/// Appends the passes that lead from the stage before `stage` to `stage`.
void buildStage(OpPassManager &pm, Stage stage, const RoadOptions &options);

/// Appends the first passes of stage `gpu`: they lead from stage `tiled` to
/// loop nests that become kernels as they are. References may be `slack` powers
/// of two behind the maximum, and `lead` before it (smx/IR/ReferenceSlack.h).
/// Rows start at multiples of `alignment` bytes.
void buildKernelNests(OpPassManager &pm, int64_t alignment = 16,
                      double slack = 0, double lead = 0);

/// Appends the passes that lead from `from` (exclusive) to `to` (inclusive).
void buildRoad(OpPassManager &pm, Stage from, Stage to,
               const RoadOptions &options);

/// Registers `--smx-to-<stage>`, from the input to each stage, with the global
/// pass registry.
void registerRoadPipelines();

} // namespace mlir::smx

#endif // SMX_PIPELINE_PIPELINES_H
