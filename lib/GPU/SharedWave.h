//===- SharedWave.h - the last tiles of a walk, shared by blocks *- C++ -*-===//
#ifndef SMX_LIB_GPU_SHAREDWAVE_H
#define SMX_LIB_GPU_SHAREDWAVE_H

#include "Indices.h"

#include <algorithm>

namespace mlir::smx::gpu {

/// The arithmetic of `Indices` on numbers that are known.
struct KnownNumbers {
  int64_t number(int64_t value) const { return value; }
  int64_t plus(int64_t a, int64_t b) const { return a + b; }
  int64_t minus(int64_t a, int64_t b) const { return a - b; }
  int64_t times(int64_t a, int64_t b) const { return a * b; }
  int64_t over(int64_t a, int64_t b) const { return a / b; }
  int64_t rest(int64_t a, int64_t b) const { return a % b; }
  int64_t atLeast(int64_t a, int64_t b) const { return std::max(a, b); }
  bool isBelow(int64_t a, int64_t b) const { return a < b; }
  bool isEqual(int64_t a, int64_t b) const { return a == b; }
  int64_t choose(bool condition, int64_t a, int64_t b) const {
    return condition ? a : b;
  }
};

/// The last tiles of a walk lie in a row, R rounds each, and blocks share that
/// row: block by block the next piece, all of about the same length, where
/// every tile is longer by what its beginning and end take. A piece is at most
/// as long as a tile, so it is one part of a tile, or the last rounds of one
/// and the first ones of the next. The block with the first rounds of a tile
/// has the following blocks' states of the others.
///
/// As stream-K splits the inner loops of products (Osama et al., "Stream-K:
/// Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication
/// on the GPU", PPoPP 2023), with a cost for each tile.
struct SharedWave {
  /// Tiles that are whole, which come first, and those that are shared.
  int64_t whole = 0, tiles = 0;
  /// Rounds of a tile; and blocks that share it.
  int64_t rounds = 0, blocks = 1;
  /// What a tile's beginning and end take, in rounds: even.
  int64_t besides = 0;

  /// Where a piece begins: a tile from the first that is shared on, and a round
  /// of it.
  template <typename Number>
  struct Place {
    Number tile, round;
  };
  /// Where the piece of `block`, a number from 0 to `blocks`, begins.
  template <typename Arithmetic, typename Number>
  Place<Number> beginOf(Arithmetic &b, Number block) const {
    Number place = b.over(b.times(block, tiles * length()), blocks);
    Number tile = b.over(place, length());
    // No part is a part of a beginning or an end.
    Number round = b.atLeast(b.rest(place, length()), besides / 2);
    round = b.minus(round, b.number(besides / 2));
    auto isInside = b.isBelow(round, rounds);
    return {b.choose(isInside, tile, b.plus(tile, b.number(1))),
            b.choose(isInside, round, b.number(0))};
  }

  /// The blocks from the next one to this, exclusively, have the last rounds of
  /// `tile`.
  template <typename Arithmetic, typename Number>
  Number endOfBlocksWith(Arithmetic &b, Number tile) const {
    Number end =
        b.plus(b.times(tile, length()), b.number(besides / 2 + rounds));
    return b.over(b.plus(b.times(end, blocks), b.number(tiles * length() - 1)),
                  tiles * length());
  }

  /// No piece is empty.
  bool isPossible() const { return tiles * length() >= blocks * (besides + 1); }

private:
  int64_t length() const { return rounds + besides; }
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_SHAREDWAVE_H
