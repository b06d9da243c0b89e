//===- ShapeProgram.h - sizes of results from arguments ---------*- C++ -*-===//
//
// A kernel writes into memory that the caller brings, so the caller has to know
// how large a result is, and a call has to be refused if the memory is too
// small. For most modules the sizes follow from those of the arguments by index
// arithmetic, which is extracted here once and then needs neither the module
// nor its context.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_EVALUATOR_SHAPEPROGRAM_H
#define SMX_EVALUATOR_SHAPEPROGRAM_H

#include "smx/Evaluator/NumberProgram.h"
#include "smx/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

#include <vector>

namespace mlir::smx {

class ShapeProgram {
public:
  /// The sizes of the results of `function`, which is left as it is.
  static ShapeProgram build(func::FuncOp function);

  /// Sizes per result; -1 where a size depends on more than sizes and integers.
  /// `shapes` and `integers` have one entry per argument, the latter the value
  /// of an integer argument.
  std::vector<::smx::reference::Shape>
  evaluate(llvm::ArrayRef<::smx::reference::Shape> shapes,
           llvm::ArrayRef<int64_t> integers) const;

  /// How the sizes follow from the arguments.
  const NumberProgram &getNumbers() const { return numbers; }
  /// The number of every size of every result; none where it depends on more.
  llvm::ArrayRef<std::vector<std::optional<NumberProgram::Number>>>
  getSizes() const {
    return sizes;
  }

private:
  friend bool fromJSON(const llvm::json::Value &, ShapeProgram &,
                       llvm::json::Path);
  NumberProgram numbers;
  std::vector<std::vector<std::optional<NumberProgram::Number>>> sizes;
};

} // namespace mlir::smx

#endif // SMX_EVALUATOR_SHAPEPROGRAM_H
