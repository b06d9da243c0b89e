//===- MemoryModel.cpp - which values are global memory -------------------===//

#include "MemoryModel.h"
#include "TileExtents.h"
#include "smx/IR/Smx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx;

Stage mlir::smx::findStage(func::FuncOp function) {
  Stage stage = Stage::Naive;
  function.walk([&](Operation *op) {
    auto isMemory = [](Type type) { return isa<BaseMemRefType>(type); };
    Stage least = Stage::Naive;
    if (llvm::any_of(op->getOperandTypes(), isMemory) &&
        !isa<bufferization::MaterializeInDestinationOp>(op))
      least = Stage::Cpu;
    else if (isa<scf::ForOp, scf::ForallOp>(op))
      least = Stage::Tiled;
    else if (isa<IdentityOp, UpdateOp, MergeOp, FinishOp, MaskOp>(op))
      least = Stage::Online;
    stage = std::max(stage, least);
  });
  return stage;
}

static bool isParallelLoop(Operation *op) {
  return isa<scf::ForallOp, scf::ParallelOp>(op);
}

static bool isLoop(Operation *op) {
  return isParallelLoop(op) || isa<scf::ForOp, scf::WhileOp>(op);
}

MemoryModel::MemoryModel(func::FuncOp function, Stage stage)
    : function(function), bodyIsOneTile(stage >= Stage::Tiled) {
  function.walk([&](Operation *op) {
    if (isParallelLoop(op))
      bodyIsOneTile = false;
  });
}

bool MemoryModel::isOutsideOfLoops(Operation *op) {
  for (op = op->getParentOp(); op != function; op = op->getParentOp())
    if (isLoop(op))
      return false;
  return true;
}

Residence MemoryModel::residenceOf(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  Residence residence = compute(value);
  known[value] = residence;
  return residence;
}

Residence MemoryModel::compute(Value value) {
  if (Value init = getLoopInit(value)) {
    Residence start = residenceOf(init);
    // What a loop makes of an empty tensor can be read, unlike the empty tensor
    // itself.
    if (start.place == Place::Free)
      start.place = isGlobalDestination(init) ? Place::Global : Place::Local;
    return start;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return {Place::Global, value};
  Place computed =
      bodyIsOneTile || !isOutsideOfLoops(op) ? Place::Local : Place::Global;
  return llvm::TypeSwitch<Operation *, Residence>(op)
      .Case<tensor::ExtractSliceOp, tensor::CastOp, memref::CastOp,
            memref::ReinterpretCastOp>(
          [&](auto view) { return residenceOf(view.getSource()); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            memref::ExpandShapeOp, memref::CollapseShapeOp>(
          [&](auto view) { return residenceOf(view.getSrc()); })
      .Case<memref::SubViewOp, tensor::ReshapeOp>(
          [&](auto view) { return residenceOf(view.getSource()); })
      .Case([&](bufferization::ToTensorOp view) {
        return residenceOf(view.getBuffer());
      })
      .Case([&](bufferization::ToBufferOp view) {
        return residenceOf(view.getTensor());
      })
      .Case([&](tensor::InsertSliceOp insert) {
        Residence destination = residenceOf(insert.getDest());
        if (destination.place == Place::Free)
          destination.place = isGlobalDestination(insert.getDest())
                                  ? Place::Global
                                  : Place::Local;
        return destination;
      })
      .Case<tensor::EmptyOp, linalg::FillOp>([&](auto) {
        return Residence{Place::Free, value};
      })
      .Case([&](arith::ConstantOp constant) {
        bool isSplat = isa<SplatElementsAttr>(constant.getValue());
        return Residence{isSplat ? Place::Free : Place::Global, value};
      })
      .Case([&](memref::GetGlobalOp) {
        return Residence{Place::Global, value};
      })
      .Case<IdentityOp, MergeOp, StreamingReductionOpInterface>([&](auto) {
        return Residence{Place::State, value};
      })
      .Default([&](Operation *) {
        return Residence{computed, value};
      });
}

bool MemoryModel::isGlobalDestination(Value destination) {
  Residence residence = residenceOf(destination);
  if (residence.place != Place::Free)
    return residence.place == Place::Global;
  // Fills in a function that is one tile start an accumulator.
  Operation *op = residence.root.getDefiningOp();
  return isOutsideOfLoops(op) && !(bodyIsOneTile && isa<linalg::FillOp>(op));
}

Block *MemoryModel::loadBlockOf(Value value, Operation *reader) {
  Operation *owner = value.getParentBlock()->getParentOp();
  for (Operation *op = owner; op != function; op = op->getParentOp())
    if (isLoop(op))
      return value.getParentBlock();
  Block *outermostLoop = nullptr;
  for (Block *block = reader->getBlock(); block->getParentOp() != function;
       block = block->getParentOp()->getBlock()) {
    Operation *parent = block->getParentOp();
    if (isParallelLoop(parent) || (!bodyIsOneTile && isLoop(parent)))
      outermostLoop = block;
  }
  return outermostLoop ? outermostLoop : &function.getBody().front();
}
