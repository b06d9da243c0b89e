//===- TensorCopies.cpp - tiles moved by the tensor copy engine -----------===//
//
// The engine copies boxes of a tensor that a map in the kernel's parameters
// describes: address, sizes and strides of an argument, which the host knows at
// the launch, and the box, which the put says. A box is a panel of the tile,
// one span of the swizzle wide, so that it lands as `sharedOffset` says.
//
//===----------------------------------------------------------------------===//

#include "TensorCopies.h"

#include "SharedBarriers.h"
#include "smx/GPU/Captures.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx {

/// Rows of the tile that this block copies: all, or its part of a multicast.
static int64_t rowsOfBlock(gpu::PutOp op) {
  const int64_t rows = op.getChannel().getType().getShape()[0];
  return op.getMulticast()
             ? rows / op->getParentOfType<gpu::KernelOp>().getCluster()
             : rows;
}

/// The map of `memory`, for panels of `boxRows` rows and one span of `swizzle`.
static FailureOr<TensorMapUse> makeMap(Operation *op, Value memory,
                                       ArrayRef<int64_t> dims, int64_t boxRows,
                                       int64_t swizzle) {
  auto memref = cast<MemRefType>(memory.getType());
  constexpr int64_t mostDims = 5;
  if (memref.getRank() > mostDims)
    return op->emitOpError("copies by maps of at most 5 dimensions, got ")
           << memref;
  TensorMapUse map;
  std::optional<unsigned> argument = gpu::argumentOfKernel(memory);
  if (!argument)
    return op->emitOpError("copies from or to an argument of the kernel, of "
                           "which the host makes a map, got another memref");
  map.argument = *argument;
  Type element = memref.getElementType();
  llvm::raw_string_ostream(map.element) << element;
  map.swizzle = swizzle;
  // The columns of the tile are the innermost dimension of the map.
  int64_t rows = dims[0], columns = dims[1];
  for (int64_t d : llvm::seq(memref.getRank()))
    if (d != columns) {
      map.dims.push_back(d);
      map.box.push_back(d == rows ? boxRows : 1);
    }
  map.dims.push_back(columns);
  map.box.push_back(map.swizzle / elementBytes(element));
  return map;
}

FailureOr<TensorMapUse> tensorMapOf(gpu::PutOp op) {
  return makeMap(op, op.getSource(), op.getDims(), rowsOfBlock(op),
                 op.getChannel().getType().getSwizzle());
}

FailureOr<TensorMapUse> tensorMapOf(gpu::TensorStoreOp op) {
  return makeMap(op, op.getDestination(), op.getDims(), fragmentRows,
                 op.getShared().getType().getSwizzle());
}

/// What a value may be that a loop or a branch hands on; nothing for others.
static SmallVector<Value> sourcesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(value.getParentBlock()->getParentOp());
    if (!loop)
      return {};
    OpOperand *init = loop.getTiedLoopInit(argument),
              *yielded = loop.getTiedLoopYieldedValue(argument);
    if (!init || !yielded)
      return {};
    return {init->get(), yielded->get()};
  }
  auto result = cast<OpResult>(value);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(result.getOwner())) {
    BlockArgument carried = loop.getTiedLoopRegionIterArg(result);
    return carried ? SmallVector<Value>{carried} : SmallVector<Value>();
  }
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    return {branch.thenYield().getOperand(result.getResultNumber()),
            branch.elseYield().getOperand(result.getResultNumber())};
  return {};
}

/// Whether a shared tile is a stage that only tensor copies fill, also where
/// loops over tiles of rows carry it.
static bool
isFilledByTensorCopies(Value tile,
                       const llvm::DenseSet<Operation *> &fromTensorCopies) {
  llvm::SmallSetVector<Value, 4> tiles;
  tiles.insert(tile);
  for (unsigned i = 0; i < tiles.size(); ++i) {
    Operation *get = tiles[i].getDefiningOp();
    if (get && fromTensorCopies.contains(get))
      continue;
    SmallVector<Value> sources = sourcesOf(tiles[i]);
    if (sources.empty())
      return false;
    tiles.insert_range(sources);
  }
  return true;
}

LogicalResult KernelPlan::addTensorCopies(gpu::KernelOp kernel) {
  std::vector<TensorMapUse> &uses = kernelMaps[kernel];
  SmallVector<std::pair<Operation *, int64_t>> numbers;
  auto addMap = [&](Operation *op, FailureOr<TensorMapUse> map) {
    if (failed(map))
      return failure();
    auto known = llvm::find(uses, *map);
    numbers.push_back({op, known - uses.begin()});
    if (known == uses.end())
      uses.push_back(*map);
    return success();
  };
  llvm::DenseSet<Operation *> fromTensorCopies;
  for (auto channel : kernel.getBody().getOps<gpu::MakeChannelOp>()) {
    SmallVector<Operation *> users;
    collectUsers(channel.getChannel(), users);
    bool allByTensorCopies = llvm::none_of(users, llvm::IsaPred<gpu::DrawOp>);
    auto puts = llvm::map_to_vector(
        llvm::make_filter_range(users, llvm::IsaPred<gpu::PutOp>),
        [](Operation *user) { return cast<gpu::PutOp>(user); });
    const auto multicasts =
        llvm::count_if(puts, [](gpu::PutOp put) { return put.getMulticast(); });
    if (multicasts != 0 && multicasts != int64_t(puts.size()))
      return channel.emitOpError("is filled by ")
             << multicasts << " puts for the cluster and "
             << puts.size() - multicasts
             << " for their own block; its stages are for one or the other";
    if (multicasts != 0) {
      filledByCluster.insert(channel);
      filledByCluster.insert(users.begin(), users.end());
    }
    for (gpu::PutOp put : puts) {
      if (put.getCopy() != gpu::CopyKind::Tensor) {
        allByTensorCopies = false;
        continue;
      }
      if (failed(addMap(put, tensorMapOf(put))))
        return failure();
    }
    if (!allByTensorCopies)
      continue;
    for (Operation *user : users) {
      if (isa<gpu::GetOp>(user))
        fromTensorCopies.insert(user);
      if (isa<gpu::ReleaseOp>(user))
        releasedToEngine.insert(user);
    }
  }
  WalkResult stores = kernel.walk([&](gpu::TensorStoreOp store) {
    storingRoles.insert(store->getParentOfType<gpu::RoleOp>());
    return failed(addMap(store, tensorMapOf(store))) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
  if (stores.wasInterrupted())
    return failure();
  for (auto [op, number] : numbers)
    maps[op] = static_cast<int64_t>(uses.size()) - number;
  kernel.walk([&](Operation *op) {
    if (!isa<gpu::MmaOp, gpu::MmaAsyncOp>(op))
      return;
    for (Value operand : op->getOperands())
      if (isa<gpu::SharedType>(operand.getType()) &&
          !isFilledByTensorCopies(operand, fromTensorCopies))
        genericReaders.insert(op);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

ArrayAttr toAttribute(MLIRContext *context, ArrayRef<TensorMapUse> maps) {
  Builder b(context);
  return b.getArrayAttr(
      llvm::map_to_vector(maps, [&](const TensorMapUse &map) -> Attribute {
        return b.getDictionaryAttr(
            {b.getNamedAttr("argument", b.getI64IntegerAttr(map.argument)),
             b.getNamedAttr("element", b.getStringAttr(map.element)),
             b.getNamedAttr("dims", b.getDenseI64ArrayAttr(map.dims)),
             b.getNamedAttr("box", b.getDenseI64ArrayAttr(map.box)),
             b.getNamedAttr("swizzle", b.getI64IntegerAttr(map.swizzle))});
      }));
}

std::vector<TensorMapUse> tensorMapsOf(Operation *function) {
  std::vector<TensorMapUse> maps;
  auto attribute = function->getAttrOfType<ArrayAttr>(tensorMapsAttribute);
  if (!attribute)
    return maps;
  for (auto fields : attribute.getAsRange<DictionaryAttr>()) {
    TensorMapUse &map = maps.emplace_back();
    map.argument = fields.getAs<IntegerAttr>("argument").getInt();
    map.element = fields.getAs<StringAttr>("element").str();
    llvm::append_range(map.dims,
                       fields.getAs<DenseI64ArrayAttr>("dims").asArrayRef());
    llvm::append_range(map.box,
                       fields.getAs<DenseI64ArrayAttr>("box").asArrayRef());
    map.swizzle = fields.getAs<IntegerAttr>("swizzle").getInt();
  }
  return maps;
}

Type tensorMapType(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context);
}

DictionaryAttr tensorMapAttributes(MLIRContext *context) {
  Builder b(context);
  // 128 bytes, by value, and never copied to the stack.
  constexpr int64_t words = 16, alignment = 64;
  Type bytes = LLVM::LLVMArrayType::get(b.getI64Type(), words);
  return b.getDictionaryAttr(
      {b.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes)),
       b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(alignment)),
       b.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                      b.getUnitAttr())});
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Value mapParameter(const KernelPlan &plan, Operation *op) {
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  return function.getArgument(function.getNumArguments() -
                              plan.tensorMapFromEnd(op));
}

SmallVector<Value> boxCoordinates(ThreadCode &code, ValueRange offsets,
                                  ArrayRef<int64_t> dims, Value rows) {
  SmallVector<Value> coordinates;
  auto add = [&](int64_t d) {
    Value at = LLVM::TruncOp::create(code, code.getI32Type(), offsets[d]);
    coordinates.push_back(rows && d == dims[0] ? code.add(at, rows) : at);
  };
  add(dims[1]);
  for (int64_t d : llvm::reverse(llvm::seq<int64_t>(offsets.size())))
    if (d != dims[1])
      add(d);
  return coordinates;
}

void startTensorCopies(ThreadCode &code, gpu::PutOp op, Value map,
                       ValueRange offsets, Value destination, Value barrier) {
  gpu::SharedType type = op.getChannel().getType().getStageType();
  int64_t span = type.getSwizzle(),
          width = span / elementBytes(type.getElementType());
  // For a multicast: the rows of this rank, and all ranks they go to.
  Value firstRow, ranks;
  if (op.getMulticast()) {
    const int64_t blocks = code.team.cluster;
    firstRow = code.mul(NVVM::ClusterId::create(code, code.getI32Type()),
                        code.i32(type.getShape()[0] / blocks));
    ranks = LLVM::ConstantOp::create(
        code, code.getI16IntegerAttr((int64_t(1) << blocks) - 1));
    destination = code.advance(destination, code.mul(firstRow, code.i32(span)));
  }
  SmallVector<Value> coordinates =
      boxCoordinates(code, offsets, op.getDims(), firstRow);
  Value firstColumn = coordinates.front();
  for (int64_t panel = 0, e = type.getShape()[1] / width; panel < e; ++panel) {
    Value to = code.advance(destination, panel * type.getShape()[0] * span);
    coordinates.front() =
        panel ? code.add(firstColumn, code.i32(panel * width)) : firstColumn;
    copyTensor(code, to, map, coordinates, barrier, ranks);
  }
}

} // namespace mlir::smx
