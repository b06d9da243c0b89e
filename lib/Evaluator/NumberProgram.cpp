//===- NumberProgram.cpp - index arithmetic as a list of steps ------------===//

#include "smx/Evaluator/NumberProgram.h"

#include "IntegerDivision.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>

using namespace mlir::smx;
using Opcode = NumberProgram::Opcode;

const NumberProgram::OpcodeInfo &NumberProgram::getInfo(Opcode opcode) {
  static constexpr OpcodeInfo table[numOpcodes] = {
      {"size", 0, 2}, {"stride", 0, 2},   {"integer", 0, 1}, {"constant", 0, 1},
      {"add", 2, 0},  {"sub", 2, 0},      {"mul", 2, 0},     {"div", 2, 0},
      {"rem", 2, 0},  {"floordiv", 2, 0}, {"ceildiv", 2, 0}, {"divu", 2, 0},
      {"remu", 2, 0}, {"ceildivu", 2, 0}, {"min", 2, 0},     {"max", 2, 0},
      {"minu", 2, 0}, {"maxu", 2, 0},     {"and", 2, 0},     {"or", 2, 0},
      {"xor", 2, 0},  {"shl", 2, 0},      {"shr", 2, 0},     {"shru", 2, 0},
      {"eq", 2, 0},   {"ne", 2, 0},       {"lt", 2, 0},      {"le", 2, 0},
      {"ltu", 2, 0},  {"leu", 2, 0},      {"select", 3, 0},  {"sext", 1, 1},
      {"zext", 1, 1}};
  return table[unsigned(opcode)];
}

/// The result of an opcode that takes numbers, from their values; `literal` is
/// its literal.
static int64_t compute(Opcode opcode, int64_t a, int64_t b, int64_t c,
                       int64_t literal) {
  const auto ua = uint64_t(a), ub = uint64_t(b);
  switch (opcode) {
  case Opcode::Size:
  case Opcode::Stride:
  case Opcode::Integer:
  case Opcode::Constant:
    break;
  case Opcode::Add:
    return int64_t(ua + ub);
  case Opcode::Sub:
    return int64_t(ua - ub);
  case Opcode::Mul:
    return int64_t(ua * ub);
  case Opcode::Div:
    return quotientOf(a, b);
  case Opcode::Rem:
    return remainderOf(a, b);
  case Opcode::FloorDiv:
    return floorDivide(a, b);
  case Opcode::CeilDiv:
    return ceilDivide(a, b);
  case Opcode::DivU:
    return ub ? int64_t(ua / ub) : 0;
  case Opcode::RemU:
    return ub ? int64_t(ua % ub) : 0;
  case Opcode::CeilDivU:
    return ub ? int64_t(ua / ub + (ua % ub != 0)) : 0;
  case Opcode::Min:
    return std::min(a, b);
  case Opcode::Max:
    return std::max(a, b);
  case Opcode::MinU:
    return int64_t(std::min(ua, ub));
  case Opcode::MaxU:
    return int64_t(std::max(ua, ub));
  case Opcode::And:
    return a & b;
  case Opcode::Or:
    return a | b;
  case Opcode::Xor:
    return a ^ b;
  case Opcode::Shl:
    return ub < 64 ? int64_t(ua << ub) : 0;
  case Opcode::Shr:
    return a >> std::min<uint64_t>(ub, 63);
  case Opcode::ShrU:
    return ub < 64 ? int64_t(ua >> ub) : 0;
  case Opcode::Eq:
    return a == b;
  case Opcode::Ne:
    return a != b;
  case Opcode::Lt:
    return a < b;
  case Opcode::Le:
    return a <= b;
  case Opcode::LtU:
    return ua < ub;
  case Opcode::LeU:
    return ua <= ub;
  case Opcode::Select:
    return a ? b : c;
  case Opcode::SExt:
    return int64_t(ua << (64 - literal)) >> (64 - literal);
  case Opcode::ZExt:
    return int64_t(ua << (64 - literal) >> (64 - literal));
  }
  assert(false && "takes no numbers");
  return 0;
}

std::optional<int64_t> NumberProgram::getConstant(Number number) const {
  const Instruction &instruction = instructions[number];
  if (instruction.opcode != Opcode::Constant)
    return std::nullopt;
  return instruction.operands[0];
}

NumberProgram::Number NumberProgram::add(Opcode opcode, int64_t a, int64_t b,
                                         int64_t c) {
  Instruction instruction{opcode, {a, b, c}};
  const OpcodeInfo &info = getInfo(opcode);
  int64_t values[3] = {};
  bool isConstant = info.numbers > 0;
  for (unsigned i = 0; i < info.numbers; ++i) {
    std::optional<int64_t> value = getConstant(instruction.operands[i]);
    isConstant &= value.has_value();
    values[i] = value.value_or(0);
  }
  if (isConstant)
    instruction = {Opcode::Constant,
                   {compute(opcode, values[0], values[1], values[2],
                            instruction.operands[info.numbers % 3]),
                    0, 0}};
  auto [place, isNew] = known.try_emplace(instruction, instructions.size());
  if (isNew)
    instructions.push_back(instruction);
  return place->second;
}

std::vector<NumberProgram::Number>
NumberProgram::append(const NumberProgram &other) {
  std::vector<Number> numbers;
  for (Instruction instruction : other.instructions) {
    for (unsigned i = 0; i < getInfo(instruction.opcode).numbers; ++i)
      instruction.operands[i] = numbers[instruction.operands[i]];
    numbers.push_back(add(instruction.opcode, instruction.operands[0],
                          instruction.operands[1], instruction.operands[2]));
  }
  return numbers;
}

bool NumberProgram::fits(llvm::ArrayRef<size_t> ranks) const {
  return llvm::all_of(instructions, [&](const Instruction &instruction) {
    const auto argument = uint64_t(instruction.operands[0]);
    switch (instruction.opcode) {
    case Opcode::Size:
    case Opcode::Stride:
      return argument < ranks.size() &&
             uint64_t(instruction.operands[1]) < ranks[argument];
    case Opcode::Integer:
      return argument < ranks.size();
    default:
      return true;
    }
  });
}

std::vector<int64_t>
NumberProgram::evaluate(llvm::ArrayRef<Argument> arguments) const {
  std::vector<int64_t> values;
  values.reserve(instructions.size());
  for (const auto &[opcode, operands] : instructions) {
    switch (opcode) {
    case Opcode::Size:
      values.push_back(arguments[operands[0]].sizes[operands[1]]);
      continue;
    case Opcode::Stride:
      values.push_back(arguments[operands[0]].strides[operands[1]]);
      continue;
    case Opcode::Integer:
      values.push_back(arguments[operands[0]].integer);
      continue;
    case Opcode::Constant:
      values.push_back(operands[0]);
      continue;
    default:
      break;
    }
    const unsigned numbers = getInfo(opcode).numbers;
    auto value = [&](unsigned i) {
      return i < numbers ? values[operands[i]] : 0;
    };
    values.push_back(
        compute(opcode, value(0), value(1), value(2), operands[numbers % 3]));
  }
  return values;
}
