//===- NumbersInCTest.cpp - the C loader computes what the library does ---===//

#include "Numbers.h"
extern "C" {
#include "smx_driver.h"
}

#include "smx/Evaluator/NumberProgram.h"

#include <gtest/gtest.h>

using mlir::smx::NumberProgram;
using Opcode = NumberProgram::Opcode;

/// The same program for both.
static std::vector<int64_t> evaluateInC(const NumberProgram &program,
                                        const smx_value *values) {
  std::vector<smx_number> numbers;
  for (const auto &[opcode, operands] : program.getInstructions())
    numbers.push_back({static_cast<smx_opcode>(opcode),
                       {operands[0], operands[1], operands[2]}});
  smx_function function = {};
  function.number_count = numbers.size();
  function.numbers = numbers.data();
  std::vector<int64_t> results(numbers.size());
  smx_evaluate(&function, values, results.data());
  return results;
}

TEST(NumbersInC, EveryOpcodeGivesTheSame) {
  // Operands that are not constants, which would be folded.
  NumberProgram program;
  std::vector<NumberProgram::Number> inputs;
  std::vector<NumberProgram::Argument> arguments;
  std::vector<smx_value> values;
  for (int64_t number : interestingNumbers) {
    inputs.push_back(program.add(Opcode::Integer, inputs.size()));
    arguments.push_back({{}, {}, number});
    smx_value value;
    value.integer = number;
    values.push_back(value);
  }
  for (unsigned i = unsigned(Opcode::Add); i < NumberProgram::numOpcodes; ++i) {
    auto opcode = Opcode(i);
    for (NumberProgram::Number a : inputs)
      for (NumberProgram::Number b : inputs) {
        if (opcode == Opcode::Select)
          program.add(opcode, a, b, inputs.back());
        else if (NumberProgram::getInfo(opcode).numbers == 2)
          program.add(opcode, a, b);
      }
    for (int64_t bits : {1, 8, 16, 32, 63, 64})
      for (NumberProgram::Number a : inputs)
        if (NumberProgram::getInfo(opcode).numbers == 1)
          program.add(opcode, a, bits);
  }
  std::vector<int64_t> expected = program.evaluate(arguments);
  std::vector<int64_t> results = evaluateInC(program, values.data());
  ASSERT_EQ(results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i], expected[i])
        << NumberProgram::getInfo(program.getInstructions()[i].opcode)
               .name.str();
}

TEST(NumbersInC, PropertiesOfArguments) {
  NumberProgram program;
  program.add(Opcode::Size, 1, 2);
  program.add(Opcode::Stride, 1, 0);
  program.add(Opcode::Constant, INT64_MIN);
  const int64_t sizes[] = {5, 6, 7}, strides[] = {100, 10, 1};
  smx_tensor tensor = {0, SMX_F32, 3, {5, 6, 7}, {100, 10, 1}};
  smx_value values[2];
  values[1].tensor = &tensor;
  EXPECT_EQ(evaluateInC(program, values),
            program.evaluate({{}, {sizes, strides, 0}}));
  EXPECT_EQ(evaluateInC(program, values),
            (std::vector<int64_t>{7, 100, INT64_MIN}));
}

TEST(NumberProgram, FoldsConstantsAndFindsWhatItHas) {
  NumberProgram program;
  NumberProgram::Number two = program.addConstant(2);
  NumberProgram::Number six =
      program.add(Opcode::Mul, two, program.addConstant(3));
  EXPECT_EQ(program.getConstant(six), 6);
  NumberProgram::Number size = program.add(Opcode::Size, 0, 0);
  NumberProgram::Number product = program.add(Opcode::Mul, size, six);
  EXPECT_EQ(program.getConstant(product), std::nullopt);
  EXPECT_EQ(program.add(Opcode::Mul, size, six), product);
  NumberProgram other;
  other.addConstant(17);
  EXPECT_EQ(other.append(program)[product] + 1, other.getInstructions().size());
}
