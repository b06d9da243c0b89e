//===- ShapeProgram.cpp - sizes of results from sizes of arguments --------===//

#include "smx/Evaluator/ShapeProgram.h"

#include "CallConditions.h"
#include "NumberReader.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::smx;

using ::smx::reference::Shape;
using Opcode = NumberProgram::Opcode;
using Number = NumberProgram::Number;

/// A copy of `function` in a module of its own, with the bodies of what it
/// calls in place of the calls; none if they can not be put there.
static OwningOpRef<ModuleOp> copyWithCalls(func::FuncOp function) {
  const bool calls =
      function.walk([](func::CallOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  auto module = function->getParentOfType<ModuleOp>();
  if (calls && module) {
    OwningOpRef<ModuleOp> copy = module.clone();
    PassManager passes(function->getContext());
    passes.addPass(
        createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
    return succeeded(passes.run(*copy)) ? std::move(copy)
                                        : OwningOpRef<ModuleOp>();
  }
  OwningOpRef<ModuleOp> copy = ModuleOp::create(function.getLoc());
  copy->push_back(function.clone());
  return copy;
}

/// Erases what is not computed, and assertions of the module, which are where
/// they stand.
static void eraseDead(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isa<cf::AssertOp>(op) || isOpTriviallyDead(&op))
      op.erase();
}

/// Replaces what `function` returns by the open extents of it, says what its
/// ops expect of open extents, and simplifies both.
static LogicalResult keepExtents(func::FuncOp function) {
  eraseDead(function.getBody().front());
  // Arithmetic on tensors says nothing of shapes; linalg does.
  PassManager structured(function->getContext(),
                         func::FuncOp::getOperationName());
  structured.addPass(createConvertElementwiseToLinalgPass());
  if (failed(structured.run(function)))
    return failure();
  insertCallConditions(function);
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
  passes.addPass(memref::createResolveShapedTypeResultDimsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createLowerAffinePass());
  return passes.run(function);
}

/// Sizes of arguments.
static std::optional<Number> readProperty(OpResult result,
                                          NumberProgram &program) {
  auto dim = dyn_cast<ShapedDimOpInterface>(result.getOwner());
  auto argument =
      dim ? dyn_cast<BlockArgument>(dim.getShapedValue()) : BlockArgument();
  std::optional<int64_t> position =
      argument ? getConstantIntValue(dim.getDimension()) : std::nullopt;
  // A dimension that is none has no size; the verifier lets it pass.
  if (!position || *position < 0 ||
      *position >= cast<ShapedType>(argument.getType()).getRank())
    return std::nullopt;
  return program.add(Opcode::Size, argument.getArgNumber(), *position);
}

/// An integer may be the place or the size of a slice.
static bool isKnownInCallOnly(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return type.isIntOrIndex() ||
         (shaped && shaped.hasRank() && !shaped.hasStaticShape());
}

ShapeProgram ShapeProgram::build(func::FuncOp function) {
  ShapeProgram program;
  for (Type type : function.getResultTypes()) {
    auto &sizes = program.sizes.emplace_back();
    for (int64_t size : cast<RankedTensorType>(type).getShape()) {
      sizes.emplace_back();
      if (!ShapedType::isDynamic(size))
        sizes.back() = program.numbers.addConstant(size);
    }
  }
  if (!llvm::hasSingleElement(function.getBody()) ||
      (llvm::none_of(function.getArgumentTypes(), isKnownInCallOnly) &&
       llvm::none_of(function.getResultTypes(), isKnownInCallOnly)))
    return program;

  // A module of arguments and results alone loads no dialect of tensors.
  function.getContext()->loadDialect<tensor::TensorDialect>();
  OwningOpRef<ModuleOp> scratch = copyWithCalls(function);
  auto copy = scratch ? scratch->lookupSymbol<func::FuncOp>(function.getName())
                      : func::FuncOp();
  if (!copy || !llvm::hasSingleElement(copy.getBody()) ||
      failed(keepExtents(copy)))
    return program;
  Block &body = copy.getBody().front();
  NumberReader reader(program.numbers, readProperty);
  for (auto assertion : body.getOps<cf::AssertOp>())
    if (std::optional<Number> holds = reader.read(assertion.getArg()))
      if (program.numbers.getConstant(*holds).value_or(0) == 0)
        program.conditions.push_back({*holds, assertion.getMsg().str()});
  ValueRange extents = body.getTerminator()->getOperands();
  for (auto &sizes : program.sizes)
    for (std::optional<Number> &size : sizes)
      if (!size) {
        size = reader.read(extents.front());
        extents = extents.drop_front();
      }
  return program;
}

llvm::Expected<std::vector<Shape>>
ShapeProgram::evaluate(ArrayRef<Shape> shapes,
                       ArrayRef<int64_t> integers) const {
  SmallVector<NumberProgram::Argument> arguments;
  for (auto [shape, integer] : llvm::zip_equal(shapes, integers))
    arguments.push_back({shape, /*strides=*/{}, integer});
  std::vector<int64_t> values = numbers.evaluate(arguments);
  for (const NumberProgram::Assertion &condition : conditions)
    if (values[condition.holds] == 0)
      return llvm::createStringError(condition.message);
  std::vector<Shape> results;
  for (const auto &known : sizes) {
    Shape &shape = results.emplace_back();
    for (std::optional<Number> size : known)
      shape.push_back(size ? values[*size] : -1);
  }
  return results;
}
