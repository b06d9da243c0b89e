//===- ScalarOps.h - arithmetic on elements, looked up once -----*- C++ -*-===//
//
// What an op of `arith` or `math` does to one element, or to many of them: for
// everything that interprets IR on the host.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_EVALUATOR_SCALAROPS_H
#define SMX_EVALUATOR_SCALAROPS_H

#include "smx/Evaluator/Evaluator.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace mlir::smx {

/// One element: `f` where the type is a float, `i` (sign-extended; 0 or 1 for
/// i1) elsewhere.
union Slot {
  double f;
  int64_t i;
};

inline Slot floatSlot(double value) {
  Slot slot;
  slot.f = value;
  return slot;
}
inline Slot intSlot(int64_t value) {
  Slot slot;
  slot.i = value;
  return slot;
}

/// What the elements of `type`, or a number of that type, are in memory; an
/// index is an i64. None of types that tensors in memory do not have.
std::optional<::smx::reference::DType> getStoredType(Type type);

/// The element type that results of `type` are rounded to, if there is anything
/// to round; to 8 bits whatever `rounding` says.
std::optional<::smx::reference::DType> getRoundedType(Type type,
                                                      Rounding rounding);

/// True if values of the type, or its elements, are kept as `Slot::f`.
inline bool hasFloatElements(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// The number that an attribute of a scalar type stands for, if it does for
/// one.
std::optional<Slot> readScalar(Attribute value);

/// "file:line:column: 'op': message".
llvm::Error errorAt(Operation *op, const Twine &message);

struct Instruction;

/// Computes `lanes` results of an instruction from as many operands.
using LaneKernel = void (*)(const Instruction &instruction,
                            const Slot *const *operands, Slot *result,
                            size_t lanes);

/// An op that has been looked up once, to be executed many times.
struct Instruction {
  LaneKernel kernel = nullptr;
  /// Registers; meaning is up to the program that the instruction is part of.
  SmallVector<unsigned, 3> operands;
  unsigned result = 0;
  /// Bits of the operands and of the result, for integers; index counts as 64.
  unsigned operandBits = 64, resultBits = 64;
  /// What results are rounded to, if anything.
  std::optional<::smx::reference::DType> roundedTo;
  /// The predicate of a comparison, as its attribute numbers it.
  int64_t predicate = 0;
  /// What `tensor.extract` reads.
  std::shared_ptr<const ::smx::reference::Tensor> tensor;
  bool isFloatTensor = true;
};

/// The kernel and the constants for `op` (an op of `arith` or `math` that
/// computes one value from scalars), or none if the op is not known. Registers
/// are left to the caller.
std::optional<Instruction> lookUpScalarOp(Operation *op, Rounding rounding);

/// Executes `instruction` for `lanes` lanes.
void execute(const Instruction &instruction, const Slot *const *operands,
             Slot *result, size_t lanes);

} // namespace mlir::smx

#endif // SMX_EVALUATOR_SCALAROPS_H
