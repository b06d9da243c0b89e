//===- RowQuotient.h - what divides a row by its sum ------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_ROWQUOTIENT_H
#define SMX_LIB_GPU_ROWQUOTIENT_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::smx::gpu {

/// w / l as the algebra divides: w h + w e, for 1/l = h + e.
struct RowQuotient {
  /// Nothing if `weights` are divided in no such way.
  static std::optional<RowQuotient> of(Value weights);

  math::FmaOp result;
  arith::MulFOp small;
  /// The row's values h and e.
  BroadcastOp reciprocal, rest;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_ROWQUOTIENT_H
