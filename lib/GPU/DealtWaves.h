//===- DealtWaves.h - the last tiles of a walk, one by one ------*- C++ -*-===//
#ifndef SMX_LIB_GPU_DEALTWAVES_H
#define SMX_LIB_GPU_DEALTWAVES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx::gpu {

/// B blocks walk over P pairs of tiles, pair i of a row the long tile T - 1 - i
/// and the short one i, of T, an even number. All but the last wave of pairs
/// that is whole, and what is behind it, go as pairs do: F = P / B - 1 waves,
/// pair p to block p mod B. The R = P - F B others are dealt tile by tile, U =
/// 2 R of them, the longest first: the long tiles in the order of i, and then
/// the short ones the other way round. Wave m of these goes to the blocks from
/// the first to the last one if m is even, else back: who got a longer tile
/// gets a shorter one next.
struct DealtWaves {
  int64_t tilesOfRow, pairs, blocks;

  /// The pairs of a walk of several waves.
  static std::optional<DealtWaves> of(int64_t tilesOfRow, int64_t rows,
                                      int64_t blocks);

  /// Rounds of the loops of the tile whose number along the last dimension of
  /// the nest is `tile`; none if that is not known.
  static std::optional<int64_t> countRounds(scf::ForallOp nest, int64_t tile);

  /// The number of a tile within its row, and that of its row.
  struct Place {
    Value tile, row;
  };
  /// The numbers of the tile that code at `builder` is for, which goes into a
  /// loop over those of a block.
  Place emitWalk(OpBuilder &builder, Location loc) const;

private:
  int64_t pairsOfRow() const { return tilesOfRow / 2; }
  int64_t wavesOfPairs() const { return pairs / blocks - 1; }
  int64_t dealtPairs() const { return pairs - wavesOfPairs() * blocks; }
  /// Of the pairs that are dealt, with that of the longest tile first, the one
  /// that is number `number`; `tile` is the short one's.
  Place longest(OpBuilder &builder, Location loc, Value number) const;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_DEALTWAVES_H
