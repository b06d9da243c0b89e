//===- NumberProgram.h - index arithmetic as a list of steps ----*- C++ -*-===//
//
// The numbers that a host needs around a kernel (grids, sizes, strides) follow
// from the sizes, strides and integers of the arguments of a call. Here they
// are one straight-line program on int64 that needs neither a module nor a
// context: the run-time evaluates it, and it can be written to a file for
// another program to evaluate.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_EVALUATOR_NUMBERPROGRAM_H
#define SMX_EVALUATOR_NUMBERPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::smx {

class NumberProgram {
public:
  /// A number that `evaluate` computes: the place of its instruction.
  using Number = unsigned;

  /// Wrapping arithmetic on int64; division by 0 gives 0. Names that end in U
  /// read their operands as unsigned; comparisons give 0 or 1.
  enum class Opcode {
    Size,     ///< literals: argument, dimension
    Stride,   ///< literals: argument, dimension; in elements
    Integer,  ///< literal: argument
    Constant, ///< literal: value
    Add,
    Sub,
    Mul,
    Div, ///< towards zero, as Rem
    Rem,
    FloorDiv,
    CeilDiv,
    DivU,
    RemU,
    CeilDivU,
    Min,
    Max,
    MinU,
    MaxU,
    And,
    Or,
    Xor,
    Shl, ///< by 64 and more: 0; Shr: the sign
    Shr,
    ShrU,
    Eq,
    Ne,
    Lt,
    Le,
    LtU,
    LeU,
    Select, ///< operands: condition, value if it is not 0, value if it is
    SExt,   ///< operand, literal: low bits that are extended by their sign
    ZExt,   ///< operand, literal: low bits that are kept
  };
  static constexpr unsigned numOpcodes = unsigned(Opcode::ZExt) + 1;

  /// The spelling of an opcode, and what it takes: numbers first, then
  /// literals.
  struct OpcodeInfo {
    llvm::StringRef name;
    unsigned numbers, literals;
  };
  static const OpcodeInfo &getInfo(Opcode opcode);

  struct Instruction {
    Opcode opcode;
    /// Numbers and literals, as many as the opcode takes; 0 behind.
    std::array<int64_t, 3> operands;
    auto operator<=>(const Instruction &) const = default;
  };

  /// What is known of an argument when the numbers are needed.
  struct Argument {
    llvm::ArrayRef<int64_t> sizes, strides;
    /// The value of an integer argument.
    int64_t integer = 0;
  };

  /// A condition on the arguments that must hold (not 0), and what to say if it
  /// does not.
  struct Assertion {
    Number holds;
    std::string message;
  };

  /// The number that the instruction gives: an earlier one if it is the same,
  /// a constant if it has constant operands.
  Number add(Opcode opcode, int64_t a, int64_t b = 0, int64_t c = 0);
  Number addConstant(int64_t value) { return add(Opcode::Constant, value); }
  /// Adds all of `other`; the numbers here by their numbers there.
  std::vector<Number> append(const NumberProgram &other);

  /// The value of a constant.
  std::optional<int64_t> getConstant(Number number) const;
  llvm::ArrayRef<Instruction> getInstructions() const { return instructions; }
  /// True if all that it asks of arguments is there if they have these ranks.
  bool fits(llvm::ArrayRef<size_t> ranks) const;
  /// All numbers, for a call with these arguments.
  std::vector<int64_t> evaluate(llvm::ArrayRef<Argument> arguments) const;

private:
  std::vector<Instruction> instructions;
  std::map<Instruction, Number> known;
};

} // namespace mlir::smx

#endif // SMX_EVALUATOR_NUMBERPROGRAM_H
