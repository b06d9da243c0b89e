//===- Expectation.h - how exact a result is to be --------------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAXRUN_EXPECTATION_H
#define SMX_TOOLS_SOFTMAXRUN_EXPECTATION_H

#include "smx/Evaluator/Evaluator.h"
#include "smx/Pipeline/RoadOptions.h"
#include "smx/Reference/Compare.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace smx::run {

/// How a result is to be compared.
struct Expectation {
  reference::Comparison how;
  /// The result of an smx op. If not, the module itself says where a result is
  /// NaN or infinite: it may overflow in its own types, where float64 does not.
  bool isRecognised = false;
};

/// How result `number` of `raised`, of elements of `dtype`, is to be compared,
/// from the op that it comes from and what evaluating it has shown.
Expectation expectationOf(mlir::func::FuncOp raised, size_t number,
                          reference::DType dtype,
                          const mlir::smx::RoadOptions &road,
                          const mlir::smx::EvaluationNotes &notes);

} // namespace smx::run

#endif // SMX_TOOLS_SOFTMAXRUN_EXPECTATION_H
