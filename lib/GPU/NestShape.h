//===- NestShape.h - what a loop nest says about its tiles ------*- C++ -*-===//
#ifndef SMX_LIB_GPU_NESTSHAPE_H
#define SMX_LIB_GPU_NESTSHAPE_H

#include "BlockSchedule.h"
#include "smx/Tiling/LongRows.h"

#include <algorithm>

namespace mlir::smx::gpu {

/// What the loop nest says about its tiles.
struct NestShape {
  std::optional<TileClasses::Class> rows;
  SmallVector<TileProduct> products;
  /// Largest bound of the dimensions that are not rows, and its class.
  int64_t longest = 1;
  std::optional<TileClasses::Class> longestClass;
  /// No other dimension than that has more than one element, and a tile has all
  /// of it.
  bool isOneRow = true;
  /// Where the longest dimension is the fastest one of a tensor, a tile has all
  /// of it.
  bool hasWholeRows = true;
  /// Beside rows there is no other dimension than the longest one, and no loop
  /// over parts of it.
  bool hasWholeColumns = false;
  /// Reductions to the largest key: of top-k, k.
  int64_t maxima = 0;
  /// Bits of all that is read of one element of a row.
  int64_t rowBits = 0;
  /// Bits of the narrowest element type that is read.
  int64_t elementBits = 64;
  /// Elements of f16 are widened by conversions, whose operands take registers.
  bool isConverted = false;
  bool rowsAreFastest = false;
  /// Operands that have other elements for each row, as long as a row.
  int64_t rowsRead = 0;
  /// A loop has rounds whose number is not known.
  bool hasOpenLoop = false;
  /// Something as long as a row is the same for all rows of a tile.
  bool sharesRows = false;
  /// Bits of what is read that has a value for each column and is the same for
  /// all rows, the weights of a norm: of the widest ones, 0 if there are none.
  int64_t weightBits = 0;
  /// Reductions other than products, and how many of them are sums.
  int64_t reductions = 0, sums = 0;
  /// A sum is wider than f32.
  bool hasDoubleSums = false;
  /// Exponentials are computed, and other functions of each element of a row:
  /// one is that it is negated (a negative scale).
  bool hasExponentials = false, hasOtherFunctions = false;
  /// Tiles that a loop reads and reduces, if that is all that is read of a row;
  /// 0 if there is no such loop, or if nobody knows.
  int64_t tiles = 0;
  /// There is a result as long as a row, and bits of one element of all such.
  bool isWritten = false;
  int64_t writtenBits = 0;
  /// Bits of the widest element type of them.
  int64_t widestWritten = 0;

  bool hasWeights() const { return weightBits != 0; }

  /// Elements that a thread reads or writes at once: what is written wider than
  /// it is read leaves in whole accesses, side by side, since a store of half
  /// of what a thread has fills half of each sector.
  int64_t accessElements() const {
    return accessBits / std::max(elementBits, widestWritten);
  }
};

/// Fails, with a diagnostic, where tiles have two dimensions of rows.
FailureOr<NestShape> shapeOf(scf::ForallOp nest, const TileClasses &classes);

/// The nest has one round.
bool isOnlyTile(scf::ForallOp nest);

/// Threads of a row, at least: 2 k sets of elements, of a thread each, leave
/// few candidates for the k largest; of 64 threads and k = 64, hundreds.
int64_t fewestThreads(const NestShape &shape);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_NESTSHAPE_H
