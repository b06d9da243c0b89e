//===- Traffic.h - what a function moves and computes -----------*- C++ -*-===//
//
// Static counts of bytes in global memory, flops and exponentials for IR at any
// stage from naive to cpu. The description of smx-report says what counts.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_ANALYSIS_TRAFFIC_H
#define SMX_ANALYSIS_TRAFFIC_H

#include "smx/Analysis/Roofline.h"
#include "smx/Pipeline/Stages.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::smx {

/// How to count.
struct TrafficOptions {
  /// The stage that the IR is at; found out for each function if empty.
  std::optional<Stage> stage;
  /// Values of the dynamic extents of a function's arguments, in the order of
  /// the types.
  llvm::SmallVector<int64_t> extents;
  /// Loops whose rounds differ are evaluated round by round, up to this many
  /// rounds in all.
  int64_t maxRounds = 1000000;
};

/// The counts of one function.
struct FunctionTraffic {
  std::string function;
  Stage stage;
  ::smx::Work work;
  /// What could not be counted ("dynamic extents", ...); the counts are exact
  /// if this is empty.
  llvm::SmallVector<std::string> notCounted;
};

/// Counts every function of `module` that has a body. Fails, with a diagnostic,
/// if the state ops can not be expanded.
FailureOr<llvm::SmallVector<FunctionTraffic>>
analyzeTraffic(ModuleOp module, const TrafficOptions &options);

} // namespace mlir::smx

#endif // SMX_ANALYSIS_TRAFFIC_H
