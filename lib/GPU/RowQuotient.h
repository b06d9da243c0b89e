//===- RowQuotient.h - what divides a row by its sum ------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_ROWQUOTIENT_H
#define SMX_LIB_GPU_ROWQUOTIENT_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::smx::gpu {

/// w / l as the algebra divides: q = w (1/l), and q + (w - q l) (1/l).
struct RowQuotient {
  /// Nothing if `weights` are divided in no such way.
  static std::optional<RowQuotient> of(Value weights);

  math::FmaOp result;
  arith::MulFOp first;
  arith::NegFOp negated;
  math::FmaOp left;
  /// The row's values 1/l and l.
  BroadcastOp reciprocal, divisor;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_ROWQUOTIENT_H
