//===- RampedWalk.h - short tiles behind the others -------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_RAMPEDWALK_H
#define SMX_LIB_GPU_RAMPEDWALK_H

#include "DealtWaves.h"

namespace mlir::smx::gpu {

/// B blocks walk over R rows of T tiles, of which the first S of each row are
/// shorter, none longer than the next, and all others are alike: those of a
/// window. The alike ones come first, row by row, and then the shorter ones,
/// the longest of all rows first. Wave m goes to the blocks from the first to
/// the last one if m is even, else back: who got a longer tile gets a shorter
/// one next, and the last tiles of all, which some blocks have more than
/// others, are the shortest.
struct RampedWalk {
  int64_t tilesOfRow, rows, blocks, shorter;

  /// Nothing unless the rounds of all tiles of `nest` along its last dimension
  /// are known and are such, with S at most T / 2, and waves are few.
  static std::optional<RampedWalk> of(scf::ForallOp nest, int64_t tilesOfRow,
                                      int64_t rows, int64_t blocks);

  /// The numbers of the tile that code at `builder` is for, which goes into a
  /// loop over those of a block.
  DealtWaves::Place emitWalk(OpBuilder &builder, Location loc) const;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_RAMPEDWALK_H
