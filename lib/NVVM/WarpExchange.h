//===- WarpExchange.h - values between lanes and warps ----------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_WARPEXCHANGE_H
#define SMX_LIB_NVVM_WARPEXCHANGE_H

#include "KernelLowering.h"

namespace mlir::smx {

/// The two values combined.
Value combine(ThreadCode &code, gpu::Combiner kind, Value a, Value b);

/// The value of the lane whose number differs in the bits of `mask`. Any scalar
/// of 1, 2, 4 or 8 bytes. All lanes of the warp take part.
Value exchange(ThreadCode &code, Value value, int64_t mask);

/// i1: true in all threads of a warp if one of `values` is in one of them.
Value isAnyOfWarp(ThreadCode &code, ArrayRef<Value> values);

/// Scratch of an smx_gpu.convert; 0 for other ops.
int64_t convertScratchBytes(Operation *op);

void populateConvertPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan,
                             RewritePatternSet &patterns);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_WARPEXCHANGE_H
