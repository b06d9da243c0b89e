//===- RoadPipelines.cpp - the road as pipelines of softmax-opt -----------===//

#include "smx/Pipeline/Pipelines.h"
#include "smx/Pipeline/WideProductsFlag.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// RoadOptions as options of a pipeline.
struct RoadPipelineOptions : public PassPipelineOptions<RoadPipelineOptions> {
  Option<int64_t> tileRows{
      *this, "rows", llvm::cl::desc("rows of a tile; 0 = the model chooses"),
      llvm::cl::init(0)};
  Option<int64_t> tileStream{
      *this, "stream",
      llvm::cl::desc("extent of a tile along the reduced axis; 0 = the model "
                     "chooses"),
      llvm::cl::init(0)};
  Option<int64_t> splits{
      *this, "splits",
      llvm::cl::desc(
          "partial states of a row; 0 = one, or of a GPU's rows one a MiB"),
      llvm::cl::init(0)};
  Option<bool> threads{*this, "threads",
                       llvm::cl::desc("run over rows on several threads"),
                       llvm::cl::init(true)};
  Option<bool> cuda{
      *this, "cuda",
      llvm::cl::desc("the road to a GPU; implied by a stage of it"),
      llvm::cl::init(false)};
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("GPU architecture, as PTX names it"),
                           llvm::cl::init("sm_80")};
  Option<int64_t> warps{
      *this, "warps",
      llvm::cl::desc("warps of a block of threads; 0 = the model chooses"),
      llvm::cl::init(0)};
  Option<int64_t> depth{
      *this, "depth",
      llvm::cl::desc("stages of a channel; 0 = the model chooses"),
      llvm::cl::init(0)};
  Option<int64_t> blocks{
      *this, "blocks",
      llvm::cl::desc(
          "most blocks that walk over tiles; 0 = 132, as of an H100 or H200"),
      llvm::cl::init(0)};
  Option<int64_t> alignment{
      *this, "alignment",
      llvm::cl::desc("bytes that pointers and row strides are multiples of"),
      llvm::cl::init(0)};

  Option<WideProducts> wideProducts{
      *this, "wide-products", llvm::cl::desc(wideProductsText),
      llvm::cl::init(WideProducts::Fma), wideProductsValues()};

  RoadOptions toRoadOptions() const {
    RoadOptions options = readScheduleFlags(*this);
    options.threads = threads;
    options.target = cuda ? Target::Cuda : Target::Cpu;
    options.chip = chip;
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
          RoadOptions road = options.toRoadOptions();
          road.target = getStageInfo(stage).targetNear(road.target);
          buildRoad(pm, Stage::Input, stage, road);
        });
  }
}
