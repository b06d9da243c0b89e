//===- ShapeProgram.h - sizes of results from arguments ---------*- C++ -*-===//
//
// A kernel writes into memory that the caller brings, so the caller has to know
// how large a result is, and a call has to be refused if the memory is too
// small. For most modules the sizes follow from those of the arguments by index
// arithmetic, which is extracted here once and then needs neither the module
// nor its context. So are the conditions on open extents that no type says:
// code reads and writes beyond its tensors where a call breaks them.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_EVALUATOR_SHAPEPROGRAM_H
#define SMX_EVALUATOR_SHAPEPROGRAM_H

#include "smx/Evaluator/NumberProgram.h"
#include "smx/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <vector>

namespace mlir::smx {

class ShapeProgram {
public:
  /// The sizes of the results of `function`, which is left as it is, and the
  /// conditions that its ops put on open extents, as far as these follow from
  /// sizes and integers.
  static ShapeProgram build(func::FuncOp function);

  /// Sizes per result; -1 where a size depends on more than sizes and integers.
  /// `shapes` and `integers` have one entry per argument, the latter the value
  /// of an integer argument. An error where they break a condition.
  llvm::Expected<std::vector<::smx::reference::Shape>>
  evaluate(llvm::ArrayRef<::smx::reference::Shape> shapes,
           llvm::ArrayRef<int64_t> integers) const;

  /// How the sizes follow from the arguments.
  const NumberProgram &getNumbers() const { return numbers; }
  /// The number of every size of every result; none where it depends on more.
  llvm::ArrayRef<std::vector<std::optional<NumberProgram::Number>>>
  getSizes() const {
    return sizes;
  }
  llvm::ArrayRef<NumberProgram::Assertion> getConditions() const {
    return conditions;
  }

private:
  friend bool fromJSON(const llvm::json::Value &, ShapeProgram &,
                       llvm::json::Path);
  NumberProgram numbers;
  std::vector<std::vector<std::optional<NumberProgram::Number>>> sizes;
  std::vector<NumberProgram::Assertion> conditions;
};

} // namespace mlir::smx

#endif // SMX_EVALUATOR_SHAPEPROGRAM_H
