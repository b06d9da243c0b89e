//===- LaunchPlan.h - what the host does to run a GPU function --*- C++ -*-===//
//
// A function at stage `gpu` computes sizes, asks for scratch memory and
// launches kernels, one after the other. That is extracted here once: all
// numbers are index arithmetic on the sizes, strides and integers of the
// arguments, and then neither the module nor its context is needed to launch.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_EVALUATOR_LAUNCHPLAN_H
#define SMX_EVALUATOR_LAUNCHPLAN_H

#include "smx/Evaluator/NumberProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::smx {

class LaunchPlan {
public:
  /// A number that `evaluate` computes.
  using Number = NumberProgram::Number;
  /// What is known of an argument when the function is called.
  using Argument = NumberProgram::Argument;

  /// An argument of a kernel: a number, or a piece of memory with its layout in
  /// elements.
  struct Operand {
    /// Memory: argument of the function if at least 0, else scratch `-1 - it`.
    int memory = 0;
    bool isMemory = false;
    /// Offset, sizes, strides; the value alone if it is no memory.
    std::vector<Number> numbers;
    int64_t elementBytes = 0;
  };
  struct Launch {
    std::string kernel;
    Number grid[3];
    std::vector<Operand> operands;
  };
  /// Memory that the launches use between them; extents in elements.
  struct Scratch {
    std::vector<Number> sizes;
    int64_t elementBytes;
  };
  /// A condition on the arguments that must hold (not 0), and what to say if it
  /// does not.
  struct Assertion {
    Number holds;
    std::string message;
  };

  /// The plan of `function`, which is left as it is. Fails, with a diagnostic,
  /// on anything on the host that is not index arithmetic, scratch memory or a
  /// launch.
  static FailureOr<LaunchPlan> build(func::FuncOp function);

  ArrayRef<Launch> getLaunches() const { return launches; }
  ArrayRef<Scratch> getScratch() const { return scratch; }
  ArrayRef<Assertion> getAssertions() const { return assertions; }
  /// How the numbers follow from the arguments.
  const NumberProgram &getNumbers() const { return numbers; }
  /// All numbers, for a call with these arguments.
  std::vector<int64_t> evaluate(ArrayRef<Argument> arguments) const {
    return numbers.evaluate(arguments);
  }

private:
  friend class LaunchPlanBuilder;
  std::vector<Launch> launches;
  std::vector<Scratch> scratch;
  std::vector<Assertion> assertions;
  NumberProgram numbers;
};

} // namespace mlir::smx

#endif // SMX_EVALUATOR_LAUNCHPLAN_H
