//===- RampedWalk.cpp - short tiles behind the others ---------------------===//

#include "RampedWalk.h"

#include "Indices.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::smx::gpu;

std::optional<RampedWalk> RampedWalk::of(scf::ForallOp nest, int64_t tilesOfRow,
                                         int64_t rows, int64_t blocks) {
  // Of more waves, what one tile is longer than another does not show; and
  // blocks that compute the short tiles of many rows share no keys.
  constexpr int64_t mostWaves = 32;
  int64_t tiles = tilesOfRow * rows;
  if (blocks < 1 || tiles <= blocks || tiles > mostWaves * blocks)
    return std::nullopt;
  int64_t before = 0, shorter = 0;
  for (int64_t tile = 0; tile < tilesOfRow; ++tile) {
    std::optional<int64_t> rounds = DealtWaves::countRounds(nest, tile);
    if (!rounds || *rounds < before)
      return std::nullopt;
    if (*rounds > before)
      shorter = tile;
    before = *rounds;
  }
  if (shorter == 0 || shorter > tilesOfRow / 2)
    return std::nullopt;
  return RampedWalk{tilesOfRow, rows, blocks, shorter};
}

DealtWaves::Place RampedWalk::emitWalk(OpBuilder &builder, Location loc) const {
  Indices b(loc, builder);
  int64_t tiles = tilesOfRow * rows, waves = tiles / blocks,
          last = tiles % blocks, alikeOfRow = tilesOfRow - shorter,
          alike = alikeOfRow * rows;
  Value block = ::mlir::gpu::BlockIdOp::create(b, ::mlir::gpu::Dimension::x),
        fromBack = b.minus(blocks - 1, block);
  Value isLater = b.isBelow(waves % 2 != 0 ? fromBack : block, last);
  Value count = b.choose(isLater, b.number(waves + 1), b.number(waves));
  auto loop = scf::ForOp::create(b, b.number(0), count, b.number(1));
  builder.setInsertionPointToStart(loop.getBody());
  b.setInsertionPointToStart(loop.getBody());
  Value wave = loop.getInductionVar();
  Value tile =
      b.plus(b.times(wave, blocks), b.choose(b.isOdd(wave), fromBack, block));
  Value isAlike = b.isBelow(tile, alike),
        behind = b.minus(tile, b.number(alike));
  Value place =
      b.choose(isAlike, b.plus(b.rest(tile, alikeOfRow), b.number(shorter)),
               b.minus(shorter - 1, b.over(behind, rows)));
  // The rest says to those who ask in which range the number is.
  return {b.rest(place, tilesOfRow),
          b.choose(isAlike, b.over(tile, alikeOfRow), b.rest(behind, rows))};
}
