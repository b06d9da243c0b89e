//===- BodyProgram.cpp - the body of a loop, looked up once ---------------===//

#include "BodyProgram.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx;

unsigned BodyProgram::addConstant(Slot value) {
  constants.push_back({numRegisters, value});
  return numRegisters++;
}

llvm::Expected<unsigned> BodyProgram::registerOf(Value value, Operation *user,
                                                 const Frame &outer) {
  auto found = registerNumbers.find(value);
  if (found != registerNumbers.end())
    return found->second;
  if (!outer.contains(value) || outer.get(value).tensor)
    return errorAt(user, "needs a scalar operand");
  unsigned number = addConstant(outer.get(value).scalar);
  registerNumbers[value] = number;
  return number;
}

/// Reads one element per lane; a place outside of the tensor is undefined, here
/// NaN or 0.
static void extractLanes(const Instruction &instruction, const Slot *const *in,
                         Slot *out, size_t lanes) {
  const Tensor &tensor = *instruction.tensor;
  const bool isFloat = instruction.isFloatTensor;
  for (size_t lane = 0; lane < lanes; ++lane) {
    int64_t offset = 0;
    bool inside = true;
    for (auto [d, size] : llvm::enumerate(tensor.shape())) {
      const int64_t index = in[d][lane].i;
      inside &= 0 <= index && index < size;
      offset = offset * size + index;
    }
    if (inside)
      out[lane] = loadElement(tensor[offset], isFloat);
    else
      out[lane] = isFloat ? floatSlot(std::numeric_limits<double>::quiet_NaN())
                          : intSlot(0);
  }
}

llvm::Error BodyProgram::addExtract(Operation *op, const Frame &outer) {
  auto extract = cast<tensor::ExtractOp>(op);
  if (!outer.contains(extract.getTensor()))
    return errorAt(op, "reads a tensor that is made inside of the body");
  Instruction instruction;
  instruction.kernel = extractLanes;
  instruction.tensor = outer.get(extract.getTensor()).tensor;
  instruction.isFloatTensor = hasFloatElements(extract.getType());
  for (Value index : extract.getIndices()) {
    auto number = registerOf(index, op, outer);
    if (!number)
      return number.takeError();
    instruction.operands.push_back(*number);
  }
  instruction.result = registerNumbers[extract.getResult()] = numRegisters++;
  instructions.push_back(std::move(instruction));
  return llvm::Error::success();
}

/// As the arithmetic that it is written as.
llvm::Error BodyProgram::addApply(Operation *op, const Frame &outer) {
  auto apply = cast<affine::AffineApplyOp>(op);
  Block block;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&block);
  auto results = affine::expandAffineMap(
      builder, op->getLoc(), apply.getAffineMap(), apply.getMapOperands());
  if (!results)
    return errorAt(op, "divides by a number that is not above 0");
  for (Operation &inner : block)
    if (llvm::Error error = addOp(&inner, outer))
      return error;
  auto number = registerOf(results->front(), op, outer);
  if (!number)
    return number.takeError();
  registerNumbers[apply.getResult()] = *number;
  for (Operation &inner : block)
    for (Value result : inner.getResults())
      registerNumbers.erase(result);
  return llvm::Error::success();
}

/// Lanes execute both branches, which have no effect, and choose.
llvm::Error BodyProgram::addBranches(Operation *op, const Frame &outer) {
  auto branches = cast<scf::IfOp>(op);
  for (Region &region : op->getRegions())
    for (Operation &inner :
         region.empty() ? llvm::make_range(Block::iterator(), Block::iterator())
                        : region.front().without_terminator()) {
      if (isa<cf::AssertOp>(inner))
        return errorAt(&inner, "is not supported in a branch");
      if (llvm::Error error = addOp(&inner, outer))
        return error;
    }
  if (branches.getNumResults() == 0)
    return llvm::Error::success();
  Block block;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&block);
  for (auto [result, yes, no] :
       llvm::zip(branches.getResults(), branches.thenYield().getOperands(),
                 branches.elseYield().getOperands())) {
    auto choice = arith::SelectOp::create(builder, op->getLoc(),
                                          branches.getCondition(), yes, no);
    if (llvm::Error error = addOp(choice, outer))
      return error;
    registerNumbers[result] = registerNumbers[choice];
    registerNumbers.erase(choice);
  }
  return llvm::Error::success();
}

llvm::Error BodyProgram::addOp(Operation *op, const Frame &outer) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    indices.push_back({index.getDim(), numRegisters});
    registerNumbers[index.getResult()] = numRegisters++;
    return llvm::Error::success();
  }
  if (isa<tensor::ExtractOp>(op))
    return addExtract(op, outer);
  if (isa<affine::AffineApplyOp>(op))
    return addApply(op, outer);
  if (isa<scf::IfOp>(op))
    return addBranches(op, outer);
  if (isa<cf::AssertOp>(op)) {
    auto number = registerOf(op->getOperand(0), op, outer);
    if (!number)
      return number.takeError();
    assertions.push_back({*number, op});
    return llvm::Error::success();
  }
  // What does not depend on the lanes is evaluated here and now.
  if (op->getNumRegions() == 0 &&
      llvm::all_of(op->getOperands(),
                   [&](Value value) { return outer.contains(value); })) {
    Frame once = outer;
    for (auto *evaluate : {evaluateConstant, evaluateTensorOp}) {
      auto known = evaluate(op, once);
      if (!known)
        return known.takeError();
      if (!*known)
        continue;
      for (Value result : op->getResults())
        registerNumbers[result] = addConstant(once.get(result).scalar);
      return llvm::Error::success();
    }
  }
  std::optional<Instruction> instruction =
      lookUpScalarOp(op, outer.getRounding());
  if (!instruction)
    return errorAt(op, "is not supported in a loop body");
  for (Value operand : op->getOperands()) {
    auto number = registerOf(operand, op, outer);
    if (!number)
      return number.takeError();
    instruction->operands.push_back(*number);
  }
  instruction->result = registerNumbers[op->getResult(0)] = numRegisters++;
  instructions.push_back(std::move(*instruction));
  return llvm::Error::success();
}

llvm::Expected<BodyProgram> BodyProgram::compile(Block &block,
                                                 const Frame &outer) {
  BodyProgram program;
  for (BlockArgument argument : block.getArguments())
    program.registerNumbers[argument] = program.numRegisters++;
  program.numArguments = program.numRegisters;
  for (Operation &op : block.without_terminator())
    if (llvm::Error error = program.addOp(&op, outer))
      return error;
  Operation *terminator = block.getTerminator();
  for (Value value : terminator->getOperands()) {
    auto number = program.registerOf(value, terminator, outer);
    if (!number)
      return number.takeError();
    program.yields.push_back(*number);
  }
  return program;
}

BodyProgram::Registers::Registers(const BodyProgram &program, size_t lanes)
    : lanes(lanes), slots(program.numRegisters * lanes, intSlot(0)) {
  for (auto [number, value] : program.constants)
    std::fill_n((*this)[number], lanes, value);
}

void BodyProgram::run(Registers &registers, size_t lanes) const {
  SmallVector<const Slot *, 4> operands;
  for (const Instruction &instruction : instructions) {
    operands.clear();
    for (unsigned number : instruction.operands)
      operands.push_back(registers[number]);
    execute(instruction, operands.data(), registers[instruction.result], lanes);
  }
  for (auto [number, op] : assertions)
    for (size_t lane = 0; lane < lanes && !registers.failed; ++lane)
      if (!registers[number][lane].i)
        registers.failed = op;
}

llvm::Error BodyProgram::failureOf(Operation *assertion) {
  if (!assertion)
    return llvm::Error::success();
  return errorAt(assertion, "fails: " + cast<cf::AssertOp>(assertion).getMsg());
}
