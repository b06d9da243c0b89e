//===- TileReductions.h - what a generic does along its rows ----*- C++ -*-===//
#ifndef SMX_LIB_GPU_TILEREDUCTIONS_H
#define SMX_LIB_GPU_TILEREDUCTIONS_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::smx::gpu {

/// A running value `r` becomes `kind(r, value)`.
struct RunningCombination {
  Combiner kind;
  Value value;
};

/// A running payload becomes `payload` where `value` beats the running
/// extremum, which is result `extremum` of the same generic, combined by
/// `kind`.
struct RunningPlace {
  Value value, payload;
  unsigned extremum;
  Combiner kind;
  /// Of equal values the last one counts, not the first.
  bool takesLast;
};

/// How result `number` of `op` combines a value with the running one; none if
/// that is neither a sum, a product nor an extremum.
std::optional<RunningCombination> matchCombination(linalg::GenericOp op,
                                                   unsigned number);

/// Result `number` as what stands at the place of an extremum that `op` reduces
/// to: `select(value > extremum, payload, running)`.
std::optional<RunningPlace> matchPlace(linalg::GenericOp op, unsigned number);

/// True for maxima.
bool isMaximum(Combiner kind);

/// What changes nothing when it is combined. An index has 64 bits.
TypedAttr identityOf(Combiner kind, Type type);

/// `kind` of two tiles of one type.
Value combineTiles(OpBuilder &builder, Location loc, Combiner kind, Value x,
                   Value y);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_TILEREDUCTIONS_H
