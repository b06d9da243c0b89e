//===- ScoreTerms.h - what scores read from memory --------------*- C++ -*-===//
//
// Scores that each take an element of their own from memory, as with a bias
// tensor, and the tiles that suit them.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_TILING_SCORETERMS_H
#define SMX_LIB_TILING_SCORETERMS_H

#include "ProductTiles.h"

namespace mlir::smx {

/// What each score takes for itself: neither what its rows nor what its columns
/// share, nor what the pairs of one distance do.
struct ScoreTerms {
  /// For a score; 0 if there are none.
  int64_t bytes = 0;
  /// Rows of scores read rows in memory that start at multiples of 16 bytes, if
  /// the tensor does: tiles of it can be copied.
  bool areCopied = true;
  /// Scores are added to and multiplied, and nothing else.
  bool areAdded = true;
  /// What else scores read: neighbours share it.
  int64_t shared = 0;
  /// Those of them that all scores of a tile share.
  int64_t scalars = 0;
  /// Scores are computed from their places.
  bool takePlaces = false;
  /// What scores are computed with takes few registers beside the product.
  bool takeLittle = true;
  /// All of that are rows in memory, each for all rows of scores, which start
  /// at multiples of 16 bytes if the tensor does.
  bool areRepeated = true;
  /// None of that has more than 16 bits.
  bool areNarrow = true;

  /// True if scores read nothing for themselves or their neighbours: they are
  /// computed from products, places, and numbers of a tile.
  bool readNothing() const {
    return bytes == 0 && takeLittle && shared == scalars;
  }
  /// True if they take no more than the product alone.
  bool areLinear() const { return readNothing() && areAdded && !takePlaces; }

  /// True if a group of 64 rows has registers for them beside those of scores
  /// that are functions of products alone: a row that is repeated, and added. A
  /// thread has two neighbours of it in one access for all of its rows. Where
  /// the place is another function of the two, such as their distance, each
  /// element is an access of its own, and of f32 accesses are twice as many:
  /// three groups are slower than two with longer tiles (measured).
  bool takeFewRegisters() const {
    return bytes == 0 && areAdded && shared == 1 && areRepeated && areNarrow;
  }
};

ScoreTerms findScoreTerms(StreamingReductionOpInterface op);

/// Keys of a tile of 64 rows that a warpgroup has beside another one, where its
/// threads read `terms`: of the registers of a thread, accumulators take
/// columns / 2, scores keys / 2 and weights keys / 4. What is read takes
/// keys / 2 as well: it comes while the products are under way
/// (`smx-gpu-early-reads`), if there is room for all of it, and else after
/// them, which takes longer than shorter tiles do.
int64_t longestGatheredStream(const ScoreTerms &terms, int64_t columns);

/// Keys of a tile of 128 rows without roles, of which warps hold 32 each, where
/// scores of `op` read `terms` beside an accumulator of more than 64 columns
/// (`width`). What is read for every score, or by the distance of its two
/// places, is an address and a register for each: the room of 16 keys beside a
/// mask, or beside the widest accumulators without one; and of f32, or by the
/// distance of f16, where a mask cuts tiles on both sides, of 16 more. Where
/// ptxas spills nothing was found by trying.
int64_t longestPortableStream(StreamingReductionOpInterface op,
                              const ScoreTerms &terms, int64_t width);

/// Rows and keys.
struct ProductTile {
  int64_t rows, stream;
};

/// The tile for `terms` that are copied as keys and values are, and read from
/// shared memory (`smx-gpu-roles{terms}`): the fastest one that `bytes` have
/// room for beside keys and values, if any. Three groups read what is copied
/// for all rows once less. Beside more keys than 64, what is left of them, a
/// mask, functions of scores, or terms of 32 bits, they have no registers.
std::optional<ProductTile> tileWithTerms(const ScoreTerms &terms,
                                         const ProductTiles &shared,
                                         int64_t columns, bool mayHaveLongRows,
                                         int64_t bytes);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_SCORETERMS_H
