//===- LaunchPlan.cpp - what the host does to run a GPU function ----------===//

#include "smx/Evaluator/LaunchPlan.h"

#include "BodyProgram.h"
#include "smx/Evaluator/ScalarOps.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// An input of the arithmetic: a property of one argument.
struct Source {
  enum Kind { Size, Stride, Integer } kind;
  unsigned argument;
  int64_t dim;
};
} // namespace

struct LaunchPlan::Program {
  std::vector<Source> sources;
  std::optional<BodyProgram> body;
};

namespace mlir::smx {
class LaunchPlanBuilder {
public:
  LaunchPlanBuilder(func::FuncOp function, Block &block)
      : function(function), block(block),
        builder(OpBuilder::atBlockEnd(&block)),
        program(std::make_shared<LaunchPlan::Program>()) {}

  FailureOr<LaunchPlan> build();

private:
  using Number = LaunchPlan::Number;

  LogicalResult visit(Operation *op);
  LogicalResult visitLaunch(gpu::LaunchOp launch);
  FailureOr<LaunchPlan::Operand> memory(Value memref, Operation *user);
  /// The number of a value; none, with a diagnostic, if it is no arithmetic on
  /// sizes and integers.
  FailureOr<Number> number(OpFoldResult value, Operation *user);
  Value copy(Value value);
  Value source(Type type, Source source);
  Number addNumber(Value copied) {
    yielded.push_back(copied);
    return yielded.size() - 1;
  }

  func::FuncOp function;
  Block &block;
  OpBuilder builder;
  std::shared_ptr<LaunchPlan::Program> program;
  LaunchPlan plan;
  IRMapping copies;
  llvm::DenseMap<Value, Number> numbers;
  llvm::DenseMap<Value, unsigned> scratchNumbers;
  SmallVector<Value> yielded;
};
} // namespace mlir::smx

Value LaunchPlanBuilder::source(Type type, Source source) {
  program->sources.push_back(source);
  return block.addArgument(type, function.getLoc());
}

/// A copy of index arithmetic, or null if it needs more than properties of
/// arguments.
Value LaunchPlanBuilder::copy(Value value) {
  if (Value known = copies.lookupOrNull(value))
    return known;
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getType().isIntOrIndex())
      result = source(value.getType(),
                      {Source::Integer, argument.getArgNumber(), 0});
  } else if (auto dim = value.getDefiningOp<memref::DimOp>()) {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> position = dim.getConstantIndex();
    if (argument && position)
      result = source(value.getType(),
                      {Source::Size, argument.getArgNumber(), *position});
  } else if (auto metadata =
                 value.getDefiningOp<memref::ExtractStridedMetadataOp>()) {
    auto argument = dyn_cast<BlockArgument>(metadata.getSource());
    auto isIn = [&](ValueRange values) {
      return llvm::find(values, value) - values.begin();
    };
    if (!argument)
      return {};
    int64_t size = isIn(metadata.getSizes()),
            stride = isIn(metadata.getStrides());
    if (value == metadata.getOffset()) // The caller's pointer includes it.
      result = arith::ConstantIndexOp::create(builder, value.getLoc(), 0);
    else if (size < int64_t(metadata.getSizes().size()))
      result = source(value.getType(),
                      {Source::Size, argument.getArgNumber(), size});
    else
      result = source(value.getType(),
                      {Source::Stride, argument.getArgNumber(), stride});
  } else {
    Operation *op = value.getDefiningOp();
    if (!isa<arith::ConstantOp>(op) && !lookUpScalarOp(op, Rounding::None))
      return {};
    for (Value operand : op->getOperands())
      if (!copy(operand))
        return {};
    result = builder.clone(*op, copies)->getResult(0);
  }
  if (result)
    copies.map(value, result);
  return result;
}

FailureOr<LaunchPlan::Number> LaunchPlanBuilder::number(OpFoldResult folded,
                                                        Operation *user) {
  if (std::optional<int64_t> constant = getConstantIntValue(folded))
    return addNumber(
        arith::ConstantIndexOp::create(builder, user->getLoc(), *constant));
  auto value = cast<Value>(folded);
  auto known = numbers.find(value);
  if (known != numbers.end())
    return known->second;
  Value copied = copy(value);
  if (!copied)
    return user->emitOpError("needs a number on the host that does not follow "
                             "from the sizes, strides and integers of the "
                             "arguments");
  return numbers[value] = addNumber(copied);
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
    operand.numbers.push_back(
        addNumber(arith::ConstantIndexOp::create(builder, user->getLoc(), 0)));
    for (Source::Kind kind : {Source::Size, Source::Stride})
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        operand.numbers.push_back(addNumber(source(
            builder.getIndexType(), {kind, argument.getArgNumber(), dim})));
    return operand;
  }
  auto alloc = memref.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return user->emitOpError("needs memory that is neither an argument nor "
                             "allocated by the function");
  operand.memory = -1 - int(scratchNumbers.at(memref));
  operand.numbers.push_back(
      addNumber(arith::ConstantIndexOp::create(builder, user->getLoc(), 0)));
  SmallVector<Value> sizes, strides;
  for (OpFoldResult size : alloc.getMixedSizes()) {
    FailureOr<Number> added = number(size, user);
    if (failed(added))
      return failure();
    operand.numbers.push_back(*added);
    sizes.push_back(yielded[*added]);
  }
  Value stride = arith::ConstantIndexOp::create(builder, user->getLoc(), 1);
  for (Value size : llvm::reverse(sizes)) {
    strides.push_back(stride);
    stride = arith::MulIOp::create(builder, user->getLoc(), stride, size);
  }
  for (Value value : llvm::reverse(strides))
    operand.numbers.push_back(addNumber(value));
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
  func::ReturnOp::create(builder, function.getLoc(), yielded);
  auto body = BodyProgram::compile(block, Frame(Rounding::None));
  if (!body) {
    function.emitError(llvm::toString(body.takeError()));
    return failure();
  }
  program->body = std::move(*body);
  plan.program = std::move(program);
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
  auto numbers =
      func::FuncOp::create(function.getLoc(), "numbers",
                           FunctionType::get(function.getContext(), {}, {}));
  scratch->push_back(numbers);
  return LaunchPlanBuilder(copy, *numbers.addEntryBlock()).build();
}

std::vector<int64_t> LaunchPlan::evaluate(ArrayRef<Argument> arguments) const {
  BodyProgram::Registers registers(*program->body, 1);
  for (auto [i, source] : llvm::enumerate(program->sources)) {
    const Argument &argument = arguments[source.argument];
    *registers[i] =
        intSlot(source.kind == Source::Integer ? argument.integer
                : source.kind == Source::Size  ? argument.sizes[source.dim]
                                               : argument.strides[source.dim]);
  }
  program->body->run(registers, 1);
  std::vector<int64_t> results;
  for (unsigned number : program->body->getYields())
    results.push_back(registers[number]->i);
  return results;
}
