//===- Records.cpp - programs and plans as JSON ---------------------------===//

#include "smx/Evaluator/Records.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Base64.h"

using namespace mlir::smx;
namespace json = llvm::json;
using Number = NumberProgram::Number;
using Opcode = NumberProgram::Opcode;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

json::Value mlir::smx::toJSON(const NumberProgram::Instruction &instruction) {
  const NumberProgram::OpcodeInfo &info =
      NumberProgram::getInfo(instruction.opcode);
  json::Array array{info.name};
  for (unsigned i = 0; i < info.numbers + info.literals; ++i)
    array.push_back(instruction.operands[i]);
  return array;
}

json::Value mlir::smx::toJSON(const NumberProgram &program) {
  return json::Array(program.getInstructions());
}

static std::optional<Opcode> findOpcode(llvm::StringRef name) {
  static const llvm::StringMap<Opcode> opcodes = [] {
    llvm::StringMap<Opcode> all;
    for (unsigned i = 0; i < NumberProgram::numOpcodes; ++i)
      all[NumberProgram::getInfo(Opcode(i)).name] = Opcode(i);
    return all;
  }();
  auto found = opcodes.find(name);
  if (found == opcodes.end())
    return std::nullopt;
  return found->second;
}

/// Why no instruction has these operands, if so.
static std::optional<llvm::StringLiteral>
findWrongLiteral(Opcode opcode, llvm::ArrayRef<int64_t> operands) {
  switch (opcode) {
  case Opcode::SExt:
  case Opcode::ZExt:
    if (operands[1] < 1 || operands[1] > 64)
      return llvm::StringLiteral("expected a width of 1 to 64 bits");
    return std::nullopt;
  case Opcode::Size:
  case Opcode::Stride:
  case Opcode::Integer:
    if (operands[0] < 0 || operands[1] < 0)
      return llvm::StringLiteral(
          "expected an argument and a dimension, counted from 0");
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Appends an instruction, which must be new to the program: numbers are
/// places.
static bool readInstruction(const json::Value &value, NumberProgram &program,
                            json::Path path) {
  const json::Array *array = value.getAsArray();
  const size_t place = program.getInstructions().size();
  auto name = array && !array->empty() ? array->front().getAsString()
                                       : std::optional<llvm::StringRef>();
  std::optional<Opcode> opcode = name ? findOpcode(*name) : std::nullopt;
  if (!opcode) {
    path.report("expected an opcode and its operands");
    return false;
  }
  const NumberProgram::OpcodeInfo &info = NumberProgram::getInfo(*opcode);
  std::array<int64_t, 3> operands{};
  if (array->size() != 1 + info.numbers + info.literals) {
    path.report("wrong number of operands");
    return false;
  }
  for (size_t i = 1; i < array->size(); ++i) {
    if (!json::fromJSON((*array)[i], operands[i - 1], path.index(i)))
      return false;
    if (i <= info.numbers && uint64_t(operands[i - 1]) >= place) {
      path.index(i).report("expected the place of an earlier instruction");
      return false;
    }
  }
  if (auto wrong = findWrongLiteral(*opcode, operands)) {
    path.report(*wrong);
    return false;
  }
  if (program.add(*opcode, operands[0], operands[1], operands[2]) == place)
    return true;
  path.report("expected an instruction that no earlier one stands for");
  return false;
}

bool mlir::smx::fromJSON(const json::Value &value, NumberProgram &program,
                         json::Path path) {
  const json::Array *array = value.getAsArray();
  if (!array) {
    path.report("expected an array of instructions");
    return false;
  }
  program = NumberProgram();
  for (auto [i, instruction] : llvm::enumerate(*array))
    if (!readInstruction(instruction, program, path.index(i)))
      return false;
  return true;
}

namespace mlir::smx {

static json::Value toJSON(const NumberProgram::Assertion &assertion) {
  return json::Object{{"holds", assertion.holds},
                      {"message", assertion.message}};
}

static bool fromJSON(const json::Value &value,
                     NumberProgram::Assertion &assertion, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("holds", assertion.holds) &&
         mapper.map("message", assertion.message);
}

} // namespace mlir::smx

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

json::Value mlir::smx::toJSON(const ShapeProgram &program) {
  return json::Object{{"numbers", toJSON(program.getNumbers())},
                      {"sizes", json::Value(program.getSizes().vec())},
                      {"conditions", json::Array(program.getConditions())}};
}

bool mlir::smx::fromJSON(const json::Value &value, ShapeProgram &program,
                         json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("numbers", program.numbers) ||
      !mapper.map("sizes", program.sizes) ||
      !mapper.map("conditions", program.conditions))
    return false;
  const size_t count = program.numbers.getInstructions().size();
  for (const auto &ofResult : program.sizes)
    for (std::optional<Number> size : ofResult)
      if (size && *size >= count) {
        path.field("sizes").report("expected the places of instructions");
        return false;
      }
  for (const NumberProgram::Assertion &condition : program.conditions)
    if (condition.holds >= count) {
      path.field("conditions").report("expected the places of instructions");
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral operandKinds[] = {"number", "argument",
                                                       "scratch", "constant"};

namespace mlir::smx {

static json::Value toJSON(const LaunchPlan::Operand &operand) {
  return json::Object{{"kind", operandKinds[unsigned(operand.kind)]},
                      {"memory", operand.memory},
                      {"numbers", operand.numbers},
                      {"bytes", operand.elementBytes}};
}

static bool fromJSON(const json::Value &value, LaunchPlan::Operand &operand,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::string kind;
  if (!mapper || !mapper.map("kind", kind) ||
      !mapper.map("memory", operand.memory) ||
      !mapper.map("numbers", operand.numbers) ||
      !mapper.map("bytes", operand.elementBytes))
    return false;
  const auto *known = llvm::find(operandKinds, kind);
  if (known == std::end(operandKinds)) {
    path.field("kind").report("unknown kind of operand");
    return false;
  }
  operand.kind = LaunchPlan::Kind(known - operandKinds);
  return true;
}

static json::Value toJSON(const LaunchPlan::Step &step) {
  if (const auto *copy = std::get_if<LaunchPlan::Copy>(&step))
    return json::Object{{"from", copy->from}, {"to", copy->to}};
  const auto &launch = std::get<LaunchPlan::Launch>(step);
  return json::Object{{"kernel", launch.kernel},
                      {"grid", json::Array(launch.grid)},
                      {"operands", launch.operands}};
}

static bool fromJSON(const json::Value &value, LaunchPlan::Step &step,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper)
    return false;
  if (value.getAsObject()->get("from")) {
    auto &copy = step.emplace<LaunchPlan::Copy>();
    return mapper.map("from", copy.from) && mapper.map("to", copy.to);
  }
  auto &launch = step.emplace<LaunchPlan::Launch>();
  std::vector<Number> grid;
  if (!mapper.map("kernel", launch.kernel) || !mapper.map("grid", grid) ||
      !mapper.map("operands", launch.operands))
    return false;
  if (grid.size() != std::size(launch.grid)) {
    path.field("grid").report("expected three numbers");
    return false;
  }
  llvm::copy(grid, launch.grid);
  return true;
}

static json::Value toJSON(const LaunchPlan::Scratch &scratch) {
  return json::Object{{"sizes", scratch.sizes},
                      {"bytes", scratch.elementBytes}};
}

static bool fromJSON(const json::Value &value, LaunchPlan::Scratch &scratch,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("sizes", scratch.sizes) &&
         mapper.map("bytes", scratch.elementBytes);
}

static json::Value toJSON(const LaunchPlan::Constant &constant) {
  return llvm::encodeBase64(constant.bytes);
}

static bool fromJSON(const json::Value &value, LaunchPlan::Constant &constant,
                     json::Path path) {
  std::string text;
  if (!json::fromJSON(value, text, path))
    return false;
  if (llvm::Error error = llvm::decodeBase64(text, constant.bytes)) {
    llvm::consumeError(std::move(error));
    path.report("expected base64");
    return false;
  }
  return true;
}

} // namespace mlir::smx

json::Value mlir::smx::toJSON(const LaunchPlan &plan) {
  return json::Object{{"numbers", toJSON(plan.getNumbers())},
                      {"steps", json::Array(plan.getSteps())},
                      {"scratch", json::Array(plan.getScratch())},
                      {"constants", json::Array(plan.getConstants())},
                      {"scalars", json::Array(plan.getScalars())},
                      {"aligned", json::Array(plan.getAligned())},
                      {"assertions", json::Array(plan.getAssertions())}};
}

bool mlir::smx::fromJSON(const json::Value &value, LaunchPlan &plan,
                         json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("numbers", plan.numbers) &&
         mapper.map("steps", plan.steps) &&
         mapper.map("scratch", plan.scratch) &&
         mapper.map("constants", plan.constants) &&
         mapper.map("scalars", plan.scalars) &&
         mapper.map("aligned", plan.aligned) &&
         mapper.map("assertions", plan.assertions);
}
