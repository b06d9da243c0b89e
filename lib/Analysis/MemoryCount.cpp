//===- MemoryCount.cpp - bytes of global memory ---------------------------===//
//
// First every op says what it reads and writes (Accesses), then the loops are
// run and each access is multiplied by how often its block runs.
//
//===----------------------------------------------------------------------===//

#include "MemoryCount.h"

#include "ArithmeticCount.h"
#include "MemoryModel.h"
#include "smx/IR/ElementBits.h"
#include "smx/IR/Smx.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx;

namespace {

/// A tile of global memory that is read or written as a whole when its block
/// runs.
struct TileAccess {
  Value tile;
  bool isWrite;
};

/// A tile that is read or written in single elements, or vectors of them. What
/// a loop nest outside of parallel loops (one op of an earlier stage) moves is
/// counted for each `nest`; it is null anywhere else.
using ElementTile = std::tuple<Value, /*isWrite=*/int, Operation *>;

/// Single elements or vectors of a tile, read or written each time the block
/// runs; together at most the tile, once for each time that `loadBlock` runs.
struct ElementAccess {
  ElementTile tile;
  Block *loadBlock;
  /// Elements of one access, and the linalg op that repeats it for each point
  /// of its domain.
  int64_t elements;
  linalg::LinalgOp repeatedBy;
};

/// What the ops of a function read and write in global memory, by the block
/// that does it.
class Accesses {
public:
  Accesses(func::FuncOp function, Stage stage)
      : function(function), memory(function, stage) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { add(op); });
  }

  llvm::DenseMap<Block *, SmallVector<TileAccess>> tiles;
  llvm::DenseMap<Block *, SmallVector<ElementAccess>> elements;

private:
  void add(Operation *op);
  void addLinalg(linalg::LinalgOp op);
  void addInsert(Operation *op, Value source, Value destination);
  void addResults(Operation *op);
  void addReturn(func::ReturnOp op);
  void read(Operation *op, Value value) { access(op, value, false); }
  void access(Operation *op, Value value, bool isWrite);
  void accessElements(Operation *op, Value value, bool isWrite, Type type,
                      linalg::LinalgOp repeatedBy = {});

  func::FuncOp function;
  MemoryModel memory;
  llvm::DenseSet<std::tuple<Block *, Value, void *, int>> seen;
};

void Accesses::access(Operation *op, Value value, bool isWrite) {
  if (!isa<RankedTensorType, MemRefType>(value.getType()) ||
      memory.residenceOf(value).place != Place::Global)
    return;
  Block *block = memory.loadBlockOf(value, op);
  // Outside of all loops each op reads for itself, unless all of them are one
  // tile.
  bool isTile = memory.isBodyOneTile() || !memory.isOutsideOfLoops(op);
  if (seen.insert({block, value, isTile ? nullptr : op, int(isWrite)}).second)
    tiles[block].push_back({value, isWrite});
}

void Accesses::accessElements(Operation *op, Value value, bool isWrite,
                              Type type, linalg::LinalgOp repeatedBy) {
  if (!isa<RankedTensorType, MemRefType>(value.getType()) ||
      memory.residenceOf(value).place != Place::Global)
    return;
  auto vector = dyn_cast<VectorType>(type);
  Operation *at = repeatedBy ? repeatedBy.getOperation() : op;
  Block *loadBlock = memory.loadBlockOf(value, at);
  Operation *nest = nullptr;
  auto loop = dyn_cast<scf::ForOp>(loadBlock->getParentOp());
  if (loop && loop.isDefinedOutsideOfLoop(value)) {
    nest = loop;
    loadBlock = loop->getBlock();
  }
  elements[at->getBlock()].push_back({{value, isWrite, nest},
                                      loadBlock,
                                      vector ? vector.getNumElements() : 1,
                                      repeatedBy});
}

void Accesses::addLinalg(linalg::LinalgOp op) {
  if (isa<linalg::FillOp>(op.getOperation()) && op.hasPureTensorSemantics())
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInit = op.isDpsInit(&operand);
    if (!isInit || op.payloadUsesValueFromOperand(&operand))
      read(op, operand.get());
    if (isInit && isa<MemRefType>(operand.get().getType()))
      access(op, operand.get(), /*isWrite=*/true);
  }
  op->walk([&](tensor::ExtractOp extract) {
    accessElements(extract, extract.getTensor(), /*isWrite=*/false,
                   extract.getType(), op);
  });
  addResults(op);
}

/// A slice that was computed where it belongs is not copied.
void Accesses::addInsert(Operation *op, Value source, Value destination) {
  Residence from = memory.residenceOf(source);
  if (from.root == memory.residenceOf(destination).root)
    return;
  read(op, source);
  if (!memory.isGlobalDestination(destination))
    return;
  // A parallel insert stands in the terminator of its loop.
  Operation *at =
      isa<tensor::ParallelInsertSliceOp>(op) ? op->getParentOp() : op;
  tiles[at->getBlock()].push_back({source, /*isWrite=*/true});
}

void Accesses::addResults(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    Residence residence = memory.residenceOf(result);
    // What is only inserted somewhere is written there.
    bool isKept = llvm::any_of(result.getUsers(), [](Operation *user) {
      return !isa<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(user);
    });
    if (residence.place == Place::Global && residence.root == result && isKept)
      tiles[op->getBlock()].push_back({result, /*isWrite=*/true});
  }
}

void Accesses::addReturn(func::ReturnOp op) {
  for (Value value : op.getOperands())
    if (isa<RankedTensorType>(value.getType()) &&
        memory.residenceOf(value).place != Place::Global)
      tiles[op->getBlock()].push_back({value, /*isWrite=*/true});
}

void Accesses::add(Operation *op) {
  // The body of a linalg op or of an attention belongs to the op.
  if (op->getParentOfType<linalg::LinalgOp>() ||
      op->getParentOfType<AttentionOp>())
    return;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](linalg::LinalgOp linalgOp) { addLinalg(linalgOp); })
      .Case([&](func::ReturnOp returned) { addReturn(returned); })
      .Case([&](StreamingReductionOpInterface update) {
        for (Value input : update.getInputOperands())
          read(op, input);
      })
      .Case([&](FinishOp finish) {
        for (Value input : finish.getInputs())
          read(op, input);
        addResults(op);
      })
      .Case<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(
          [&](auto insert) {
            addInsert(op, insert.getSource(), insert.getDest());
          })
      .Case([&](bufferization::MaterializeInDestinationOp materialize) {
        if (memory.residenceOf(materialize.getSource()).place != Place::Global)
          tiles[op->getBlock()].push_back({materialize.getSource(), true});
      })
      .Case([&](memref::CopyOp copy) {
        if (copy.getSource() == copy.getTarget())
          return;
        read(op, copy.getSource());
        access(op, copy.getTarget(), /*isWrite=*/true);
      })
      .Case<vector::LoadOp, vector::MaskedLoadOp, vector::GatherOp>(
          [&](auto load) {
            accessElements(op, load.getBase(), false, load.getType());
          })
      .Case<vector::StoreOp, vector::MaskedStoreOp>([&](auto store) {
        accessElements(op, store.getBase(), true,
                       store.getValueToStore().getType());
      })
      .Case([&](vector::TransferReadOp load) {
        accessElements(op, load.getBase(), false, load.getType());
      })
      .Case([&](vector::TransferWriteOp store) {
        accessElements(op, store.getBase(), true, store.getVector().getType());
      })
      .Case([&](memref::LoadOp load) {
        accessElements(op, load.getMemRef(), false, load.getType());
      })
      .Case([&](memref::StoreOp store) {
        accessElements(op, store.getMemRef(), true,
                       store.getValueToStore().getType());
      })
      .Case([&](tensor::ExtractOp extract) {
        accessElements(op, extract.getTensor(), false, extract.getType());
      })
      // Views, extents and what only passes a value on move nothing.
      .Case<tensor::ExtractSliceOp, tensor::CastOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp, tensor::ReshapeOp, tensor::DimOp,
            bufferization::ToTensorOp, bufferization::ToBufferOp, IdentityOp,
            MergeOp, scf::IfOp, LoopLikeOpInterface, CallOpInterface>(
          [](auto) {})
      .Case([&](DestinationStyleOpInterface dps) {
        for (OpOperand *input : dps.getDpsInputOperands())
          read(op, input->get());
        addResults(op);
      })
      .Default([&](Operation *) {
        auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
        if (op->hasTrait<OpTrait::IsTerminator>() ||
            op->hasTrait<OpTrait::ConstantLike>() ||
            llvm::none_of(op->getResultTypes(), isTensor))
          return;
        for (Value operand : op->getOperands())
          read(op, operand);
        addResults(op);
      });
}

/// Bytes of one tile that single accesses read or write.
struct ElementBytes {
  int64_t accessed = 0, footprint = 0;
};
} // namespace

/// Bytes of `elements` elements of the type of `shaped`.
static int64_t bytesOf(Value shaped, int64_t elements) {
  return elements * elementBytes(shaped.getType());
}

void mlir::smx::countMemory(func::FuncOp function, Stage stage,
                            LoopRounds &rounds, ::smx::Work &work) {
  Accesses accesses(function, stage);
  IndexEvaluator &evaluator = rounds.getEvaluator();
  auto bytesOfTile = [&](Value tile) {
    std::optional<int64_t> elements = evaluator.elementsOf(tile);
    if (!elements)
      rounds.leaveOut("tensors of dynamic extents");
    return bytesOf(tile, elements.value_or(0));
  };
  llvm::MapVector<ElementTile, ElementBytes> single;
  llvm::DenseMap<Block *, llvm::SetVector<ElementTile>> footprints;
  for (auto &[block, list] : accesses.elements)
    for (const ElementAccess &access : list)
      footprints[access.loadBlock].insert(access.tile);

  rounds.run([&](Block &block, int64_t times) {
    if (auto tiles = accesses.tiles.find(&block); tiles != accesses.tiles.end())
      for (const TileAccess &access : tiles->second)
        (access.isWrite ? work.bytesWritten : work.bytesRead) +=
            times * bytesOfTile(access.tile);
    if (auto list = accesses.elements.find(&block);
        list != accesses.elements.end())
      for (const ElementAccess &access : list->second) {
        int64_t repeats = 1;
        if (access.repeatedBy)
          repeats = domainSizeOf(access.repeatedBy, evaluator).value_or(0);
        single[access.tile].accessed +=
            times *
            bytesOf(std::get<Value>(access.tile), access.elements * repeats);
      }
    if (auto tiles = footprints.find(&block); tiles != footprints.end())
      for (const ElementTile &tile : tiles->second)
        single[tile].footprint += times * bytesOfTile(std::get<Value>(tile));
  });
  for (auto &[tile, bytes] : single)
    (std::get<int>(tile) ? work.bytesWritten : work.bytesRead) +=
        std::min(bytes.accessed, bytes.footprint);
}
