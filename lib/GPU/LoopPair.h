//===- LoopPair.h - a loop over whole tiles, one over cut ones --*- C++ -*-===//
#ifndef SMX_LIB_GPU_LOOPPAIR_H
#define SMX_LIB_GPU_LOOPPAIR_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace mlir::smx::gpu {

/// A select of a loop over cut tiles: a constant, but where a tile of i1 is
/// true.
struct TileMask {
  arith::SelectOp select;
  Value isShown;
  /// The select's condition is true where the constant is to be seen.
  bool isInverted;

  bool operator==(const TileMask &other) const {
    return select == other.select;
  }
  Value shown() {
    return isInverted ? select.getFalseValue() : select.getTrueValue();
  }
  Value hidden() {
    return isInverted ? select.getTrueValue() : select.getFalseValue();
  }
};

/// Where the extent of a cut tile is asked for that is known in front of its
/// loop, and the extent of a whole tile. One that is computed from the tile's
/// place is right for either.
struct CutExtent {
  OpOperand *use;
  int64_t whole;
};

/// Loops in a row, of which one does to whole tiles what another does to tiles
/// that a mask or the end of a tensor cuts. They visit [begin, middle) and
/// [middle, end), and the second loop is the one over cut tiles. Forward, that
/// is the order. Backward (`place`), it is the other one, and each loop goes
/// from its last tile to its first.
struct LoopPair {
  scf::ForOp whole, cut;
  /// Backward: a loop over [first, begin), the last one, that does what `cut`
  /// does. May be null.
  scf::ForOp cutInFront;
  /// Backward: what gives the place of a round's tile in `cut`. Else null.
  affine::AffineApplyOp place;
  SmallVector<TileMask> masks;
  /// Products that only `cut` guards.
  SmallVector<MmaOp> guarded;
  SmallVector<CutExtent> extents;

  /// The loops that end with `last`; none unless the loop over cut tiles, where
  /// all of its masks show everything, does what the one over whole tiles does.
  static std::optional<LoopPair> match(scf::ForOp last);
};

/// True if `value` is a maximum of `bound` and something.
bool isAtLeast(Value value, Value bound);

/// True if it is known that the loop has a round: by constants, or as it ends
/// no earlier than behind its first one.
bool hasRounds(scf::ForOp loop);
/// True if `next` goes on where `loop` ends, or backward, ends where `loop`
/// begins; tile by tile, and nothing else looks at what `loop` gives. Forward,
/// the last tile may be a shorter one.
bool isContinued(scf::ForOp loop, scf::ForOp next, bool isBackward);
/// The place of a round's tile in a loop that goes from the last tile to the
/// first, begin + end - tile - at; null for another loop.
affine::AffineApplyOp mirroredPlace(scf::ForOp loop);
/// Creates that place, begin + end - step - `at`, of numbers as they are.
affine::AffineApplyOp createMirroredPlace(OpBuilder &builder, Location loc,
                                          Value at, Value begin, Value end,
                                          int64_t step);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_LOOPPAIR_H
