//===- NumberReader.h - index arithmetic taken out of IR --------*- C++ -*-===//
#ifndef SMX_LIB_EVALUATOR_NUMBERREADER_H
#define SMX_LIB_EVALUATOR_NUMBERREADER_H

#include "smx/Evaluator/NumberProgram.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::smx {

/// Adds to a program what integer values of a function are. A number below 64
/// bits is kept extended by its sign, an i1 as 0 or 1.
class NumberReader {
public:
  using Number = NumberProgram::Number;
  /// The number of an op's result that is a property of an argument; none if it
  /// is none.
  using PropertyReader =
      std::function<std::optional<Number>(OpResult, NumberProgram &)>;

  NumberReader(NumberProgram &program, PropertyReader readProperty)
      : program(program), readProperty(std::move(readProperty)) {}

  /// The number of `value`; none if it is no arithmetic on properties of
  /// arguments.
  std::optional<Number> read(Value value);

private:
  std::optional<Number> readUncached(Value value);
  std::optional<Number> readOp(Operation *op);

  NumberProgram &program;
  PropertyReader readProperty;
  llvm::DenseMap<Value, std::optional<Number>> known;
};

} // namespace mlir::smx

#endif // SMX_LIB_EVALUATOR_NUMBERREADER_H
