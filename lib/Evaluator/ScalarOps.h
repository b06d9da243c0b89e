//===- ScalarOps.h - arithmetic ops as loops over lanes ---------*- C++ -*-===//
#ifndef SMX_LIB_EVALUATOR_SCALAROPS_H
#define SMX_LIB_EVALUATOR_SCALAROPS_H

#include "Frame.h"

namespace mlir::smx {

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
  TensorPtr tensor;
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

#endif // SMX_LIB_EVALUATOR_SCALAROPS_H
