//===- LaunchPlan.cpp - what the host does to run a GPU function ----------===//

#include "smx/Evaluator/LaunchPlan.h"

#include "NumberReader.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::smx;

using Opcode = NumberProgram::Opcode;

/// Sizes, strides and offsets of arguments.
static std::optional<LaunchPlan::Number> readProperty(OpResult result,
                                                      NumberProgram &program) {
  Operation *op = result.getOwner();
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> position = dim.getConstantIndex();
    if (!argument || !position)
      return std::nullopt;
    return program.add(Opcode::Size, argument.getArgNumber(), *position);
  }
  auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op);
  auto argument = metadata ? dyn_cast<BlockArgument>(metadata.getSource())
                           : BlockArgument();
  if (!argument)
    return std::nullopt;
  if (result == metadata.getOffset()) // The caller's pointer includes it.
    return program.addConstant(0);
  for (auto [opcode, results] :
       {std::pair(Opcode::Size, metadata.getSizes()),
        std::pair(Opcode::Stride, metadata.getStrides())}) {
    auto found = llvm::find(results, result);
    if (found != results.end())
      return program.add(opcode, argument.getArgNumber(),
                         found - results.begin());
  }
  return std::nullopt;
}

namespace mlir::smx {
class LaunchPlanBuilder {
public:
  explicit LaunchPlanBuilder(func::FuncOp function)
      : function(function), reader(plan.numbers, readProperty) {}

  FailureOr<LaunchPlan> build();

private:
  using Number = LaunchPlan::Number;

  LogicalResult visit(Operation *op);
  LogicalResult visitLaunch(gpu::LaunchOp launch);
  FailureOr<LaunchPlan::Operand> memory(Value memref, Operation *user);
  /// The number of a value; none, with a diagnostic, if it is no arithmetic on
  /// sizes and integers.
  FailureOr<Number> number(OpFoldResult value, Operation *user);

  func::FuncOp function;
  LaunchPlan plan;
  NumberReader reader;
  llvm::DenseMap<Value, unsigned> scratchNumbers;
};
} // namespace mlir::smx

FailureOr<LaunchPlan::Number> LaunchPlanBuilder::number(OpFoldResult folded,
                                                        Operation *user) {
  if (std::optional<int64_t> constant = getConstantIntValue(folded))
    return plan.numbers.addConstant(*constant);
  if (std::optional<Number> known = reader.read(cast<Value>(folded)))
    return *known;
  return user->emitOpError("needs a number on the host that does not follow "
                           "from the sizes, strides and integers of the "
                           "arguments");
}

FailureOr<LaunchPlan::Operand> LaunchPlanBuilder::memory(Value memref,
                                                         Operation *user) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  auto type = cast<MemRefType>(memref.getType());
  LaunchPlan::Operand operand;
  operand.isMemory = true;
  operand.elementBytes = (type.getElementTypeBitWidth() + 7) / 8;
  auto add = [&](OpFoldResult value) -> LogicalResult {
    FailureOr<Number> added = number(value, user);
    if (succeeded(added))
      operand.numbers.push_back(*added);
    return added;
  };
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    Value base = view.getSource();
    if (auto metadata = base.getDefiningOp<memref::ExtractStridedMetadataOp>())
      base = metadata.getSource();
    FailureOr<LaunchPlan::Operand> root = memory(base, user);
    if (failed(root))
      return failure();
    operand.memory = root->memory;
    if (failed(add(view.getMixedOffsets()[0])))
      return failure();
    for (OpFoldResult value : llvm::concat<OpFoldResult>(
             view.getMixedSizes(), view.getMixedStrides()))
      if (failed(add(value)))
        return failure();
    return operand;
  }
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    operand.memory = argument.getArgNumber();
    operand.numbers.push_back(plan.numbers.addConstant(0));
    for (Opcode property : {Opcode::Size, Opcode::Stride})
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        operand.numbers.push_back(
            plan.numbers.add(property, argument.getArgNumber(), dim));
    return operand;
  }
  auto alloc = memref.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return user->emitOpError("needs memory that is neither an argument nor "
                             "allocated by the function");
  operand.memory = -1 - int(scratchNumbers.at(memref));
  operand.numbers.push_back(plan.numbers.addConstant(0));
  SmallVector<Number> sizes, strides;
  for (OpFoldResult size : alloc.getMixedSizes()) {
    FailureOr<Number> added = number(size, user);
    if (failed(added))
      return failure();
    operand.numbers.push_back(*added);
    sizes.push_back(*added);
  }
  Number stride = plan.numbers.addConstant(1);
  for (Number size : llvm::reverse(sizes)) {
    strides.push_back(stride);
    stride = plan.numbers.add(Opcode::Mul, stride, size);
  }
  llvm::append_range(operand.numbers, llvm::reverse(strides));
  return operand;
}

LogicalResult LaunchPlanBuilder::visitLaunch(gpu::LaunchOp launch) {
  LaunchPlan::Launch added;
  added.kernel = launch.getKernel().str();
  Value grid[] = {launch.getGridX(), launch.getGridY(), launch.getGridZ()};
  for (int dim : {0, 1, 2}) {
    FailureOr<Number> extent = number(grid[dim], launch);
    if (failed(extent))
      return failure();
    added.grid[dim] = *extent;
  }
  for (Value value : launch.getArguments()) {
    if (isa<MemRefType>(value.getType())) {
      FailureOr<LaunchPlan::Operand> operand = memory(value, launch);
      if (failed(operand))
        return failure();
      added.operands.push_back(*operand);
      continue;
    }
    FailureOr<Number> scalar = number(value, launch);
    if (failed(scalar))
      return failure();
    LaunchPlan::Operand operand;
    operand.numbers.push_back(*scalar);
    operand.elementBytes =
        value.getType().isIndex()
            ? 8
            : (value.getType().getIntOrFloatBitWidth() + 7) / 8;
    added.operands.push_back(operand);
  }
  plan.launches.push_back(std::move(added));
  return success();
}

LogicalResult LaunchPlanBuilder::visit(Operation *op) {
  if (auto launch = dyn_cast<gpu::LaunchOp>(op))
    return visitLaunch(launch);
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    LaunchPlan::Scratch scratch;
    scratch.elementBytes = (alloc.getType().getElementTypeBitWidth() + 7) / 8;
    for (OpFoldResult size : alloc.getMixedSizes()) {
      FailureOr<Number> extent = number(size, op);
      if (failed(extent))
        return failure();
      scratch.sizes.push_back(*extent);
    }
    scratchNumbers[alloc.getResult()] = plan.scratch.size();
    plan.scratch.push_back(std::move(scratch));
    return success();
  }
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    FailureOr<Number> holds = number(assertion.getArg(), op);
    if (failed(holds))
      return failure();
    plan.assertions.push_back({*holds, assertion.getMsg().str()});
    return success();
  }
  if (isMemoryEffectFree(op) || isa<memref::DeallocOp, func::ReturnOp>(op))
    return success();
  return op->emitOpError("can not be done on the host of a GPU function, "
                         "which computes sizes and launches kernels");
}

FailureOr<LaunchPlan> LaunchPlanBuilder::build() {
  for (Operation &op : function.getBody().front())
    if (failed(visit(&op)))
      return failure();
  return std::move(plan);
}

FailureOr<LaunchPlan> LaunchPlan::build(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a function of one block");
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(function.getLoc());
  func::FuncOp copy = function.clone();
  scratch->push_back(copy);
  PassManager passes(function->getContext(), func::FuncOp::getOperationName());
  // The kernels were not copied.
  passes.enableVerifier(false);
  passes.addPass(memref::createResolveShapedTypeResultDimsPass());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (failed(passes.run(copy)))
    return failure();
  return LaunchPlanBuilder(copy).build();
}
