//===- Pipelines.cpp - the road as pass pipelines -------------------------===//

#include "smx/Pipeline/Pipelines.h"

#include "smx/Analysis/Passes.h"
#include "smx/Bufferize/Passes.h"
#include "smx/CPU/Passes.h"
#include "smx/CPU/Pipeline.h"
#include "smx/Online/Passes.h"
#include "smx/Raise/Passes.h"
#include "smx/Tiling/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::smx;

static void buildNaive(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createRaisePass());
  pm.addPass(createCanonicalizerPass());
}

static void buildTiled(OpPassManager &pm, const RoadOptions &options) {
  // The layout of the back end and the cut into partial states are decided on
  // whole rows.
  pm.addPass(createRowsInLanesPass());
  if (options.splits > 1)
    pm.addPass(createSplitPass(SplitPassOptions{options.splits}));
  TilePassOptions tile;
  tile.rows = options.tileRows;
  tile.stream = options.tileStream;
  pm.addNestedPass<func::FuncOp>(createTilePass(tile));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void buildCpu(OpPassManager &pm, const RoadOptions &options) {
  pm.addPass(createExpandStatePass());
  // No CSE before bufferization: equal empty tensors are different buffers.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createDestinationArgumentsPass());
  pm.addPass(createBufferizePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Copies of a view onto itself are seen once equal views are one.
  pm.addPass(createCanonicalizerPass());
  SmxCPUVectorizePassOptions vectorize;
  vectorize.vectorBits =
      options.vectorBits ? options.vectorBits : getHostVectorBits();
  pm.addNestedPass<func::FuncOp>(createSmxCPUVectorizePass(vectorize));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void mlir::smx::buildStage(OpPassManager &pm, Stage stage,
                           const RoadOptions &options) {
  switch (stage) {
  case Stage::Input:
    return;
  case Stage::Naive:
    buildNaive(pm);
    break;
  case Stage::Online:
    pm.addPass(createOnlinePass());
    pm.addPass(createCanonicalizerPass());
    break;
  case Stage::Tiled:
    buildTiled(pm, options);
    break;
  case Stage::Cpu:
    buildCpu(pm, options);
    break;
  case Stage::Llvm: {
    CPULoweringOptions lowering;
    lowering.threads = options.threads;
    buildCPUToLLVMPipeline(pm, lowering);
    break;
  }
  }
  if (options.verifyStages)
    pm.addPass(createVerifyStagePass(
        VerifyStagePassOptions{getStageInfo(stage).name.str()}));
}

void mlir::smx::buildRoad(OpPassManager &pm, Stage from, Stage to,
                          const RoadOptions &options) {
  for (const StageInfo &info : getStages())
    if (info.stage > from && info.stage <= to)
      buildStage(pm, info.stage, options);
}

namespace {
/// RoadOptions as options of a pipeline.
struct RoadPipelineOptions : public PassPipelineOptions<RoadPipelineOptions> {
  Option<int64_t> rows{*this, "rows",
                       llvm::cl::desc("rows of a tile; 0 = the model chooses"),
                       llvm::cl::init(0)};
  Option<int64_t> stream{
      *this, "stream",
      llvm::cl::desc("extent of a tile along the reduced axis; 0 = the model "
                     "chooses"),
      llvm::cl::init(0)};
  Option<int64_t> splits{
      *this, "splits",
      llvm::cl::desc("partial states of a row; 0 or 1 = unsplit"),
      llvm::cl::init(0)};
  Option<bool> threads{*this, "threads",
                       llvm::cl::desc("run over rows on several threads"),
                       llvm::cl::init(true)};

  RoadOptions toRoadOptions() const {
    RoadOptions options;
    options.tileRows = rows;
    options.tileStream = stream;
    options.splits = splits;
    options.threads = threads;
    return options;
  }
};
} // namespace

void mlir::smx::registerRoadPipelines() {
  for (const StageInfo &info : getStages().drop_front()) {
    Stage stage = info.stage;
    PassPipelineRegistration<RoadPipelineOptions>(
        ("smx-to-" + info.name).str(),
        ("from the IR as it was handed over to stage " + info.name).str(),
        [stage](OpPassManager &pm, const RoadPipelineOptions &options) {
          buildRoad(pm, Stage::Input, stage, options.toRoadOptions());
        });
  }
}
