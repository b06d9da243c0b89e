//===- LaunchPlan.cpp - what the host does to run a GPU function ----------===//

#include "LaunchPlanBuilder.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx;

using Opcode = NumberProgram::Opcode;

LaunchPlanBuilder::LaunchPlanBuilder(func::FuncOp function, Operation *symbols)
    : function(function), symbols(symbols),
      reader(plan.numbers,
             [this](OpResult result, NumberProgram &) {
               return readProperty(result);
             }),
      aligned(function.getNumArguments()) {}

std::optional<LaunchPlan::Number>
LaunchPlanBuilder::readProperty(OpResult result) {
  Operation *op = result.getOwner();
  auto dim = dyn_cast<memref::DimOp>(op);
  auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op);
  if (!dim && !metadata)
    return std::nullopt;
  FailureOr<LaunchPlan::Operand> layout =
      memory(dim ? dim.getSource() : metadata.getSource(), op);
  if (failed(layout))
    return std::nullopt;
  if (metadata) // The base buffer, then the layout in the same order.
    return layout->numbers[result.getResultNumber() - 1];
  std::optional<int64_t> position = dim.getConstantIndex();
  // The verifier lets a dimension pass that is none.
  if (!position || *position < 0 ||
      *position >= cast<ShapedType>(dim.getSource().getType()).getRank())
    return std::nullopt;
  return layout->numbers[1 + *position];
}

FailureOr<LaunchPlan::Number> LaunchPlanBuilder::number(OpFoldResult folded,
                                                        Operation *user) {
  if (std::optional<int64_t> constant = getConstantIntValue(folded))
    return plan.numbers.addConstant(*constant);
  auto value = cast<Value>(folded);
  // Kernels take floats of the caller as they are.
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && isa<FloatType>(argument.getType()))
    return plan.numbers.add(Opcode::Integer, argument.getArgNumber());
  if (std::optional<Number> known = reader.read(value))
    return *known;
  return user->emitOpError("needs a number on the host that does not follow "
                           "from the sizes, strides and scalars of the "
                           "arguments");
}

/// True if the kernel moves elements of this memory one by one, wherever they
/// are. Copies, and roles that capture it, may do anything.
static bool isForAnyRows(Value memory) {
  return llvm::all_of(memory.getUsers(), [](Operation *user) {
    return llvm::TypeSwitch<Operation *, bool>(user)
        .Case<gpu::LoadOp, gpu::StoreOp>([](auto access) {
          return access.getAligned() == 0 && !access.getSlide();
        })
        .Default(false);
  });
}

void LaunchPlanBuilder::needAligned(const LaunchPlan::Operand &operand) {
  if (operand.kind == LaunchPlan::Kind::Argument)
    aligned.set(operand.memory);
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
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::KernelOp>(
      symbols, launch.getKernelAttr());
  for (auto [place, value] : llvm::enumerate(launch.getArguments())) {
    if (isa<MemRefType>(value.getType())) {
      FailureOr<LaunchPlan::Operand> operand = memory(value, launch);
      if (failed(operand))
        return failure();
      if (!kernel || !isForAnyRows(kernel.getBody().getArgument(place)))
        needAligned(*operand);
      added.operands.push_back(*operand);
      continue;
    }
    FailureOr<Number> scalar = number(value, launch);
    if (failed(scalar))
      return failure();
    LaunchPlan::Operand operand;
    operand.numbers.push_back(*scalar);
    operand.elementBytes = elementBytes(value.getType());
    added.operands.push_back(operand);
  }
  plan.steps.push_back(std::move(added));
  return success();
}

LogicalResult LaunchPlanBuilder::visitCopy(memref::CopyOp copy) {
  FailureOr<LaunchPlan::Operand> from = memory(copy.getSource(), copy),
                                 to = memory(copy.getTarget(), copy);
  if (failed(from) || failed(to))
    return failure();
  needAligned(*from);
  needAligned(*to);
  plan.steps.push_back(LaunchPlan::Copy{*from, *to});
  return success();
}

LogicalResult LaunchPlanBuilder::visit(Operation *op) {
  if (auto launch = dyn_cast<gpu::LaunchOp>(op))
    return visitLaunch(launch);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return visitCopy(copy);
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    LaunchPlan::Scratch scratch;
    scratch.elementBytes = elementBytes(alloc.getType());
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
  InFlightDiagnostic error =
      op->emitOpError("can not be done on the host of a GPU function, which "
                      "computes sizes, launches kernels and copies memory");
  if (isa<memref::LoadOp>(op))
    error
        << "; a number that is read from a tensor there has to be an argument "
           "of its own";
  return error;
}

FailureOr<LaunchPlan> LaunchPlanBuilder::build() {
  for (BlockArgument argument : function.getArguments())
    if (argument.getType().isIntOrIndexOrFloat())
      plan.scalars.push_back(argument.getArgNumber());
  for (Operation &op : function.getBody().front())
    if (failed(visit(&op)))
      return failure();
  for (unsigned argument : aligned.set_bits())
    plan.aligned.push_back(argument);
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
  return LaunchPlanBuilder(copy, function).build();
}

bool LaunchPlan::fits(ArrayRef<size_t> ranks) const {
  return numbers.fits(ranks) &&
         llvm::all_of(
             llvm::concat<const unsigned>(scalars, aligned),
             [&](unsigned argument) { return argument < ranks.size(); });
}
