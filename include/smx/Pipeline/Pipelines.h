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
#include "smx/Pipeline/Stages.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mlir::smx {

/// How a GPU multiplies matrices of more than 16 bits an element.
enum class WideProducts {
  /// Fused multiply-adds of the threads, in the order of the reduced dimension.
  Fma,
  /// The matrix unit: f32 as three TF32 products, with a relative error of
  /// about 2^-21 in each term; f64 by fused multiply-adds in another order.
  MatrixUnit,
};

class ScheduleTable;

/// What a caller may decide about the road; zero always means "the model
/// chooses".
struct RoadOptions {
  /// Rows of a tile (queries, for attention), in rows.
  int64_t tileRows = 0;
  /// Extent of a tile along the reduced axis (keys, for attention), in
  /// elements.
  int64_t tileStream = 0;
  /// Number of partial states that a row is split into before the merge tree; 1
  /// is unsplit. 0 is one as well, or one for every MiB of a long row on a GPU.
  int64_t splits = 0;
  /// Width of the host's vector registers in bits; 0 asks the host.
  int64_t vectorBits = 0;
  /// Run over rows and heads on several threads (OpenMP).
  bool threads = true;
  /// What the code is for. A stage of one branch decides it by itself.
  Target target = Target::Cpu;
  /// The GPU architecture as PTX names it: sm_80, sm_90a.
  std::string chip = "sm_80";
  /// Warps of a block of threads.
  int64_t warps = 0;
  /// Stages of a channel between global and shared memory.
  int64_t depth = 0;
  /// Most blocks of a kernel that walk over tiles, one on a multiprocessor of
  /// the chip. 0 is 132, as of an H100 or H200 (SXM).
  int64_t blocks = 0;
  /// Bytes that the pointers and row strides of all arguments are known to be
  /// multiples of; below 4 it says nothing. 16 lets a GPU copy 16 bytes at a
  /// time.
  int64_t alignment = 0;
  /// What a GPU multiplies f32 and f64 matrices with.
  WideProducts wideProducts = WideProducts::Fma;
  /// Schedules that were measured; they decide what is left to the model here,
  /// from stage `online` on. See ScheduleTable.h.
  std::shared_ptr<const ScheduleTable> schedules;
  /// Check the contract of every stage as it is reached.
  bool verifyStages = true;
};

/// Appends the passes that lead from the stage before `stage` to `stage`.
void buildStage(OpPassManager &pm, Stage stage, const RoadOptions &options);

/// Appends the first passes of stage `gpu`: they lead from stage `tiled` to
/// loop nests that become kernels as they are. References may be `slack` powers
/// of two behind the maximum, and `lead` before it (smx/IR/ReferenceSlack.h).
void buildKernelNests(OpPassManager &pm, double slack = 0, double lead = 0);

/// Appends the passes that lead from `from` (exclusive) to `to` (inclusive).
void buildRoad(OpPassManager &pm, Stage from, Stage to,
               const RoadOptions &options);

/// Registers `--smx-to-<stage>`, from the input to each stage, with the global
/// pass registry.
void registerRoadPipelines();

} // namespace mlir::smx

#endif // SMX_PIPELINE_PIPELINES_H
