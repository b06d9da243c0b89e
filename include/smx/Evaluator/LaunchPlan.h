//===- LaunchPlan.h - what the host does to run a GPU function --*- C++ -*-===//
//
// A function at stage `gpu` computes sizes, asks for scratch memory, launches
// kernels and copies memory, one after the other. That is extracted here once:
// all numbers are index arithmetic on the sizes, strides and scalars of the
// arguments, and then neither the module nor its context is needed to launch.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_EVALUATOR_LAUNCHPLAN_H
#define SMX_EVALUATOR_LAUNCHPLAN_H

#include "smx/Evaluator/NumberProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <variant>
#include <vector>

namespace mlir::smx {

class LaunchPlan {
public:
  /// A number that `evaluate` computes.
  using Number = NumberProgram::Number;
  /// What is known of an argument when the function is called.
  using Argument = NumberProgram::Argument;

  /// What an argument of a kernel is: a number, or a piece of memory.
  enum class Kind { Number, Argument, Scratch, Constant };
  /// An argument of a kernel; memory with its layout in elements.
  struct Operand {
    Kind kind = Kind::Number;
    /// Which argument of the function, scratch tensor or constant.
    unsigned memory = 0;
    bool isMemory() const { return kind != Kind::Number; }
    /// Offset, sizes, strides; the value alone if it is no memory. The value of
    /// a float is its bits.
    std::vector<Number> numbers;
    int64_t elementBytes = 0;
  };
  struct Launch {
    std::string kernel;
    Number grid[3];
    std::vector<Operand> operands;
  };
  /// Elements of one piece of memory go to the same places of another of the
  /// same shape.
  struct Copy {
    Operand from, to;
  };
  using Step = std::variant<Launch, Copy>;
  /// Memory that the launches use between them; extents in elements.
  struct Scratch {
    std::vector<Number> sizes;
    int64_t elementBytes;
  };
  /// Memory that the module gives the contents of.
  struct Constant {
    std::vector<char> bytes;
  };
  using Assertion = NumberProgram::Assertion;

  /// The plan of `function`, which is left as it is. Fails, with a diagnostic,
  /// on anything on the host that is not index arithmetic, scratch memory, a
  /// constant, a launch or a copy.
  static FailureOr<LaunchPlan> build(func::FuncOp function);

  /// What to do, in this order.
  ArrayRef<Step> getSteps() const { return steps; }
  ArrayRef<Scratch> getScratch() const { return scratch; }
  ArrayRef<Constant> getConstants() const { return constants; }
  /// The arguments that are no memory. The number of a float one is its bits.
  ArrayRef<unsigned> getScalars() const { return scalars; }
  /// The arguments, in order, whose address and strides have to be multiples of
  /// what the kernels were made for. Of other memory kernels move elements one
  /// by one, wherever they are.
  ArrayRef<unsigned> getAligned() const { return aligned; }
  ArrayRef<Assertion> getAssertions() const { return assertions; }
  /// How the numbers follow from the arguments.
  const NumberProgram &getNumbers() const { return numbers; }
  /// True if arguments of these ranks have all that the plan asks for.
  bool fits(ArrayRef<size_t> ranks) const;
  /// All numbers, for a call with these arguments.
  std::vector<int64_t> evaluate(ArrayRef<Argument> arguments) const {
    return numbers.evaluate(arguments);
  }

private:
  friend class LaunchPlanBuilder;
  friend bool fromJSON(const llvm::json::Value &, LaunchPlan &,
                       llvm::json::Path);
  std::vector<Step> steps;
  std::vector<Scratch> scratch;
  std::vector<Constant> constants;
  std::vector<unsigned> scalars, aligned;
  std::vector<Assertion> assertions;
  NumberProgram numbers;
};

} // namespace mlir::smx

#endif // SMX_EVALUATOR_LAUNCHPLAN_H
