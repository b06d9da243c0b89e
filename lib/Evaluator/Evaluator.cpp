//===- Evaluator.cpp - functions, calls, control flow ---------------------===//

#include "smx/Evaluator/Evaluator.h"

#include "Frame.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// The values that a block's terminator passes on.
using Values = SmallVector<RuntimeValue>;

/// Evaluates the ops of one function; calls recurse.
class FunctionEvaluator {
public:
  FunctionEvaluator(Rounding rounding, EvaluationNotes *notes)
      : frame(rounding, notes) {}
  llvm::Expected<Values> run(func::FuncOp function, Values arguments);

private:
  llvm::Expected<Values> runBlock(Block &block);
  llvm::Error runOp(Operation *op);
  llvm::Expected<bool> runControlFlow(Operation *op);
  llvm::Error runCall(func::CallOp op);
  llvm::Error runFor(scf::ForOp op);
  llvm::Error runIf(scf::IfOp op);
  llvm::Error runApply(affine::AffineApplyOp op);

  Values get(ValueRange values) const;
  void set(ValueRange values, Values runtimes);

  Frame frame;
};
} // namespace

Values FunctionEvaluator::get(ValueRange values) const {
  Values runtimes;
  for (Value value : values)
    runtimes.push_back(frame.get(value));
  return runtimes;
}

void FunctionEvaluator::set(ValueRange values, Values runtimes) {
  for (auto [value, runtime] : llvm::zip_equal(values, runtimes))
    frame.set(value, std::move(runtime));
}

llvm::Error FunctionEvaluator::runCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee || callee.isDeclaration())
    return errorAt(op, "calls '" + op.getCallee() + "', which has no body");
  auto results = FunctionEvaluator(frame.getRounding(), frame.getNotes())
                     .run(callee, get(op.getOperands()));
  if (!results)
    return results.takeError();
  set(op.getResults(), std::move(*results));
  return llvm::Error::success();
}

llvm::Error FunctionEvaluator::runFor(scf::ForOp op) {
  const int64_t step = frame.integer(op.getStep());
  if (step <= 0)
    return errorAt(op, "has a step of " + Twine(step));
  Values carried = get(op.getInitArgs());
  for (int64_t i = frame.integer(op.getLowerBound()),
               end = frame.integer(op.getUpperBound());
       i < end; i += step) {
    frame.set(op.getInductionVar(), intSlot(i));
    set(op.getRegionIterArgs(), std::move(carried));
    auto yielded = runBlock(*op.getBody());
    if (!yielded)
      return yielded.takeError();
    carried = std::move(*yielded);
  }
  set(op.getResults(), std::move(carried));
  return llvm::Error::success();
}

llvm::Error FunctionEvaluator::runIf(scf::IfOp op) {
  Region &taken = frame.integer(op.getCondition()) ? op.getThenRegion()
                                                   : op.getElseRegion();
  if (taken.empty())
    return llvm::Error::success();
  auto yielded = runBlock(taken.front());
  if (!yielded)
    return yielded.takeError();
  set(op.getResults(), std::move(*yielded));
  return llvm::Error::success();
}

llvm::Error FunctionEvaluator::runApply(affine::AffineApplyOp op) {
  Builder builder(op->getContext());
  SmallVector<Attribute> operands, results;
  for (Value operand : op.getOperands())
    operands.push_back(builder.getIndexAttr(frame.integer(operand)));
  if (failed(op.getAffineMap().constantFold(operands, results)))
    return errorAt(op, "divides by zero");
  frame.set(op, intSlot(cast<IntegerAttr>(results.front()).getInt()));
  return llvm::Error::success();
}

llvm::Expected<bool> FunctionEvaluator::runControlFlow(Operation *op) {
  auto known = [](llvm::Error error) -> llvm::Expected<bool> {
    if (error)
      return error;
    return true;
  };
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    if (frame.integer(assertion.getArg()))
      return true;
    return errorAt(op, "fails: " + assertion.getMsg());
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return known(runCall(call));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return known(runFor(loop));
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return known(runIf(branch));
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return known(runApply(apply));
  return false;
}

llvm::Error FunctionEvaluator::runOp(Operation *op) {
  auto known = runControlFlow(op);
  for (auto *evaluate : {evaluateConstant, evaluateElementwiseOp,
                         evaluateTensorOp, evaluateLinalgOp, evaluateSpecOp}) {
    if (!known || *known)
      break;
    known = evaluate(op, frame);
  }
  if (!known)
    return known.takeError();
  if (!*known)
    return errorAt(op, "is not supported by the evaluator");
  return llvm::Error::success();
}

llvm::Expected<Values> FunctionEvaluator::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (llvm::Error error = runOp(&op))
      return error;
  return get(block.getTerminator()->getOperands());
}

llvm::Expected<Values> FunctionEvaluator::run(func::FuncOp function,
                                              Values arguments) {
  if (!llvm::hasSingleElement(function.getBody()))
    return errorAt(function, "has " +
                                 Twine(function.getBody().getBlocks().size()) +
                                 " blocks; the evaluator needs exactly one");
  set(function.getArguments(), std::move(arguments));
  return runBlock(function.getBody().front());
}

/// `input` as what a value of `type` is at run time.
static llvm::Expected<RuntimeValue> convertInput(func::FuncOp function,
                                                 size_t number, Type type,
                                                 const Tensor &input) {
  auto mismatch = [&]() {
    return errorAt(function, "takes " + debugString(type) + " as argument " +
                                 Twine(number) + ", but the input is " +
                                 ::smx::reference::toString(input.shape()));
  };
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (isa<BaseMemRefType>(type))
    return errorAt(function, "takes " + debugString(type) + " as argument " +
                                 Twine(number) +
                                 "; only functions of tensors are evaluated");
  if (!tensorType) {
    if (isa<ShapedType>(type) || input.rank() != 0)
      return mismatch();
    return RuntimeValue(loadElement(input[0], hasFloatElements(type)));
  }
  if (tensorType.getRank() != input.rank())
    return mismatch();
  for (auto [expected, size] : llvm::zip(tensorType.getShape(), input.shape()))
    if (!ShapedType::isDynamic(expected) && expected != size)
      return mismatch();
  return RuntimeValue(input);
}

llvm::Expected<std::vector<Tensor>>
mlir::smx::evaluate(func::FuncOp function, ArrayRef<Tensor> inputs,
                    Rounding rounding, EvaluationNotes *notes) {
  if (inputs.size() != function.getNumArguments())
    return errorAt(function, "takes " + Twine(function.getNumArguments()) +
                                 " arguments, but there are " +
                                 Twine(inputs.size()) + " inputs");
  Values arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto argument = convertInput(function, i, type, inputs[i]);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  auto results =
      FunctionEvaluator(rounding, notes).run(function, std::move(arguments));
  if (!results)
    return results.takeError();
  std::vector<Tensor> tensors;
  for (auto [type, result] : llvm::zip(function.getResultTypes(), *results)) {
    if (result.tensor)
      tensors.push_back(*result.tensor);
    else
      tensors.push_back(Tensor(
          Shape{}, storedElement(result.scalar, hasFloatElements(type))));
  }
  return tensors;
}
