//===- Evaluator.h - what a module means, in float64 ------------*- C++ -*-===//
//
// Interprets a function on tensors as it stands before the road changes
// anything: the stages `input` and `naive`. Slow, short, and independent of
// every pass, so that a compiled kernel can be checked against the very module
// that it was compiled from.
//
// Floating-point arithmetic is done in double whatever the types say, and
// `extf` and `truncf` are the identity: the result is what the maths says, not
// what rounding at each step would give (unless that is asked for). Integers
// are exact in scalars; in tensors, up to 2^53. Memory that nothing has written
// is NaN.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_EVALUATOR_EVALUATOR_H
#define SMX_EVALUATOR_EVALUATOR_H

#include "smx/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace mlir::smx {

/// What becomes of the result of a floating-point op.
enum class Rounding {
  /// It stays a double.
  None,
  /// It stays one, but the means that layer norm centres rows by are off as far
  /// as their type allows: what that does to the results is in them.
  OfMeans,
  /// It is rounded to the op's type: what the module gives if it is taken by
  /// its word, which is the
  /// yardstick of the low-precision tolerance.
  AsTyped
};

/// What an evaluation finds out beside the results.
struct EvaluationNotes {
  /// The largest mean magnitude of a row of scores (`AttentionResult`), of each
  /// attention that was evaluated.
  llvm::DenseMap<Operation *, double> meanScores;
  /// The largest magnitude of a finite score, of each softmax in f64 that was
  /// evaluated. Below f64 the results as they are typed show what it costs.
  llvm::DenseMap<Operation *, double> largestScores;
  /// How far an element of a layer norm is off at most by the mean of its row,
  /// in units in the last place of 1.
  double ulpsOfMeans = 0;
};

/// The results of `function` for `inputs` (scalar arguments are tensors of rank
/// 0). Errors name the place and the op: an op that is not supported, an
/// assertion of the module that fails, a number or shape of inputs that does
/// not fit. Adds to `notes`, if there are any.
llvm::Expected<std::vector<::smx::reference::Tensor>>
evaluate(func::FuncOp function, llvm::ArrayRef<::smx::reference::Tensor> inputs,
         Rounding rounding = Rounding::None, EvaluationNotes *notes = nullptr);

} // namespace mlir::smx

#endif // SMX_EVALUATOR_EVALUATOR_H
