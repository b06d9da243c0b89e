//===- ShapeProgram.cpp - sizes of results from sizes of arguments --------===//

#include "smx/Evaluator/ShapeProgram.h"

#include "BodyProgram.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// An input of the program: one extent of an argument, or the value of an
/// integer one.
struct Source {
  unsigned argument;
  std::optional<int64_t> dim;
};

/// A size that the program computes.
struct Target {
  size_t result, dim;
};
} // namespace

struct ShapeProgram::State {
  /// What the types say; -1 elsewhere.
  std::vector<Shape> shapes;
  std::vector<Source> sources;
  std::vector<Target> targets;
  std::optional<BodyProgram> program;
};

/// Replaces what `function` returns by the open extents of it, and simplifies.
static LogicalResult returnExtents(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  SmallVector<Value> extents;
  for (Value result : terminator->getOperands())
    for (auto [d, size] :
         llvm::enumerate(cast<RankedTensorType>(result.getType()).getShape()))
      if (ShapedType::isDynamic(size))
        extents.push_back(tensor::DimOp::create(
            builder, terminator->getLoc(), result, static_cast<int64_t>(d)));
  terminator->setOperands(extents);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           TypeRange(ValueRange(extents))));
  PassManager passes(function->getContext(), func::FuncOp::getOperationName());
  // A call into what was not copied is no error here.
  passes.enableVerifier(false);
  passes.addPass(memref::createResolveShapedTypeResultDimsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createLowerAffinePass());
  return passes.run(function);
}

namespace {
/// Copies index arithmetic into a block of its own, whose arguments are sizes.
class ArithmeticCopier {
public:
  ArithmeticCopier(Block &block, std::vector<Source> &sources)
      : block(block), builder(OpBuilder::atBlockEnd(&block)), sources(sources) {
  }

  /// The copy of `value`, or null if it needs more than sizes and integers.
  Value copy(Value value) {
    if (Value known = copies.lookupOrNull(value))
      return known;
    Value result = makeCopy(value);
    if (result)
      copies.map(value, result);
    return result;
  }

private:
  Value addSource(Value value, Source source) {
    sources.push_back(source);
    return block.addArgument(value.getType(), value.getLoc());
  }

  Value makeCopy(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      const bool isInteger = argument.getType().isIntOrIndex();
      return isInteger
                 ? addSource(value, {argument.getArgNumber(), std::nullopt})
                 : Value();
    }
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      auto argument = dyn_cast<BlockArgument>(dim.getSource());
      std::optional<int64_t> index = dim.getConstantIndex();
      return argument && index
                 ? addSource(value, {argument.getArgNumber(), index})
                 : Value();
    }
    if (!isa<arith::ConstantOp>(op) && !lookUpScalarOp(op, Rounding::None))
      return Value();
    for (Value operand : op->getOperands())
      if (!copy(operand))
        return Value();
    return builder.clone(*op, copies)->getResult(0);
  }

  Block &block;
  OpBuilder builder;
  std::vector<Source> &sources;
  IRMapping copies;
};
} // namespace

ShapeProgram ShapeProgram::build(func::FuncOp function) {
  auto state = std::make_shared<State>();
  bool isStatic = true;
  for (Type type : function.getResultTypes()) {
    Shape &shape = state->shapes.emplace_back();
    for (int64_t size : cast<RankedTensorType>(type).getShape()) {
      shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
      isStatic &= size >= 0;
    }
  }
  ShapeProgram result;
  result.state = state;
  if (isStatic || !llvm::hasSingleElement(function.getBody()))
    return result;

  OwningOpRef<ModuleOp> scratch = ModuleOp::create(function.getLoc());
  func::FuncOp copy = function.clone();
  scratch->push_back(copy);
  if (failed(returnExtents(copy)))
    return result;
  Operation *extents = copy.getBody().front().getTerminator();

  auto sizes =
      func::FuncOp::create(function.getLoc(), "sizes",
                           FunctionType::get(function.getContext(), {}, {}));
  scratch->push_back(sizes);
  Block &block = *sizes.addEntryBlock();
  ArithmeticCopier copier(block, state->sources);
  SmallVector<Value> known;
  unsigned next = 0;
  for (size_t r = 0; r < state->shapes.size(); ++r)
    for (size_t d = 0; d < state->shapes[r].size(); ++d) {
      if (state->shapes[r][d] >= 0)
        continue;
      if (Value value = copier.copy(extents->getOperand(next++))) {
        known.push_back(value);
        state->targets.push_back({r, d});
      }
    }
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  func::ReturnOp::create(builder, function.getLoc(), known);
  auto program = BodyProgram::compile(block, Frame(Rounding::None));
  if (program)
    state->program = std::move(*program);
  else
    llvm::consumeError(program.takeError()); // the sizes stay open
  return result;
}

std::vector<Shape> ShapeProgram::evaluate(ArrayRef<Shape> shapes,
                                          ArrayRef<int64_t> integers) const {
  std::vector<Shape> results = state->shapes;
  if (!state->program)
    return results;
  BodyProgram::Registers registers(*state->program, 1);
  for (auto [i, source] : llvm::enumerate(state->sources))
    *registers[i] = intSlot(source.dim ? shapes[source.argument][*source.dim]
                                       : integers[source.argument]);
  state->program->run(registers, 1);
  for (auto [target, number] :
       llvm::zip(state->targets, state->program->getYields()))
    results[target.result][target.dim] = registers[number]->i;
  return results;
}
