//===- LoopRounds.h - how often each block runs -----------------*- C++ -*-===//
//
// Runs the loops of a function without its tensors: index arithmetic is
// evaluated, loops whose rounds are all alike are multiplied, and loops on
// whose position a bound or an extent depends (the triangle of a causal mask)
// are run round by round.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_ANALYSIS_LOOPROUNDS_H
#define SMX_LIB_ANALYSIS_LOOPROUNDS_H

#include "IndexEvaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx {

/// Visits the blocks of a function with the number of times that each is run.
class LoopRounds {
public:
  /// `extents` are the dynamic extents of the arguments, in the order of the
  /// types.
  LoopRounds(func::FuncOp function, llvm::ArrayRef<int64_t> extents,
             int64_t maxRounds);

  /// Called with a block and how often it is run with the evaluator's current
  /// positions.
  using Visit = llvm::function_ref<void(Block &, int64_t times)>;
  void run(Visit visit);

  IndexEvaluator &getEvaluator() { return evaluator; }
  /// Notes what was left out, as a string literal.
  void leaveOut(llvm::StringLiteral what) { leftOut.insert(what); }
  llvm::ArrayRef<llvm::StringRef> getLeftOut() const {
    return leftOut.getArrayRef();
  }

private:
  void walk(Block &block, int64_t times, Visit visit);
  void walk(scf::ForOp loop, int64_t times, Visit visit);
  void walk(scf::IfOp branch, int64_t times, Visit visit);
  /// Runs the dimensions of a parallel loop from `dim` on.
  void walkParallel(Block &body, llvm::ArrayRef<OpFoldResult> lower,
                    llvm::ArrayRef<OpFoldResult> upper,
                    llvm::ArrayRef<OpFoldResult> step, unsigned dim,
                    int64_t times, Visit visit);
  void walkRange(Value position, std::optional<int64_t> lower,
                 std::optional<int64_t> upper, std::optional<int64_t> step,
                 int64_t times, llvm::function_ref<void(int64_t times)> round);
  void findPositionsThatMatter();

  func::FuncOp function;
  IndexEvaluator evaluator;
  int64_t roundsLeft;
  /// Induction variables that a bound, a condition or an extent depends on.
  llvm::DenseSet<Value> positionsThatMatter;
  llvm::SetVector<llvm::StringRef> leftOut;
};

} // namespace mlir::smx

#endif // SMX_LIB_ANALYSIS_LOOPROUNDS_H
