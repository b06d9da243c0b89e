//===- LaunchPlanBuilder.h - from a host function to its plan ---*- C++ -*-===//
#ifndef SMX_LIB_EVALUATOR_LAUNCHPLANBUILDER_H
#define SMX_LIB_EVALUATOR_LAUNCHPLANBUILDER_H

#include "NumberReader.h"
#include "smx/Evaluator/LaunchPlan.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::smx {

/// Goes through a function and adds what its ops do to a plan.
class LaunchPlanBuilder {
public:
  /// `symbols` is where `function` was copied from.
  LaunchPlanBuilder(func::FuncOp function, Operation *symbols);

  FailureOr<LaunchPlan> build();

private:
  using Number = LaunchPlan::Number;

  LogicalResult visit(Operation *op);
  LogicalResult visitLaunch(gpu::LaunchOp launch);
  LogicalResult visitCopy(memref::CopyOp copy);
  /// Remembers that `operand`, if it is of the caller's memory, has to be
  /// aligned.
  void needAligned(const LaunchPlan::Operand &operand);
  FailureOr<LaunchPlan::Operand> memory(Value memref, Operation *user);
  LogicalResult addContiguousLayout(LaunchPlan::Operand &operand,
                                    ArrayRef<OpFoldResult> extents,
                                    Operation *user);
  /// The number of the constant that `get` names.
  FailureOr<unsigned> constant(memref::GetGlobalOp get);
  /// The number of a size, stride or offset of memory; none if it is something
  /// else.
  std::optional<Number> readProperty(OpResult result);
  /// The number of a value; none, with a diagnostic, if it is no arithmetic on
  /// sizes and scalars.
  FailureOr<Number> number(OpFoldResult value, Operation *user);

  func::FuncOp function;
  Operation *symbols;
  LaunchPlan plan;
  NumberReader reader;
  llvm::DenseMap<Value, unsigned> scratchNumbers;
  llvm::BitVector aligned;
  llvm::StringMap<unsigned> constantNumbers;
};

} // namespace mlir::smx

#endif // SMX_LIB_EVALUATOR_LAUNCHPLANBUILDER_H
