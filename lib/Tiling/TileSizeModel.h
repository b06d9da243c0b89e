//===- TileSizeModel.h - how large a tile is --------------------*- C++ -*-===//
#ifndef SMX_LIB_TILING_TILESIZEMODEL_H
#define SMX_LIB_TILING_TILESIZEMODEL_H

#include "smx/IR/Smx.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::smx {

struct TileSizes {
  /// One per row dimension, in elements.
  SmallVector<int64_t> rows;
  /// Along the stream, in elements.
  int64_t stream;
  /// Along the columns of the accumulator, in elements; 0 is all of them.
  int64_t columns = 0;
  /// Blocks of few rows that are to run at once, if an accumulator says so.
  int64_t slots = 0;
  /// Tiles are for thread blocks: all rows in one loop, the last tile shorter.
  bool inBlocks = false;
  /// The streamed quantity of a row that is not resident is deferred, instead
  /// of being computed in a second look at the stream.
  bool isDeferred = false;
  /// The reference of a row moves only where a score is above it by more than a
  /// slack, and that is dear: the order of the tiles matters.
  bool hasSlack = false;
  /// A mask lets a row see few keys: a good part of its tiles are cut.
  bool seesFewKeys = false;
  /// Masked scores are visited from the last tile that is seen on.
  bool fromDiagonal = false;
  /// Tiles that a mask cuts are halves: less of them is hidden.
  bool halvesCutTiles = false;

  /// Along the stream, of tiles that a mask cuts.
  int64_t cutStream() const {
    return halvesCutTiles && stream % 2 == 0 ? stream / 2 : stream;
  }

  /// True if columns, the last of a domain of `sizes`, are cut into strips.
  bool hasStrips(ArrayRef<OpFoldResult> sizes) const {
    return columns != 0 &&
           getConstantIntValue(sizes.back()).value_or(0) > columns;
  }
};

/// What tiles for caches depend on, beside the reduction.
struct CacheTileOptions {
  /// What the caller decides; 0 leaves it to the model.
  int64_t rows = 0, stream = 0;
  /// A row that takes at most so many bytes as elements of the state is one
  /// tile, if a result is as long as it.
  int64_t residentBytes = 0;
  bool wantsResidentRows = false;
  /// A tile of rows that is not resident and takes at most so many bytes is
  /// deferred, if its finishes can be.
  int64_t deferredBytes = 0;
  bool canDefer = false;
};

/// Chooses tiles for a reduction whose domain has `sizes`.
///
/// The model: a reduction with an accumulator does two products per tile, and
/// 64 rows by 128 elements keep the score tile (32 KiB of f32) near the first
/// cache while the accumulator stays in the second. A plain row reduction moves
/// every element once or twice and wants tiles of about 8 KiB, so that the
/// second look at a row finds it in the first cache; with the stream in the
/// fastest dimension those are few whole rows, otherwise a strip of
/// neighbouring rows, of at least an eighth of their length. A row that is not
/// resident is streamed in tiles of 65536 elements. What a tile gives can be
/// kept in the last cache, which saves the second exponential of every element;
/// a row that does not fit there is looked at twice.
TileSizes chooseTileSizes(StreamingReductionOpInterface op,
                          ArrayRef<OpFoldResult> sizes,
                          const CacheTileOptions &options);

/// What tiles for thread blocks depend on, beside the reduction.
struct BlockTileOptions {
  /// What the caller decides; 0 leaves it to the model.
  int64_t rows = 0, stream = 0, parts = 0;
  /// Registers that hold a row; those that hold one of 16-bit elements which
  /// starts and ends anywhere and is only read (0: as of any type).
  int64_t rowBytes = 0, slidRowBytes = 0;
  /// Blocks of a cluster that hold columns of memory.
  int64_t stripBlocks = 1;
  /// Bytes that rows are known to start at multiples of.
  int64_t alignment = accessBits / 8;
  /// Groups of 64 rows multiply asynchronously.
  bool warpgroups = false;
  /// Blocks of these that run at once; 0: not known.
  int64_t multiprocessors = 0;
  /// Blocks of few rows that run at once.
  int64_t slots = 1;
  /// What a block has of shared memory.
  int64_t sharedBytes = 0;
};

/// The same for thread blocks of a GPU, whose tiles live in registers. The
/// model, in rows x keys (or elements of the stream):
///
/// With an accumulator
///   * 64 x 64: the registers of 4 warps leave room for two blocks of threads
///     on a multiprocessor. Where registers are short, as under a mask, 32 or
///     16 keys. 128 rows for accumulators of at most 128 columns of 16-bit
///     values.
///   * `warpgroups`, of 64 rows each, have the registers of a multiprocessor to
///     themselves: 128 x 128; 128 x 96 where each score reads an element of its
///     own and there are more than 64 columns; 128 x 64 with more than 128
///     columns.
///   * With at most 64 columns three of them take 192 x 96, but not in at most
///     2048 rows, with at most 1024 keys (640 of 64 columns without a mask),
///     where a row sees at most 2048 keys (a mask would cut most tiles), where
///     the last tile has few rows, where tiles would span marked blocks, or
///     where two of them take no more waves of blocks and nothing is cut.
///   * Accumulators of more than 1 KiB a row (f64: 512 bytes) are cut into
///     strips of columns, each of which has its scores computed again. Then
///     there are fewer keys, then fewer rows, until the tiles of queries, keys
///     and values fit `sharedBytes`.
///
/// With an accumulator and at most 16 rows (decoding)
///   * Tiles of 8 KiB of keys; of 16 KiB where there are several blocks for
///     each of `slots` and a warp does not widen what it reads, or where the
///     stream is cut into many parts, of which there are half as many then.
///   * Where more heads than that share a head of keys, those are the rows.
///   * Where each row has columns of its own: a stream of at most 64 KiB is one
///     tile, and strips of 32 columns or more have blocks of their own until
///     there are `slots`; of a longer or an open stream strips have at most
///     1 KiB.
///
/// Plain rows
///   * One tile, if registers hold the row: what is read of it for the update
///     and for `finishes` takes at most `rowBytes`. Otherwise tiles have at
///     most 4096 elements, or 8192 of 16 bits.
///   * Several short rows to a block: 4 KiB of them, or as many as are moved
///     as one piece where they start anywhere (AdjacentRows.h).
///   * Where rows are the fastest dimension, 16 to 128 of them: whole, if up to
///     `stripBlocks` blocks hold them, so that they are read once; else parts
///     of 256 to 1024 elements, each of which costs the running sum one
///     rounding.
TileSizes chooseBlockTileSizes(StreamingReductionOpInterface op,
                               ArrayRef<FinishOp> finishes,
                               ArrayRef<OpFoldResult> sizes,
                               const BlockTileOptions &options);

/// A tile of the stream lies in one page: it is shortened, or, if the caller
/// wants tiles of `wantedStream` (0: of any length), this fails with a
/// diagnostic.
LogicalResult fitIntoPages(StreamingReductionOpInterface reduction,
                           int64_t wantedStream, TileSizes &tileSizes);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_TILESIZEMODEL_H
