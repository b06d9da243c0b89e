//===- KernelsPass.cpp - loop nests become kernels and launches -----------===//

#include "BlockOrder.h"
#include "CallerMemory.h"
#include "NormalizeNest.h"
#include "RowAlignment.h"
#include "TileConverter.h"
#include "smx/Bufferize/BoundaryType.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
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
                const ScheduleOptions &options, int64_t sharedLimit,
                SymbolTable &symbols)
      : nest(nest), name(name), options(options), sharedLimit(sharedLimit),
        symbols(symbols), host(nest) {}

  LogicalResult build();

private:
  /// The kernel's value for one of the host: constants are repeated, and
  /// products with them that places are multiples of. So is arithmetic on
  /// floats, as the host of a launch has none. All else becomes an argument.
  Value outside(Value value);
  /// What an op of the host computes, in the kernel.
  Value repeated(OpResult result);
  /// As TileConverter::OutsideTensor.
  GlobalView outsideTensor(Value tensor, ArrayRef<Value> isFixed);
  /// The value before the nest of one in it; null if it depends on the nest.
  Value hostValueOf(Value value);
  /// A kernel argument that the launch binds to `operand`.
  Value argumentFor(Value operand);
  /// The memory that a result of the nest is written to.
  Value destinationOf(OpResult result);
  /// Whoever reads the result reads `memory`, after the nest.
  void readInstead(OpResult result, Value memory);

  scf::ForallOp nest;
  StringRef name;
  const ScheduleOptions &options;
  int64_t sharedLimit;
  SymbolTable &symbols;
  OpBuilder host;
  KernelOp kernel;
  SmallVector<Value> operands;
  llvm::DenseMap<Value, Value> arguments, copiesInKernel;
  /// What tensors of the host are in the kernel, each with its stops.
  struct OutsideView {
    Value tensor;
    SmallVector<Value> isFixed;
    Value argument;
    int64_t alignedTo;
  };
  SmallVector<OutsideView> outsideViews;
  SmallVector<Operation *> hostCopies;
  SmallVector<Operation *> erased;
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
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToStart(&kernel.getBody().front());
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, value.getLoc(),
                                     cast<TypedAttr>(constant));
  auto isFactorOfPlace = [&](Operation *user) {
    return isa<arith::MulIOp>(user) && nest->isAncestor(user);
  };
  if (auto product = value.getDefiningOp<arith::MulIOp>();
      product && matchPattern(product.getRhs(), m_Constant(&constant)) &&
      llvm::any_of(value.getUsers(), isFactorOfPlace)) {
    Value factor = arith::ConstantOp::create(builder, value.getLoc(),
                                             cast<TypedAttr>(constant));
    return arith::MulIOp::create(builder, value.getLoc(),
                                 argumentFor(product.getLhs()), factor);
  }
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  Operation *op = value.getDefiningOp();
  if (op && isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
      (llvm::any_of(op->getResultTypes(), isFloat) ||
       llvm::any_of(op->getOperandTypes(), isFloat)))
    return repeated(cast<OpResult>(value));
  return argumentFor(value);
}

Value KernelBuilder::repeated(OpResult result) {
  // All copies are at the start, in front of what uses them.
  if (Value known = copiesInKernel.lookup(result))
    return known;
  Operation *op = result.getOwner();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, outside(operand));
  Block &body = kernel.getBody().front();
  Operation *last = nullptr;
  for (Value operand : op->getOperands()) {
    Operation *made = mapping.lookup(operand).getDefiningOp();
    if (made && (!last || last->isBeforeInBlock(made)))
      last = made;
  }
  OpBuilder builder(kernel.getContext());
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(&body);
  Operation *copy = builder.clone(*op, mapping);
  for (auto [ofHost, ofKernel] :
       llvm::zip(op->getResults(), copy->getResults()))
    copiesInKernel[ofHost] = ofKernel;
  return copiesInKernel.lookup(result);
}

Value KernelBuilder::hostValueOf(Value value) {
  if (!nest->isAncestor(value.getParentBlock()->getParentOp()))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return {};
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value onHost = hostValueOf(operand);
    if (!onHost)
      return {};
    mapping.map(operand, onHost);
  }
  Operation *copy = host.clone(*op, mapping);
  // One copy for all equal ones: they tell equal views of a tensor.
  for (Operation *known : hostCopies)
    if (copy && OperationEquivalence::isEquivalentTo(
                    copy, known, OperationEquivalence::IgnoreLocations)) {
      copy->erase();
      copy = known;
      break;
    }
  if (!llvm::is_contained(hostCopies, copy))
    hostCopies.push_back(copy);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

/// True for a column, or every second element of a row, of a larger tensor:
/// neighbours of the slice are none in memory.
static bool isAcrossMemory(Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getType().getRank() == 0)
    return false;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  return dropped.test(dropped.size() - 1) ||
         !isOneInteger(slice.getMixedStrides().back());
}

GlobalView KernelBuilder::outsideTensor(Value tensor, ArrayRef<Value> isFixed) {
  if (nest->isAncestor(tensor.getParentBlock()->getParentOp()))
    return {};
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> conditions;
  for (Value condition : isFixed) {
    conditions.push_back(condition ? hostValueOf(condition) : Value());
    if (condition && !conditions.back())
      return {};
  }
  if (llvm::none_of(conditions, [](Value condition) { return condition; }))
    conditions.clear();
  for (const OutsideView &known : outsideViews)
    if (known.tensor == tensor && known.isFixed == conditions)
      return {known.argument, type.getRank(), known.alignedTo};
  Value dense = tensor;
  if (isAcrossMemory(tensor))
    dense = bufferization::AllocTensorOp::create(host, nest.getLoc(), type,
                                                 /*dynamicSizes=*/ValueRange(),
                                                 /*copy=*/tensor);
  Value memref = bufferization::ToBufferOp::create(
      host, nest.getLoc(), mlir::smx::getBoundaryType(type), dense,
      /*readOnly=*/true);
  if (!conditions.empty())
    memref = viewWithStops(host, nest.getLoc(), memref, conditions);
  outsideViews.push_back({tensor, conditions, argumentFor(memref),
                          alignmentOfRows(dense, options.alignment)});
  const OutsideView &view = outsideViews.back();
  return {view.argument, type.getRank(), view.alignedTo};
}

Value KernelBuilder::destinationOf(OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(
      host, result.getLoc(), nest.getTiedOpOperand(result)->get());
  // The caller's memory, if all of the result goes there; whoever else reads
  // the result reads it there.
  if (std::optional<CallerMemory> caller = findCallerMemory(result)) {
    Value memory = viewAsTensor(host, result.getLoc(), *caller, sizes);
    erased.push_back(caller->copy);
    erased.append(caller->reshapes.rbegin(), caller->reshapes.rend());
    readInstead(result, memory);
    return memory;
  }
  SmallVector<Value> dynamicSizes;
  for (OpFoldResult size : sizes)
    if (auto value = dyn_cast<Value>(size))
      dynamicSizes.push_back(value);
  auto memrefType = MemRefType::get(type.getShape(), type.getElementType());
  Value memory =
      memref::AllocOp::create(host, result.getLoc(), memrefType, dynamicSizes);
  readInstead(result, memory);
  // smx-bufferize frees it.
  return memory;
}

void KernelBuilder::readInstead(OpResult result, Value memory) {
  OpBuilder::InsertionGuard guard(host);
  host.setInsertionPointAfter(nest);
  Value read = bufferization::ToTensorOp::create(
      host, result.getLoc(),
      memref::getTensorTypeFromMemRefType(memory.getType()), memory,
      /*restrict=*/true);
  if (read.getType() != result.getType())
    read =
        tensor::CastOp::create(host, result.getLoc(), result.getType(), read);
  result.replaceAllUsesWith(read);
}

LogicalResult KernelBuilder::build() {
  FailureOr<TileClasses> classes = normalizeNest(nest);
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
      schedule->cluster, sharedLimit, schedule->minBlocks);
  schedule->giveHints(kernel);
  // By another name if there is something of this one.
  symbols.insert(kernel);
  builder.createBlock(&kernel.getBody());

  SmallVector<Value> memory;
  for (OpResult result : nest.getResults())
    memory.push_back(destinationOf(result));
  auto valueOutside = [&](Value value) { return outside(value); };
  auto tensorOutside = [&](Value tensor, ArrayRef<Value> isFixed) {
    return outsideTensor(tensor, isFixed);
  };
  TileConverter converter(builder, *classes, *schedule, valueOutside,
                          tensorOutside);
  int64_t mostBlocks = schedule->hasWarpgroups ? options.blocks : 0;
  BlockOrder order(nest, mostBlocks, schedule->cluster, options.deal);
  if (failed(order.countTiles(host)))
    return failure();
  for (auto [variable, place] : llvm::zip(
           nest.getInductionVars(), order.findTile(builder, valueOutside)))
    converter.setScalar(variable, place);
  if (schedule->cluster > 1) {
    Value rank = ClusterRankOp::create(builder, nest.getLoc());
    Value part = arith::ConstantIndexOp::create(
        builder, nest.getLoc(),
        schedule->paddedExtent(*schedule->spread, *classes));
    converter.setPart(arith::MulIOp::create(builder, nest.getLoc(), rank, part),
                      rank);
  }
  for (auto [argument, destination] :
       llvm::zip(nest.getRegionIterArgs(), memory)) {
    int64_t rank = cast<RankedTensorType>(argument.getType()).getRank();
    converter.setDestination(argument,
                             {argumentFor(destination), rank,
                              alignmentOfRows(destination, options.alignment)});
  }
  if (failed(converter.convertBlock(nest.getBody())))
    return failure();
  for (Operation &op : nest.getTerminator().getBody()->getOperations()) {
    auto insert = cast<tensor::ParallelInsertSliceOp>(op);
    if (failed(converter.store(insert.getLoc(), insert.getSource(),
                               insert.getDest(), insert.getMixedOffsets())))
      return failure();
  }
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  ReturnOp::create(builder, nest.getLoc());
  kernel.setFunctionType(
      builder.getFunctionType(kernel.getBody().front().getArgumentTypes(), {}));

  Value one = arith::ConstantIndexOp::create(host, nest.getLoc(), 1);
  LaunchOp::create(host, nest.getLoc(), kernel.getSymName(), order.getBlocks(),
                   one, one, operands);
  remark::passed(
      nest.getLoc(),
      remark::RemarkOpts::name("BlockSchedule").category("smx-gpu-kernels"))
      << remark::metric("warps", schedule->warps)
      << remark::metric("cluster", schedule->cluster)
      << remark::metric("rows", schedule->rowExtent)
      << remark::metric("most-blocks", mostBlocks)
      << remark::metric("longest-first", order.isLongestFirst())
      << remark::metric("dealt", order.isDealt())
      << remark::metric("short-last", order.isShortLast());
  for (Operation *op : erased)
    if (op->use_empty())
      op->erase();
  nest.erase();
  return success();
}
} // namespace

/// A name of what PTX allows in one: letters, digits and _, a digit not first.
static std::string kernelName(StringRef function) {
  std::string name = (function + "_kernel").str();
  if (llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}

namespace {
struct KernelsPass : mlir::smx::gpu::impl::KernelsPassBase<KernelsPass> {
  using KernelsPassBase::KernelsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(context,
                                   {{"warps", warps, /*least=*/0, /*most=*/32},
                                    {"blocks", blocks},
                                    {"deal", deal},
                                    {"alignment", alignment},
                                    {"shared-limit", sharedLimit},
                                    {"clusters", clusters, /*least=*/1}});
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    ScheduleOptions options{warps, warpgroups, blocks,
                            deal,  clusters,   alignment};
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      SmallVector<scf::ForallOp> nests(
          function.getBody().getOps<scf::ForallOp>());
      for (auto [number, nest] : llvm::enumerate(nests)) {
        std::string name = kernelName(function.getName());
        if (number != 0)
          name += "_" + std::to_string(number);
        if (failed(build(nest, name, options, symbols)))
          return signalPassFailure();
      }
    }
  }

  /// Builds the kernel. What converts tiles may fail without a diagnostic; then
  /// there is one of the nest.
  LogicalResult build(scf::ForallOp nest, StringRef name,
                      const ScheduleOptions &options, SymbolTable &symbols) {
    bool isSaid = false;
    ScopedDiagnosticHandler listener(&getContext(), [&](Diagnostic &said) {
      isSaid |= said.getSeverity() == DiagnosticSeverity::Error;
      return failure(); // others are to hear it, too
    });
    if (succeeded(
            KernelBuilder(nest, name, options, sharedLimit, symbols).build()))
      return success();
    if (!isSaid)
      nest.emitError("has a tile, or an extent of one, that no thread of a "
                     "kernel can be given; extents of arguments, and ops of "
                     "linalg and smx on tiles, would work");
    return failure();
  }
};
} // namespace
