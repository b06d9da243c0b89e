//===- KernelsPass.cpp - loop nests become kernels and launches -----------===//

#include "TileConverter.h"
#include "smx/Bufferize/BoundaryType.h"
#include "smx/GPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_KERNELSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {

/// One nest and the kernel that it becomes.
class KernelBuilder {
public:
  KernelBuilder(scf::ForallOp nest, StringRef name,
                const ScheduleOptions &options, int64_t alignment,
                int64_t sharedLimit)
      : nest(nest), name(name), options(options), alignment(alignment),
        sharedLimit(sharedLimit), host(nest) {}

  LogicalResult build();

private:
  void normalize();
  /// The kernel's value for one of the host: constants are repeated, all else
  /// becomes an argument.
  Value outside(Value value);
  /// The whole of a host tensor; an empty view for other values.
  GlobalView outsideTensor(Value tensor);
  /// A kernel argument that the launch binds to `operand`.
  Value argumentFor(Value operand);
  /// The memory that a result of the nest is written to.
  Value destinationOf(OpResult result);
  LogicalResult bindInductionVars(TileConverter &converter, OpBuilder &builder);

  scf::ForallOp nest;
  StringRef name;
  const ScheduleOptions &options;
  int64_t alignment, sharedLimit;
  OpBuilder host;
  KernelOp kernel;
  SmallVector<Value> operands;
  llvm::DenseMap<Value, Value> arguments;
  SmallVector<Operation *> erased;
  Value blocks;
};

Value KernelBuilder::argumentFor(Value operand) {
  Value &argument = arguments[operand];
  if (argument)
    return argument;
  operands.push_back(operand);
  argument = kernel.getBody().addArgument(operand.getType(), operand.getLoc());
  return argument;
}

Value KernelBuilder::outside(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(&kernel.getBody().front());
    return arith::ConstantOp::create(builder, value.getLoc(),
                                     cast<TypedAttr>(constant));
  }
  return argumentFor(value);
}

GlobalView KernelBuilder::outsideTensor(Value tensor) {
  if (nest->isAncestor(tensor.getParentBlock()->getParentOp()))
    return {};
  auto type = cast<RankedTensorType>(tensor.getType());
  Value &argument = arguments[tensor];
  if (!argument) {
    Value memref = bufferization::ToBufferOp::create(
        host, nest.getLoc(), mlir::smx::getBoundaryType(type), tensor,
        /*readOnly=*/true);
    argument = argumentFor(memref);
  }
  return {argument, type.getRank()};
}

Value KernelBuilder::destinationOf(OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  // The caller's memory, if all of the result goes there; whoever else reads
  // the result reads it there.
  SmallVector<Value> same{result};
  for (size_t i = 0; i < same.size(); ++i)
    for (Operation *user : same[i].getUsers()) {
      if (isa<tensor::CastOp>(user))
        same.push_back(user->getResult(0));
      auto into = dyn_cast<bufferization::MaterializeInDestinationOp>(user);
      if (!into || !isa<MemRefType>(into.getDest().getType()))
        continue;
      erased.push_back(into);
      OpBuilder::InsertionGuard guard(host);
      host.setInsertionPointAfter(nest);
      Value read = bufferization::ToTensorOp::create(
          host, result.getLoc(),
          memref::getTensorTypeFromMemRefType(into.getDest().getType()),
          into.getDest(), /*restrict=*/true);
      if (read.getType() != type)
        read = tensor::CastOp::create(host, result.getLoc(), type, read);
      result.replaceUsesWithIf(
          read, [&](OpOperand &use) { return use.getOwner() != into; });
      return into.getDest();
    }
  Value init = nest.getTiedOpOperand(result)->get();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(host, result.getLoc(), init, dim));
  auto memrefType = MemRefType::get(type.getShape(), type.getElementType());
  Value memory =
      memref::AllocOp::create(host, result.getLoc(), memrefType, sizes);
  OpBuilder::InsertionGuard guard(host);
  host.setInsertionPointAfter(nest);
  Value read = bufferization::ToTensorOp::create(host, result.getLoc(), type,
                                                 memory, /*restrict=*/true);
  result.replaceAllUsesWith(read);
  // smx-bufferize frees it.
  return memory;
}

/// Blocks are numbered with the last dimension of the nest fastest, in one
/// dimension of the grid: only that one may be longer than 65535.
LogicalResult KernelBuilder::bindInductionVars(TileConverter &converter,
                                               OpBuilder &builder) {
  Location loc = nest.getLoc();
  AffineExpr lower, upper;
  bindDims(builder.getContext(), lower, upper);
  SmallVector<OpFoldResult> lowers = nest.getMixedLowerBound(),
                            uppers = nest.getMixedUpperBound(),
                            steps = nest.getMixedStep();
  SmallVector<Value> counts;
  for (auto [from, to, step] : llvm::zip(lowers, uppers, steps)) {
    std::optional<int64_t> stride = getConstantIntValue(step);
    if (!stride)
      return nest.emitError("expected static steps of the loop over tiles");
    OpFoldResult count = affine::makeComposedFoldedAffineApply(
        host, loc, (upper - lower).ceilDiv(*stride), {from, to});
    counts.push_back(getValueOrCreateConstantIndexOp(host, loc, count));
  }
  blocks = arith::ConstantIndexOp::create(host, loc, 1);
  for (Value count : counts)
    blocks = arith::MulIOp::create(host, loc, blocks, count);

  Value rest =
      ::mlir::gpu::BlockIdOp::create(builder, loc, ::mlir::gpu::Dimension::x);
  for (unsigned dim = counts.size(); dim-- > 0;) {
    Value number = rest;
    if (dim != 0) {
      Value count = outside(counts[dim]);
      if (getConstantIntValue(counts[dim]) == 1) {
        number = arith::ConstantIndexOp::create(builder, loc, 0);
      } else {
        number = arith::RemUIOp::create(builder, loc, rest, count);
        rest = arith::DivUIOp::create(builder, loc, rest, count);
      }
    }
    Value step = arith::ConstantIndexOp::create(
        builder, loc, *getConstantIntValue(steps[dim]));
    number = arith::MulIOp::create(builder, loc, number, step);
    if (!isConstantIntValue(lowers[dim], 0)) {
      Value from = getConstantIntValue(lowers[dim])
                       ? arith::ConstantIndexOp::create(
                             builder, loc, *getConstantIntValue(lowers[dim]))
                             .getResult()
                       : outside(cast<Value>(lowers[dim]));
      number = arith::AddIOp::create(builder, loc, number, from);
    }
    converter.setScalar(nest.getInductionVar(dim), number);
  }
  return success();
}

/// Brings index arithmetic into the forms that the conversion knows: extents of
/// outside tensors are computed outside, affine maps in bodies written out.
void KernelBuilder::normalize() {
  nest.walk([&](tensor::DimOp dim) {
    if (dim.getConstantIndex() &&
        !nest->isAncestor(dim.getSource().getParentBlock()->getParentOp())) {
      Operation *index = dim.getIndex().getDefiningOp();
      if (index && nest->isAncestor(index))
        index->moveBefore(nest);
      dim->moveBefore(nest);
    }
  });
  SmallVector<affine::AffineApplyOp> applies;
  nest.walk([&](affine::AffineApplyOp apply) {
    if (isa<linalg::GenericOp>(apply->getParentOp()))
      applies.push_back(apply);
  });
  for (affine::AffineApplyOp apply : applies) {
    OpBuilder builder(apply);
    auto expanded =
        affine::expandAffineMap(builder, apply.getLoc(), apply.getAffineMap(),
                                llvm::to_vector(apply.getOperands()));
    apply.getResult().replaceAllUsesWith((*expanded)[0]);
    apply.erase();
  }
}

LogicalResult KernelBuilder::build() {
  normalize();
  FailureOr<TileClasses> classes = TileClasses::compute(nest);
  if (failed(classes))
    return failure();
  FailureOr<BlockSchedule> schedule = chooseSchedule(nest, *classes, options);
  if (failed(schedule))
    return failure();

  auto module = nest->getParentOfType<ModuleOp>();
  OpBuilder builder(module.getContext());
  builder.setInsertionPoint(nest->getParentOfType<func::FuncOp>());
  kernel = KernelOp::create(
      builder, nest.getLoc(), name, builder.getFunctionType({}, {}),
      /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr, schedule->warps,
      /*cluster=*/1, sharedLimit);
  builder.createBlock(&kernel.getBody());

  SmallVector<Value> memory;
  for (OpResult result : nest.getResults())
    memory.push_back(destinationOf(result));
  auto valueOutside = [&](Value value) { return outside(value); };
  auto tensorOutside = [&](Value tensor) { return outsideTensor(tensor); };
  TileConverter converter(builder, *classes, *schedule, valueOutside,
                          tensorOutside, alignment);
  if (failed(bindInductionVars(converter, builder)))
    return failure();
  for (auto [argument, destination] :
       llvm::zip(nest.getRegionIterArgs(), memory)) {
    int64_t rank = cast<RankedTensorType>(argument.getType()).getRank();
    converter.setDestination(argument, {argumentFor(destination), rank});
  }
  if (failed(converter.convertBlock(nest.getBody())))
    return failure();
  for (Operation &op : nest.getTerminator().getBody()->getOperations()) {
    auto insert = cast<tensor::ParallelInsertSliceOp>(op);
    if (failed(converter.store(insert.getLoc(), insert.getSource(),
                               insert.getDest(), insert.getMixedOffsets())))
      return failure();
  }
  ReturnOp::create(builder, nest.getLoc());
  kernel.setFunctionType(
      builder.getFunctionType(kernel.getBody().front().getArgumentTypes(), {}));

  Value one = arith::ConstantIndexOp::create(host, nest.getLoc(), 1);
  LaunchOp::create(host, nest.getLoc(), name, blocks, one, one, operands);
  remark::passed(
      nest.getLoc(),
      remark::RemarkOpts::name("BlockSchedule").category("smx-gpu-kernels"))
      << remark::metric("warps", schedule->warps)
      << remark::metric("rows", schedule->rowExtent);
  for (Operation *op : erased)
    op->erase();
  for (Operation *user : llvm::make_early_inc_range(nest->getUsers()))
    if (isa<tensor::CastOp>(user) && user->use_empty())
      user->erase();
  nest.erase();
  return success();
}

struct KernelsPass : mlir::smx::gpu::impl::KernelsPassBase<KernelsPass> {
  using KernelsPassBase::KernelsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    ScheduleOptions options{warps, warpgroups};
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      SmallVector<scf::ForallOp> nests(
          function.getBody().getOps<scf::ForallOp>());
      for (auto [number, nest] : llvm::enumerate(nests)) {
        std::string name = (function.getName() + "_kernel").str();
        if (number != 0)
          name += "_" + std::to_string(number);
        if (failed(KernelBuilder(nest, name, options, alignment, sharedLimit)
                       .build()))
          return signalPassFailure();
      }
    }
  }
};
} // namespace
