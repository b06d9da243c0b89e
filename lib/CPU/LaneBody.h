//===- LaneBody.h - a generic's body on vectors -----------------*- C++ -*-===//
#ifndef SMX_LIB_CPU_LANEBODY_H
#define SMX_LIB_CPU_LANEBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// A value at one vector of loop iterations.
struct LaneValue {
  /// The value of every lane (uniform), lane 0's value (ramp), or a vector.
  Value value;
  /// The value is a scalar.
  bool uniform = true;
  /// With +1 or -1: lane k holds value + ramp * k. Only with a scalar value.
  int ramp = 0;
};

/// Emits the body of a generic for vectors of `lanes` iterations. Values that
/// all lanes share stay scalar.
class LaneBody {
public:
  LaneBody(linalg::GenericOp op, int64_t lanes) : op(op), lanes(lanes) {}

  /// Emits one copy; `arguments` are the block's, `indices` the loop
  /// dimensions'. Returns what is yielded.
  SmallVector<LaneValue> emit(OpBuilder &b, ArrayRef<LaneValue> arguments,
                              ArrayRef<LaneValue> indices) const;

  /// `value` as a vector.
  Value materialize(OpBuilder &b, Location loc, LaneValue value) const;

private:
  LaneValue emitOp(OpBuilder &b, Operation &nested,
                   ArrayRef<LaneValue> operands) const;

  mutable linalg::GenericOp op;
  int64_t lanes;
};

} // namespace mlir::smx

#endif // SMX_LIB_CPU_LANEBODY_H
