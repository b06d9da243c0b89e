//===- MemoryModel.h - which values are global memory -----------*- C++ -*-===//
//
// Follows views, slices and loop-carried values back to where they live.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_ANALYSIS_MEMORYMODEL_H
#define SMX_LIB_ANALYSIS_MEMORYMODEL_H

#include "smx/Pipeline/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::smx {

/// Where a tensor or a buffer lives.
enum class Place {
  /// An argument, or the result of an op outside of all loops.
  Global,
  /// What a loop computes, and scratch memory that it allocates: on the chip.
  Local,
  /// A component of a state: registers.
  State,
  /// Empty tensors, fills and splat constants: nothing is ever read.
  Free,
};

/// A place, and the value that is there.
struct Residence {
  Place place;
  Value root;
};

/// The residences of the values of one function at one stage.
class MemoryModel {
public:
  MemoryModel(func::FuncOp function, Stage stage);

  /// Where `value`, a tensor or a memref, lives.
  Residence residenceOf(Value value);
  /// True if `destination`, which is written in part, is global memory.
  bool isGlobalDestination(Value destination);
  /// True if the ops outside of all loops are one tile, or the loops over one:
  /// from stage tiled on, in a function without a parallel loop. Their results
  /// are then local.
  bool isBodyOneTile() const { return bodyIsOneTile; }
  /// The block that loads `value` (global memory) for `reader`: the block that
  /// takes the slice; for memory that is not sliced, the parallel loop around
  /// the reader, else the function.
  Block *loadBlockOf(Value value, Operation *reader);
  /// True if `op` is in no loop.
  bool isOutsideOfLoops(Operation *op);

private:
  Residence compute(Value value);

  func::FuncOp function;
  bool bodyIsOneTile;
  llvm::DenseMap<Value, Residence> known;
};

/// The stage that `function` is at, from the ops in it.
Stage findStage(func::FuncOp function);

} // namespace mlir::smx

#endif // SMX_LIB_ANALYSIS_MEMORYMODEL_H
