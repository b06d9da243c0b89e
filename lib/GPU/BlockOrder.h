//===- BlockOrder.h - in which order tiles are computed ---------*- C++ -*-===//
//
// Tiles are numbered with the last dimension of a nest fastest, in one
// dimension of the grid: only that one may be longer than 65535. Where later
// tiles of that dimension take longer, the longest ones come first.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPU_BLOCKORDER_H
#define SMX_LIB_GPU_BLOCKORDER_H

#include "DealtWaves.h"
#include "RampedWalk.h"

namespace mlir::smx::gpu {

/// Which tiles of a nest a block of threads computes.
class BlockOrder {
public:
  /// The kernel's value for one of the host.
  using Outside = llvm::function_ref<Value(Value)>;

  /// A block computes one tile; or, if `mostBlocks` is not 0, at most so many
  /// blocks walk over all tiles, of which a long and a short one are a pair. Of
  /// a tile that a cluster of blocks computes, each has the number. From so
  /// many rounds of the longest tile on the last pairs are dealt tile by tile,
  /// if `dealFrom` is not 0.
  BlockOrder(scf::ForallOp nest, int64_t mostBlocks, int64_t cluster,
             int64_t dealFrom)
      : nest(nest), mostBlocks(mostBlocks), cluster(cluster),
        dealFrom(dealFrom) {
    assert((mostBlocks == 0 || cluster == 1) && "clusters do not walk");
  }

  /// To be called first: computes on the host how many tiles there are. Fails
  /// if their extent is not static.
  LogicalResult countTiles(OpBuilder &host);
  /// The blocks to launch.
  Value getBlocks() const { return blocks; }
  /// True if later tiles take longer, and are computed before the others.
  bool isLongestFirst() const { return grows; }
  /// True if the last pairs are dealt tile by tile.
  bool isDealt() const { return dealt.has_value(); }
  /// True if short tiles are computed after all others.
  bool isShortLast() const { return ramped.has_value(); }
  /// The nest's induction variables for the tile that code at `builder` is for,
  /// which goes into a loop if blocks walk.
  SmallVector<Value> findTile(OpBuilder &builder, Outside outside);

private:
  /// The number of the tile, or of the pair.
  Value numberOfTile(OpBuilder &builder, Outside outside);
  /// Of pair `number` the long tile and then the short one, in a loop.
  Value numberInPair(OpBuilder &builder, Outside outside, Value number);
  /// True if the last tile of a row is known to be a shorter one.
  bool isLastTileShorter();
  /// How the last pairs are dealt, if they are to be, and counts are static.
  std::optional<DealtWaves> findDealtWaves();
  /// How short tiles go last, if the rounds of all are known.
  std::optional<RampedWalk> findRampedWalk();
  /// Rows of tiles along the last dimension; none if that is not static.
  std::optional<int64_t> countRows() const;

  scf::ForallOp nest;
  int64_t mostBlocks, cluster, dealFrom;
  /// Tiles, or pairs in the last one, along each dimension of the nest; tiles
  /// along the last one if it grows; all tiles or pairs; and the blocks.
  SmallVector<Value> counts;
  Value lastCount, tiles, blocks;
  /// Later tiles of the last dimension take longer.
  bool grows = false;
  std::optional<DealtWaves> dealt;
  std::optional<RampedWalk> ramped;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_BLOCKORDER_H
