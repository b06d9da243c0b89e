//===- Smx.h - the smx dialect ----------------------------------*- C++ -*-===//
//
// The one header that users of the dialect include. The meaning of every op is
// in the td files beside it.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_IR_SMX_H
#define SMX_IR_SMX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

namespace mlir::smx {
/// The keys that a block of rows sees, as index values: none outside `[begin,
/// end)`, all of `[fullBegin, fullEnd)`.
struct VisibleKeys {
  Value begin, fullBegin, fullEnd, end;
};

/// The smallest and the largest of some index values.
struct IndexRange {
  Value least, most;
};

/// What a tensor that a mask reads has behind its leading dimensions: an
/// element for every `rows` rows, and for every `keys` keys; no such dimension
/// where that is 0.
struct DataSteps {
  int64_t rows = 0, keys = 0;
  /// Dimensions that are not leading ones.
  int64_t count() const { return (rows != 0) + (keys != 0); }
};

/// A streamed quantity in two steps, so that the stream is seen once:
/// `quantity(s; x) = atEnd(s; atTile(t; x), t[0])` for every state `t` that has
/// seen `x`, where `s` is finished and `t[0]` the first component of `t`.
struct DeferredQuantity {
  StringRef atTile, atEnd;
};
} // namespace mlir::smx

#include "smx/IR/SmxDialect.h.inc"
#include "smx/IR/SmxEnums.h.inc"

#include "smx/IR/SmxAttrInterfaces.h.inc"
#include "smx/IR/SmxOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "smx/IR/SmxAttrs.h.inc"

#define GET_OP_CLASSES
#include "smx/IR/SmxOps.h.inc"

namespace mlir::smx {
/// Adds the interfaces that let upstream tiling slice and fuse `smx.mask`
/// and `smx.paged`.
void registerTilingInterfaceModels(DialectRegistry &registry);

/// The type that reductions over `elementType` are carried in: f64 for f64, f32
/// otherwise.
FloatType getAccumulatorType(Type elementType);

/// The least and the largest magnitude of a scale for scores of `elementType`:
/// it and its product with log2(e) are numbers of the accumulator's type.
double getSmallestScale(Type elementType);
double getLargestScale(Type elementType);

/// True if a positive `scale` is neither 0 nor infinite in the type that scores
/// of `elementType` are computed in.
bool isPositiveScale(double scale, Type elementType);

/// The largest extent that divides every page which the stream of `op` is read
/// from; 0 if it is read from none.
int64_t getPageExtent(StreamingReductionOpInterface op);

/// Extent `dim` of `tensor`, read off what the tensor is made from where that
/// says it, so that no whole tensor is kept alive for its extents.
OpFoldResult getExtent(OpBuilder &builder, Location loc, Value tensor,
                       int64_t dim);
} // namespace mlir::smx

#endif // SMX_IR_SMX_H
