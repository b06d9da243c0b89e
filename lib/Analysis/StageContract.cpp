//===- StageContract.cpp - what holds at a stage --------------------------===//
//
// Each contract is a function from an op to success or a located error. They
// look at one op at a time, so that a stage is checked in one walk.
//
//===----------------------------------------------------------------------===//

#include "smx/Analysis/StageContract.h"

#include "TileExtents.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/ElementBits.h"
#include "smx/IR/Smx.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::smx;

static bool isStateOp(Operation *op) {
  return isa<IdentityOp, UpdateOp, MergeOp, FinishOp,
             StreamingReductionOpInterface>(op);
}

static bool isSpecificationOp(Operation *op) {
  return isa<SoftmaxOp, LogSoftmaxOp, LogSumExpOp, SoftmaxDotOp, LayerNormOp,
             RmsNormOp, CrossEntropyOp, CrossEntropyBackwardOp,
             SoftmaxBackwardOp, LogSoftmaxBackwardOp, TopKSoftmaxOp,
             AttentionOp>(op);
}

/// The error of an op: what breaks the contract, and a note that says what
/// would help.
static LogicalResult breaks(Operation *op, Stage stage, const Twine &what,
                            const Twine &remedy) {
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "breaks the contract of stage '"
                                  << getStageInfo(stage).name << "': " << what;
  diagnostic.attachNote() << remedy;
  return diagnostic;
}

static LogicalResult checkNaive(Operation *op) {
  if (isStateOp(op))
    return breaks(op, Stage::Naive, "it works on a state",
                  "states are made by smx-online, which leads to stage "
                  "'online'");
  return success();
}

static LogicalResult checkOnline(Operation *op, Stage stage) {
  if (isSpecificationOp(op))
    return breaks(op, stage, "it needs the whole row",
                  "smx-online replaces it by an explicit state");
  if (isa<linalg::SoftmaxOp>(op))
    return breaks(op, stage, "it needs the whole row",
                  "smx-raise makes smx.softmax of it, and smx-online an "
                  "explicit state");
  return success();
}

//===----------------------------------------------------------------------===//
// tiled
//===----------------------------------------------------------------------===//

namespace {
/// The streamed tensors of an update or a finish, and their maps; none if `op`
/// reads no stream.
struct Stream {
  ValueRange inputs;
  SmallVector<AffineMap> maps;
  /// Rows and the stream itself; columns are not tiled.
  unsigned numTiledDims = 0;

  bool isBounded() const {
    return llvm::all_of(llvm::zip_first(inputs, maps), [&](auto pair) {
      auto [input, map] = pair;
      return hasBoundedExtents(input, map, numTiledDims);
    });
  }
};
} // namespace

static Stream streamOf(Operation *op) {
  Stream stream;
  unsigned numStates = 0;
  if (auto update = dyn_cast<StreamingReductionOpInterface>(op)) {
    stream.inputs = update.getInputOperands();
    stream.maps = update.getOperandMaps();
    numStates = update.getStateOperands().size();
    stream.numTiledDims = update.getNumRows() + 1;
  } else if (auto finish = dyn_cast<FinishOp>(op);
             finish && finish.isStreamed()) {
    stream.inputs = finish.getInputs();
    stream.maps = finish.getOperandMaps();
    numStates = finish.getStates().size();
    stream.numTiledDims = finish.getNumRows() + 1;
  }
  stream.maps.erase(stream.maps.begin(), stream.maps.begin() + numStates);
  return stream;
}

static LogicalResult checkOutsideOfLoops(Operation *op, const Stream &stream) {
  constexpr int64_t maxTileBytes = 16 << 20;
  constexpr StringLiteral remedy = "smx-tile puts it into loops over tiles";
  if (!stream.isBounded())
    return breaks(op, Stage::Tiled,
                  "it is outside of all loops and works on whole rows of a "
                  "dynamic extent",
                  remedy);
  int64_t bytes = 0;
  for (Value input : stream.inputs) {
    auto type = cast<ShapedType>(input.getType());
    if (type.hasStaticShape())
      bytes += type.getNumElements() * elementBytes(type);
  }
  if (bytes <= maxTileBytes)
    return success();
  return breaks(op, Stage::Tiled,
                "it is outside of all loops, and its inputs of " +
                    Twine(bytes) + " bytes are more than one tile (" +
                    Twine(maxTileBytes) + " bytes)",
                remedy);
}

/// True if `loop` carries a state of `update` from tile to tile. A loop of the
/// program's own that has a whole reduction in it carries none of its states:
/// each of its rounds starts from the identity, which CSE moves in front of it.
static bool advancesState(StreamingReductionOpInterface update,
                          scf::ForOp loop) {
  return llvm::any_of(loop.getYieldedValues(), [&](Value yielded) {
    return yielded.getDefiningOp() == update.getOperation();
  });
}

static LogicalResult checkTiled(Operation *op) {
  if (failed(checkOnline(op, Stage::Tiled)))
    return failure();
  Stream stream = streamOf(op);
  if (stream.inputs.empty())
    return success();
  if (!op->getParentOfType<scf::ForallOp>() &&
      !op->getParentOfType<scf::ForOp>())
    return checkOutsideOfLoops(op, stream);
  if (!stream.isBounded())
    return breaks(op, Stage::Tiled,
                  "a tile of its input has an extent without a constant bound",
                  "smx-tile makes tiles of a static shape, and tails that are "
                  "smaller than a tile");
  auto update = dyn_cast<StreamingReductionOpInterface>(op);
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!update || !loop || !advancesState(update, loop))
    return success();
  for (Value state : update.getStateOperands())
    if (loop.isDefinedOutsideOfLoop(state))
      return breaks(op, Stage::Tiled,
                    "it starts from the same state in every round of the loop",
                    "a state that a loop advances is one of its iter_args");
  return success();
}

//===----------------------------------------------------------------------===//
// cpu and llvm
//===----------------------------------------------------------------------===//

static bool isTensor(Type type) { return isa<TensorType>(type); }

static bool hasTensorInSignature(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function && (llvm::any_of(function.getArgumentTypes(), isTensor) ||
                      llvm::any_of(function.getResultTypes(), isTensor));
}

static LogicalResult checkCpu(Operation *op) {
  if (isa_and_nonnull<SmxDialect>(op->getDialect()))
    return breaks(op, Stage::Cpu, "it is an smx op",
                  isSpecificationOp(op)
                      ? "smx-online makes a state of it, and smx-expand-state "
                        "arithmetic"
                      : "smx-expand-state writes it as arithmetic");
  constexpr StringLiteral remedy = "smx-bufferize turns tensors into memory";
  if (llvm::any_of(op->getResultTypes(), isTensor) ||
      llvm::any_of(op->getOperandTypes(), isTensor))
    return breaks(op, Stage::Cpu, "it has a value of tensor type", remedy);
  if (hasTensorInSignature(op))
    return breaks(op, Stage::Cpu, "its signature has a tensor", remedy);
  if (isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()))
    return breaks(op, Stage::Cpu, "it is linalg on memory",
                  "smx-cpu-vectorize makes loops of vector ops of it");
  return success();
}

static LogicalResult checkLlvm(Operation *op) {
  // By name: neither dialect has to be loaded for IR that does not use it.
  StringRef dialect = op->getName().getDialectNamespace();
  if (isa<ModuleOp>(op) || dialect == "llvm" || dialect == "omp")
    return success();
  return breaks(op, Stage::Llvm, "it is not in the llvm or the omp dialect",
                isa<UnrealizedConversionCastOp>(op)
                    ? "reconcile-unrealized-casts removes it when its source "
                      "and its users were converted"
                    : "convert-to-llvm and the conversions before it replace "
                      "it");
}

//===----------------------------------------------------------------------===//
// gpu and nvvm
//===----------------------------------------------------------------------===//

static LogicalResult checkGpu(Operation *op) {
  if (isa_and_nonnull<SmxDialect>(op->getDialect()))
    return breaks(op, Stage::Gpu, "it is an smx op",
                  "smx-expand-state writes it as arithmetic");
  if (hasTensorInSignature(op))
    return breaks(op, Stage::Gpu, "its signature has a tensor",
                  "smx-bufferize turns tensors into memory");
  StringRef dialect = op->getName().getDialectNamespace();
  // Tiles in a kernel have a layout: its verifier asks for it.
  if (!op->getParentOfType<::mlir::smx::gpu::KernelOp>() &&
      llvm::any_of(op->getResultTypes(), isTensor))
    return breaks(op, Stage::Gpu, "it has a tensor outside of a kernel",
                  "smx-gpu-kernels turns loop nests over tiles into "
                  "kernels; other tensor ops have no kernel yet");
  if (isa<scf::ForallOp>(op) && !isa<func::FuncOp>(op->getParentOp()))
    return breaks(op, Stage::Gpu,
                  "it has no kernel, as it stands in a loop or a branch",
                  "kernels are launched by the function itself: what is in "
                  "the loop or branch may be a function of its own, which the "
                  "caller repeats or not; --target=cpu takes it as it is");
  if (dialect == "linalg" || isa<scf::ForallOp>(op))
    return breaks(op, Stage::Gpu, "it has no kernel",
                  "smx-gpu-kernels makes kernels of the loop nests that "
                  "smx-tile builds");
  return success();
}

static LogicalResult checkNvvm(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (!op->getParentOfType<::mlir::gpu::GPUModuleOp>()) {
    // What the host does is kept elsewhere, as a plan; other code is no concern
    // of this stage.
    if (dialect != "smx" && dialect != "smx_gpu")
      return success();
    return breaks(op, Stage::Nvvm, "it is in no gpu.module",
                  "smx-gpu-to-nvvm puts the code of kernels into one");
  }
  if (dialect == "llvm" || dialect == "nvvm" || dialect == "gpu")
    return success();
  return breaks(op, Stage::Nvvm, "it is not code of one thread",
                "smx-gpu-to-nvvm replaces ops on tiles");
}

LogicalResult mlir::smx::verifyStage(ModuleOp module, Stage stage) {
  auto checkAt = [&](Operation *op) -> LogicalResult {
    switch (stage) {
    case Stage::Input:
      return success();
    case Stage::Naive:
      return checkNaive(op);
    case Stage::Online:
      return checkOnline(op, stage);
    case Stage::Tiled:
      return checkTiled(op);
    case Stage::Cpu:
      return checkCpu(op);
    case Stage::Llvm:
      return checkLlvm(op);
    case Stage::Gpu:
      return checkGpu(op);
    case Stage::Nvvm:
      return checkNvvm(op);
    }
    llvm_unreachable("every stage has a contract");
  };
  auto check = [&](Operation *op) -> LogicalResult {
    if (stage != Stage::Input && isa<ModuleOp>(op) && op != module)
      return breaks(op, stage, "it is inside of another one",
                    "functions of the outermost module alone are compiled; a "
                    "module in a file of its own would work");
    return checkAt(op);
  };
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    return failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
