//===- ArithmeticCount.h - flops and exponentials ---------------*- C++ -*-===//
#ifndef SMX_LIB_ANALYSIS_ARITHMETICCOUNT_H
#define SMX_LIB_ANALYSIS_ARITHMETICCOUNT_H

#include "LoopRounds.h"
#include "smx/Analysis/Roofline.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// Number of points of the iteration domain of `op`; none if an extent is not
/// known.
std::optional<int64_t> domainSizeOf(linalg::LinalgOp op,
                                    IndexEvaluator &evaluator);

/// Adds the flops and exponentials of `function`, in which state ops are
/// expanded, to `work`.
void countArithmetic(func::FuncOp function, LoopRounds &rounds,
                     ::smx::Work &work);

} // namespace mlir::smx

#endif // SMX_LIB_ANALYSIS_ARITHMETICCOUNT_H
