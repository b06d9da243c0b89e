//===- LoopPair.h - a loop over whole tiles, and one over cut ones *- C++ -*-=//
#ifndef SMX_LIB_GPU_LOOPPAIR_H
#define SMX_LIB_GPU_LOOPPAIR_H

#include "smx/GPU/SmxGpu.h"

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

  Value shown() {
    return isInverted ? select.getFalseValue() : select.getTrueValue();
  }
  Value hidden() {
    return isInverted ? select.getTrueValue() : select.getFalseValue();
  }
};

/// Two loops in a row, of which the first does to whole tiles what the second
/// does to tiles that a mask or the end of a tensor cuts.
struct LoopPair {
  scf::ForOp whole, cut;
  SmallVector<TileMask> masks;
  /// Products that only `cut` guards.
  SmallVector<MmaOp> guarded;

  /// The pair that ends with `cut`; none unless the second loop, where all of
  /// its masks show everything, does what the first one does.
  static std::optional<LoopPair> match(scf::ForOp cut);
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_LOOPPAIR_H
