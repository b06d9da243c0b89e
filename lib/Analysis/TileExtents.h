//===- TileExtents.h - where the extent of a tile comes from ----*- C++ -*-===//
//
// Dynamic extents of tensors and buffers, followed through slices, destinations
// and loops to the index value, or to the argument, that they come from. Reads
// IR and builds none.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_ANALYSIS_TILEEXTENTS_H
#define SMX_LIB_ANALYSIS_TILEEXTENTS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::smx {

/// One extent: a constant, else an index value, else dimension `dim` of
/// `shaped`, which nothing more is known about.
struct TileExtent {
  std::optional<int64_t> constant;
  Value index;
  Value shaped;
  int64_t dim = 0;
};

/// Where extent `dim` of the tensor or memref `shaped` comes from.
TileExtent traceExtent(Value shaped, int64_t dim);

/// The value that the loop-carried or shared block argument, or the loop
/// result, `value` starts from; null if `value` is neither.
Value getLoopInit(Value value);

/// True unless a row or stream extent of `input`, which `map` addresses in a
/// domain whose first `numTiledDims` dimensions are tiled, has no constant
/// upper bound.
bool hasBoundedExtents(Value input, AffineMap map, unsigned numTiledDims);

} // namespace mlir::smx

#endif // SMX_LIB_ANALYSIS_TILEEXTENTS_H
