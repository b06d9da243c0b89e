//===- Pipelines.cpp - the road as pass pipelines -------------------------===//

#include "smx/Pipeline/Pipelines.h"

#include "smx/Analysis/Passes.h"
#include "smx/Bufferize/Passes.h"
#include "smx/CPU/Passes.h"
#include "smx/CPU/Pipeline.h"
#include "smx/GPU/Passes.h"
#include "smx/NVVM/Chip.h"
#include "smx/NVVM/Pipeline.h"
#include "smx/Online/Passes.h"
#include "smx/Raise/Passes.h"
#include "smx/Tiling/LongRows.h"
#include "smx/Tiling/Passes.h"
#include "smx/Tiling/RowParts.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::smx;

static void buildNaive(OpPassManager &pm) {
  // A front end may have put a part of a formula into a function of its own;
  // what is inlined is canonicalized below.
  pm.addPass(createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createFlattenBranchesPass());
  pm.addNestedPass<func::FuncOp>(createRaisePass());
  // Of what is left, only linalg has memory and loops behind it.
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  pm.addPass(createCanonicalizerPass());
}

/// The schedule by roles is for the chip with an asynchronous matrix unit, and
/// its tensor copies want rows at multiples of 16 bytes.
static bool hasWarpgroups(const RoadOptions &options) {
  return options.chip == "sm_90a" && options.alignment >= 16 &&
         options.warps == 0;
}

/// Blocks that a row may be spread over.
static int64_t clustersOf(StringRef chip) {
  const unsigned version = Chip::named(chip).version;
  return version >= 90 && version < 120 ? mostClusterBlocks : 1;
}

/// Those of an H100 and an H200 (SXM); of other chips some are idle at the end.
constexpr int64_t multiprocessors = 132;

/// Blocks that walk over tiles, one on each multiprocessor.
static int64_t blocksOf(const RoadOptions &options) {
  return options.blocks ? options.blocks : multiprocessors;
}

/// Clusters of the most blocks, one on a multiprocessor, that run at once: a
/// cluster lies in one of the groups of 16 to 18 multiprocessors, not all of
/// them whole. Of the 8 that 132 have room for 7 ran at once on an H200.
constexpr int64_t longestRowClusters = multiprocessors / mostClusterBlocks - 1;
/// Cycles between the beginnings of two of them, about a half of what a row
/// takes: 655360 to 1048576 f32 are 4 to 5.6 % faster by it (an H200).
constexpr int64_t longestRowStagger = 2000;

/// Blocks of few rows on a multiprocessor: shared memory has room for 6 of 32
/// KiB, but 4 have enough under way, and leave fewer states to merge.
constexpr int64_t fewRowsBlocks = 4;

/// Registers hold a tile on a GPU, and rows of a tile the lanes of a vector on
/// a CPU: sizes and layout differ, the loops do not.
static void buildTiled(OpPassManager &pm, const RoadOptions &options) {
  bool inBlocks = options.target != Target::Cpu;
  // The layout of the back end and the cut into partial states are decided on
  // whole rows.
  if (inBlocks) {
    pm.addNestedPass<func::FuncOp>(createDropUnitReductionsPass());
    pm.addNestedPass<func::FuncOp>(createWidenFactorsPass());
  } else {
    pm.addPass(createRowsInLanesPass());
  }
  pm.addNestedPass<func::FuncOp>(
      createGatherOperandsPass({.keepSlices = !inBlocks}));
  TilePassOptions tile;
  tile.rows = options.tileRows;
  tile.stream = options.tileStream;
  tile.blocks = inBlocks;
  tile.warpgroups = tile.fromDiagonal = hasWarpgroups(options);
  tile.multiprocessors = blocksOf(options);
  tile.sharedBytes = Chip::named(options.chip).sharedLimit();
  // A block each has a part of a stream.
  tile.parts = inBlocks ? options.splits : 1;
  tile.slots = multiprocessors * fewRowsBlocks;
  tile.rowBytes =
      heldRowBytes(clustersOf(options.chip), options.alignment >= 16);
  tile.stripBlocks = clustersOf(options.chip);
  if (options.alignment >= 16)
    tile.heldBlocks = clustersOf(options.chip);
  else if (clustersOf(options.chip) > 1)
    tile.slidRowBytes = slidRowBytes;
  tile.alignment = options.alignment;
  SplitPassOptions split;
  split.parts = std::max<int64_t>(options.splits, 1);
  split.accumulators = !inBlocks;
  if (options.splits == 0 && inBlocks) {
    split.longestBytes = longestPartBytes;
    split.heldBytes = tile.rowBytes;
    split.slots = tile.slots;
    split.heldBlocks = tile.heldBlocks;
    if (options.alignment >= 16)
      split.partBytes = halfRowBytes;
  }
  if (split.parts > 1 || split.longestBytes != 0)
    pm.addPass(createSplitPass(split));
  pm.addNestedPass<func::FuncOp>(createTilePass(tile));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void buildCpu(OpPassManager &pm, const RoadOptions &options) {
  pm.addNestedPass<func::FuncOp>(createWidenSumsPass());
  pm.addPass(createExpandStatePass({.serialSums = true}));
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

void mlir::smx::buildKernelNests(OpPassManager &pm, int64_t alignment,
                                 double slack, double lead) {
  pm.addNestedPass<func::FuncOp>(createWidenSumsPass());
  pm.addPass(createExpandStatePass(ExpandStatePassOptions{slack, lead}));
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createTileOthersPass({alignment}));
  pm.addPass(createCanonicalizerPass());
}

/// Passes on kernels, in their order.
template <typename... Passes>
static void addToKernels(OpPassManager &pm, Passes &&...passes) {
  (pm.addNestedPass<gpu::KernelOp>(std::move(passes)), ...);
}

/// Rounds of keys of the longest tile of a walk from which on its last tiles
/// are dealt one by one (`deal`): of shorter ones that costs what it gains.
constexpr int64_t fewestRoundsDealt = 40;

static void buildNestsToKernels(OpPassManager &pm, const RoadOptions &options,
                                bool warpgroups) {
  // Of weights up to 2^8, or 2^13 where their sums are looked at, neither the
  // sum nor the product comes near the ends of f32, nor a weight near those of
  // f16; and the reference of few rows ever moves after the first tile.
  // By a reference up to 2^92 above the maximum, weights that are 2^-34 of the
  // largest one, and what f32 keeps of sums, are numbers still.
  constexpr double slackOfRoles = 8, leadOfRoles = 64;
  if (warpgroups)
    buildKernelNests(pm, options.alignment, slackOfRoles, leadOfRoles);
  else
    buildKernelNests(pm, options.alignment);
  pm.addPass(createDestinationArgumentsPass());
  gpu::KernelsPassOptions kernels;
  kernels.warps = options.warps;
  kernels.alignment = options.alignment;
  kernels.sharedLimit = Chip::named(options.chip).sharedLimit();
  kernels.warpgroups = warpgroups;
  kernels.blocks = blocksOf(options);
  kernels.clusters = clustersOf(options.chip);
  kernels.deal = fewestRoundsDealt;
  pm.addPass(gpu::createKernelsPass(kernels));
}

/// What the threads of a block have of a row, and where it is.
static void buildRowsOfBlocks(OpPassManager &pm) {
  addToKernels(pm, gpu::createLargestOfStreamPass(), gpu::createLargestPass(),
               gpu::createRanksInLanesPass(), gpu::createPartialStatesPass(),
               gpu::createSharedRowsPass(), gpu::createRecomputePass(),
               gpu::createPartialSumsPass(), gpu::createLastingRowsPass());
  // Numbers that are constants decide whether a tile has all columns.
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<gpu::KernelOp>(gpu::createKeptTilePass());
}

/// Decides for kernels of the asynchronous matrix unit which block has which
/// tiles, and which warps fetch and compute.
static void buildRoles(OpPassManager &pm, const RoadOptions &options) {
  // Products that overlap with others are there once, so loops are united
  // before; but 2 to 7 % of the time of long rows goes with it where every
  // round asks.
  gpu::UniteLoopsPassOptions unite;
  unite.marksLate = unite.fewTiles = true;
  pm.addNestedPass<gpu::KernelOp>(gpu::createUniteLoopsPass(unite));
  gpu::ShareLastWavePassOptions share;
  share.blocks = blocksOf(options);
  pm.addPass(gpu::createShareLastWavePass(share));
  gpu::SplitLastWavePassOptions split;
  split.blocks = blocksOf(options);
  pm.addPass(gpu::createSplitLastWavePass(split));
  pm.addNestedPass<gpu::KernelOp>(gpu::createRolesPass());
  // Rounds of whole tiles and of cut ones know now which they are.
  addToKernels(pm, createCanonicalizerPass(), gpu::createSpeculatePass(),
               gpu::createFoldScoresPass(), gpu::createSmallTanhPass(),
               gpu::createEarlyReadsPass());
}

/// The operands of the products that no role fetches.
static void buildOperands(OpPassManager &pm, const RoadOptions &options) {
  pm.addNestedPass<gpu::KernelOp>(gpu::createUniteLoopsPass());
  if (options.wideProducts == WideProducts::MatrixUnit)
    pm.addNestedPass<gpu::KernelOp>(gpu::createTF32ProductsPass());
  gpu::PrefetchPassOptions prefetch;
  if (options.depth)
    prefetch.depth = options.depth;
  addToKernels(pm, gpu::createPrefetchPass(prefetch),
               gpu::createSharedOperandsPass());
}

/// Bufferization, and the walks over rows that follow from sizes.
static void buildHost(OpPassManager &pm) {
  // What is left on the host is sizes, scratch memory and launches.
  pm.addPass(createBufferizePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  gpu::PersistentRowsPassOptions persistent;
  persistent.clusters = longestRowClusters;
  persistent.stagger = longestRowStagger;
  pm.addPass(gpu::createPersistentRowsPass(persistent));
}

/// What kernels with roles need once branches on sizes that are constants are
/// gone.
static void buildBufferizedRoles(OpPassManager &pm) {
  pm.addPass(gpu::createNextTilePass());
  pm.addPass(gpu::createMulticastPass());
  addToKernels(pm, gpu::createKeysFirstPass(), gpu::createRestScoresPass(),
               gpu::createExpectMovePass(), gpu::createLateWaitsPass(),
               gpu::createHiddenTilesPass(), gpu::createIdleGroupsPass(),
               gpu::createRisingTilesPass(), gpu::createTensorStoresPass());
  pm.addPass(gpu::createDrawTilesPass());
  pm.addPass(createCanonicalizerPass());
}

static void buildGpu(OpPassManager &pm, const RoadOptions &options) {
  const bool warpgroups = hasWarpgroups(options);
  buildNestsToKernels(pm, options, warpgroups);
  buildRowsOfBlocks(pm);
  if (warpgroups)
    buildRoles(pm, options);
  buildOperands(pm, options);
  buildHost(pm);
  if (warpgroups)
    buildBufferizedRoles(pm);
  addToKernels(pm, gpu::createToldByScorePass(), gpu::createSlidRowsPass(),
               gpu::createAdjacentRowsPass(), gpu::createOneProductPass(),
               gpu::createNextLoadsPass());
}

static void buildNvvm(OpPassManager &pm, const RoadOptions &options) {
  pm.addPass(createLowerAffinePass());
  NVVMLoweringOptions lowering;
  lowering.chip = options.chip;
  lowering.doublesOnMatrixUnit =
      options.wideProducts == WideProducts::MatrixUnit;
  buildNVVMPipeline(pm, lowering);
}

void mlir::smx::buildStage(OpPassManager &pm, Stage stage,
                           const RoadOptions &options) {
  switch (stage) {
  case Stage::Input:
    return;
  case Stage::Naive:
    buildNaive(pm);
    break;
  case Stage::Online: {
    pm.addPass(createTabulatePass());
    // Rows are the lanes of a vector on a CPU, and of a matrix unit on a GPU:
    // few of them leave most of it idle.
    if (options.target != Target::Cpu) {
      pm.addPass(createPackHeadsPass());
      pm.addPass(createFlattenColumnsPass());
    }
    OnlinePassOptions online;
    online.shortSums = options.target != Target::Cpu;
    pm.addPass(createOnlinePass(online));
    // Ops that take the same row to the same state do so once.
    pm.addPass(createCSEPass());
    pm.addPass(createCanonicalizerPass());
    break;
  }
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
  case Stage::Gpu:
    buildGpu(pm, options);
    break;
  case Stage::Nvvm:
    buildNvvm(pm, options);
    break;
  }
  if (options.verifyStages)
    pm.addPass(createVerifyStagePass(
        VerifyStagePassOptions{getStageInfo(stage).name.str()}));
}

void mlir::smx::buildRoad(OpPassManager &pm, Stage from, Stage to,
                          const RoadOptions &options) {
  for (const StageInfo &info : getStages())
    if (info.stage > from && info.stage <= to &&
        info.isOnRoadTo(options.target))
      buildStage(pm, info.stage, options);
}
