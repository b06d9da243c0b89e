//===- LaneCombiner.h - merging partial accumulators ------------*- C++ -*-===//
#ifndef SMX_LIB_CPU_LANECOMBINER_H
#define SMX_LIB_CPU_LANECOMBINER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx {

/// The associative operation with which one output of a generic accumulates,
/// found in its body.
class LaneCombiner {
public:
  /// The combiner of output `init`; fails when the body does something else
  /// with the accumulator, before or after the step.
  static FailureOr<LaneCombiner> match(linalg::GenericOp op, unsigned init);

  /// combine(a, b), of two scalars or two vectors.
  Value combine(OpBuilder &b, Location loc, Value lhs, Value rhs) const;

  /// What every lane starts from so that folding in `initial` once more at the
  /// end changes nothing.
  Value startLanes(OpBuilder &b, Location loc, Value initial,
                   VectorType type) const;

  /// The combination of all lanes of `vector`, by halves.
  Value reduceLanes(OpBuilder &b, Location loc, Value vector) const;

private:
  enum class Kind { Sum, Product, Idempotent };
  Kind kind = Kind::Sum;
  /// The op to repeat; for a comparison and select, the select.
  Operation *op = nullptr;
};

} // namespace mlir::smx

#endif // SMX_LIB_CPU_LANECOMBINER_H
