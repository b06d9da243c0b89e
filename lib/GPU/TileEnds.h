//===- TileEnds.h - the ends of the numbers of a tile -----------*- C++ -*-===//
#ifndef SMX_LIB_GPU_TILEENDS_H
#define SMX_LIB_GPU_TILEENDS_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace mlir::smx::gpu {

/// What is known of a tile of i1 as a whole. Null: nothing.
struct TileTruth {
  /// i1, false only where no place of the tile is true.
  Value isAny;
  /// i1, true only where every place is.
  Value isEvery;
};

/// Computes, at the insertion point of a builder, numbers that tell of a tile
/// of positions what a mask of it is at its ends. What the tiles are made of in
/// the same block, numbers alone, is moved there, too.
class TileEnds {
public:
  explicit TileEnds(OpBuilder &builder) : builder(builder) {}

  /// What a mask is made of: comparisons of positions, sums of these and
  /// numbers, and what `and` and `or` make of them.
  TileTruth truthOf(Value mask);

private:
  /// Numbers, the least and the most of a tile of indices; these are met.
  struct Ends {
    Value least, most;
  };
  /// Nothing for a tile made of anything else.
  std::optional<Ends> endsOf(Value tile);
  Ends single(Value number) { return {number, number}; }
  /// True if `number` is there at the insertion point; it may be moved.
  bool bring(Value number);

  OpBuilder &builder;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_TILEENDS_H
