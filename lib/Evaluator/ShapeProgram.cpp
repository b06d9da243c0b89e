//===- ShapeProgram.cpp - sizes of results from sizes of arguments --------===//

#include "smx/Evaluator/ShapeProgram.h"

#include "NumberReader.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::smx;

using ::smx::reference::Shape;
using Opcode = NumberProgram::Opcode;
using Number = NumberProgram::Number;

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

/// Sizes of arguments.
static std::optional<Number> readProperty(OpResult result,
                                          NumberProgram &program) {
  auto dim = dyn_cast<tensor::DimOp>(result.getOwner());
  auto argument =
      dim ? dyn_cast<BlockArgument>(dim.getSource()) : BlockArgument();
  std::optional<int64_t> position =
      argument ? dim.getConstantIndex() : std::nullopt;
  if (!position)
    return std::nullopt;
  return program.add(Opcode::Size, argument.getArgNumber(), *position);
}

ShapeProgram ShapeProgram::build(func::FuncOp function) {
  ShapeProgram program;
  bool isStatic = true;
  for (Type type : function.getResultTypes()) {
    auto &sizes = program.sizes.emplace_back();
    for (int64_t size : cast<RankedTensorType>(type).getShape()) {
      sizes.emplace_back();
      if (!ShapedType::isDynamic(size))
        sizes.back() = program.numbers.addConstant(size);
      isStatic &= sizes.back().has_value();
    }
  }
  if (isStatic || !llvm::hasSingleElement(function.getBody()))
    return program;

  // A module of arguments and results alone loads no dialect of tensors.
  function.getContext()->loadDialect<tensor::TensorDialect>();
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(function.getLoc());
  func::FuncOp copy = function.clone();
  scratch->push_back(copy);
  if (failed(returnExtents(copy)))
    return program;
  ValueRange extents = copy.getBody().front().getTerminator()->getOperands();
  NumberReader reader(program.numbers, readProperty);
  for (auto &sizes : program.sizes)
    for (std::optional<Number> &size : sizes)
      if (!size) {
        size = reader.read(extents.front());
        extents = extents.drop_front();
      }
  return program;
}

std::vector<Shape> ShapeProgram::evaluate(ArrayRef<Shape> shapes,
                                          ArrayRef<int64_t> integers) const {
  SmallVector<NumberProgram::Argument> arguments;
  for (auto [shape, integer] : llvm::zip_equal(shapes, integers))
    arguments.push_back({shape, /*strides=*/{}, integer});
  std::vector<int64_t> values = numbers.evaluate(arguments);
  std::vector<Shape> results;
  for (const auto &known : sizes) {
    Shape &shape = results.emplace_back();
    for (std::optional<Number> size : known)
      shape.push_back(size ? values[*size] : -1);
  }
  return results;
}
