//===- ScoreArithmetic.h - what passes on scores have in common -*- C++ -*-===//
#ifndef SMX_LIB_GPU_SCOREARITHMETIC_H
#define SMX_LIB_GPU_SCOREARITHMETIC_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/IR/Dominance.h"

#include <optional>

namespace mlir::smx::gpu {

/// The number that all elements of a constant tile are; none if `value` is no
/// such constant.
std::optional<double> splatValue(Value value);

/// m of `|m| = inf ? 0 : m`, as references are guarded; null if `value` is
/// anything else.
Value behindGuard(Value value);

/// x of the exponent min(x, 0), or the exponent itself: a factor of sums is at
/// most 1.
Value withoutBound(Value exponent);

/// Moves ops that only branches of the kernel need into these branches.
void sinkIntoBranches(KernelOp kernel, DominanceInfo &dominance,
                      llvm::function_ref<bool(Operation *)> isToSink);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_SCOREARITHMETIC_H
