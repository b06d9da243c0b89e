//===- Check.h - is what the kernel gave right? -----------------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAXRUN_CHECK_H
#define SMX_TOOLS_SOFTMAXRUN_CHECK_H

#include "Arguments.h"
#include "Expectation.h"

#include "mlir/IR/BuiltinOps.h"

namespace smx::run {

/// What the results are measured against.
enum class CheckAgainst {
  None,
  /// The module as it was handed over, evaluated in float64.
  Naive,
  /// The module after raising: the plain C++ reference for what was recognised.
  Raised
};

/// The module's text in a context of its own, at the stages that are evaluated.
class CheckedModule {
public:
  /// Parses `text`; errors name `sourceName` and the line.
  static llvm::Expected<std::unique_ptr<CheckedModule>>
  parse(llvm::StringRef text, llvm::StringRef sourceName, llvm::StringRef entry,
        mlir::smx::Stage from, const mlir::smx::RoadOptions &road);
  ~CheckedModule();

  /// The results in float64.
  llvm::Expected<std::vector<reference::Tensor>>
  evaluate(llvm::ArrayRef<reference::Tensor> inputs, CheckAgainst against);
  /// The results if every op is taken by its type: the yardstick for low
  /// precision.
  llvm::Expected<std::vector<reference::Tensor>>
  evaluateAsTyped(llvm::ArrayRef<reference::Tensor> inputs);

  /// How result `number` is to be compared, from the op that it comes from and
  /// what evaluating it has shown.
  Expectation expect(size_t number, reference::DType dtype);
  /// Multiplications and additions of all products (those that a mask hides
  /// left out) for these inputs, if they can be counted.
  std::optional<double>
  countProductFlops(llvm::ArrayRef<reference::Tensor> inputs);

private:
  CheckedModule();
  /// Finds out what means that are off do to the results, which are `exact`.
  llvm::Error measureMeans(llvm::ArrayRef<reference::Tensor> inputs,
                           llvm::ArrayRef<reference::Tensor> exact);
  struct State;
  std::unique_ptr<State> state;
};

/// A comparison with one reference, and how much of the tolerance it used (1 is
/// all of it; none if the tensor is too large to find out in reasonable time).
struct Checked {
  reference::Report report;
  std::optional<double> ofTolerance;
};
/// What to give as the naive result when `expected` itself was computed in low
/// precision: off from it by half as much again as `typed` is from `exact`,
/// since both sides may be wrong.
reference::Tensor withErrorOf(reference::Tensor expected,
                              const reference::Tensor &typed,
                              const reference::Tensor &exact);

/// `exact`, but NaN or infinite where `typed` is.
reference::Tensor withClassesOf(reference::Tensor exact,
                                const reference::Tensor &typed,
                                reference::DType dtype);

/// `exact`, but infinite where it is too large for `dtype`.
reference::Tensor withInfinitiesOf(reference::Tensor exact,
                                   reference::DType dtype);

Checked checkOutput(const reference::Tensor &out,
                    const reference::Tensor &reference,
                    const reference::Tensor *naive,
                    const reference::Comparison &how);

/// Of integers, of whatever width, all of their bits; none where either has
/// floats. The shapes are the same.
std::optional<Checked> checkIntegers(const reference::NpyArray &out,
                                     const reference::NpyArray &expected);

} // namespace smx::run

#endif // SMX_TOOLS_SOFTMAXRUN_CHECK_H
