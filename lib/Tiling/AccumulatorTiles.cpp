//===- AccumulatorTiles.cpp - tiles of blocks with an accumulator ---------===//

#include "BlockTiles.h"
#include "ProductTiles.h"
#include "ScoreTerms.h"
#include "StreamBounds.h"
#include "WarpgroupTiles.h"

using namespace mlir;
using namespace mlir::smx;

/// The group that a quotient in the map of the values makes; of one row if
/// there is none.
static RowGroup groupOf(AffineMap values, unsigned numRows) {
  for (AffineExpr expr : values.getResults()) {
    auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(quotient.getLHS());
    auto size = dyn_cast<AffineConstantExpr>(quotient.getRHS());
    if (dim && size && dim.getPosition() < numRows)
      return {dim.getPosition(), size.getValue()};
  }
  return {};
}

/// Columns of a block where each row has columns of its own: fewer where there
/// are fewer rows than blocks have room, so that more of these read.
static int64_t columnsOfOwn(ArrayRef<OpFoldResult> rowSizes, int64_t columns,
                            int64_t slots) {
  // In f32, 128 bytes.
  constexpr int64_t fewestColumns = 32;
  for (OpFoldResult size : rowSizes)
    slots /= std::max<int64_t>(getConstantIntValue(size).value_or(slots), 1);
  while (slots > 1 && columns % (2 * fewestColumns) == 0) {
    columns /= 2;
    slots /= 2;
  }
  return columns;
}

/// Columns of such a block where the stream is more than a tile: the most that
/// divide `columns`, of which a lane keeps 8 registers of each state (maximum,
/// sum and average) through the loop. All if none are that few.
static int64_t columnsOfOwnInLoop(int64_t columns, int64_t elementBytes) {
  constexpr int64_t keptBytes = 1024, unit = 16;
  int64_t most = keptBytes / elementBytes;
  for (int64_t fewer = std::min(most, columns); fewer >= 2 * unit;
       fewer -= unit)
    if (columns % fewer == 0)
      return fewer;
  return columns;
}

/// Tiles of few rows, each of a group or of all rows of the last dimension;
/// none if an extent is open.
static std::optional<int64_t> blocksOf(ArrayRef<OpFoldResult> rowSizes,
                                       const RowGroup &group,
                                       int64_t rowExtent) {
  int64_t blocks = 1;
  for (OpFoldResult size : rowSizes) {
    std::optional<int64_t> extent = getConstantIntValue(size);
    if (!extent)
      return std::nullopt;
    blocks *= *extent;
  }
  int64_t each = group.size > 1 ? group.size : rowExtent;
  return blocks / std::max<int64_t>(each, 1);
}

namespace {
/// The rules for a tile of an accumulator; each has what those before it chose.
class AccumulatorTile : BlockReduction {
public:
  AccumulatorTile(const BlockReduction &reduction,
                  const BlockTileOptions &options);

  BlockTile choose();

private:
  void cutColumns();
  void fillRegisters();
  void takeWarpgroups();
  void packFewRows();
  void fitSharedMemory();
  void takeColumnsOfOwn();

  /// Few rows have tiles that the caller does not decide about.
  bool hasFewRows() const;
  /// Few rows stream elements of 16 bits.
  void streamFewRows(int64_t columnBytes);
  bool hasManyParts(int64_t blocks, int64_t stream, bool isWidened) const;

  const BlockTileOptions &options;
  ScoreTerms terms;
  /// Every row has columns of its own: there is no product of matrices.
  bool hasOwnColumns;
  int64_t columns = 1;
  /// What products take of shared memory, and what they may.
  ProductTiles shared;
  int64_t sharedBytes;
  BlockTile tile;
};
} // namespace

AccumulatorTile::AccumulatorTile(const BlockReduction &reduction,
                                 const BlockTileOptions &options)
    : BlockReduction(reduction), options(options), terms(findScoreTerms(op)),
      sharedBytes(options.sharedBytes) {
  SmallVector<AffineMap> maps = op.getOperandMaps();
  auto inputs = ArrayRef(maps).drop_front(op.getStateOperands().size() + 1);
  hasOwnColumns = numRows != 0 && llvm::any_of(inputs, [&](AffineMap map) {
                    return map.isFunctionOfDim(numRows - 1);
                  });
  for (OpFoldResult size : sizes.drop_front(numRows + 1))
    columns *= getConstantIntValue(size).value_or(128);
  tile.sizes.slots = options.slots;
}

BlockTile AccumulatorTile::choose() {
  // Registers come first: they have the accumulator through the loop.
  if (!hasOwnColumns)
    cutColumns();
  fillRegisters();
  takeWarpgroups();
  // Few rows leave registers unused, and memory is their limit.
  if (hasFewRows())
    packFewRows();
  // Shared memory takes back what it has no room for. Columns that are a row's
  // own do not pass through it.
  if (!hasOwnColumns)
    fitSharedMemory();
  if (options.rows != 0)
    tile.rows = options.rows;
  // A tile has no room for a third dimension, whatever the caller wants.
  if (hasOwnColumns)
    takeColumnsOfOwn();
  return tile;
}

/// Wide accumulators are cut into strips; what is streamed for one takes shared
/// memory.
void AccumulatorTile::cutColumns() {
  if (sizes.size() == numRows + 2)
    columns = tile.sizes.columns = columnsOfStrip(columns, elementBytes);
  shared.keyBytes = bytesOfFactors(op.getInputOperands().front());
  shared.valueBytes = paddedProductExtent(columns, inputBits) * inputBits / 8;
  shared.stages = inputBits == 16 ? 2 : 1;
  shared.extent = extent;
  sharedBytes -= exchangeReserve;
}

/// A warp holds 16 rows of the accumulator and of the scores. What it reads of
/// keys and values serves 32 rows where registers have room for them and the
/// matrix unit multiplies; what scores read, and masks take some of that room,
/// but for one edge of products of 16-bit elements. Rows of 96 such elements
/// take more addresses, because of their swizzle.
void AccumulatorTile::fillRegisters() {
  constexpr int64_t addressedWidth = 96;
  int64_t width = columns * elementBytes / 4;
  bool isShort = inputBits == 16 && width <= 128;
  tile.rows = isShort ? 128 : 64;
  bool readsShared = isShort && terms.shared != 0;
  bool isTight = op.mayBeMasked() && inputBits != 32 &&
                 !(isShort && width > addressedWidth && hasOneEdge(op));
  int64_t &stream = tile.sizes.stream;
  if (width <= (isTight || readsShared ? 64 : 128))
    stream = 64;
  else if (isShort)
    stream = 48;
  else
    stream = inputBits == 16 || width <= 128 ? 32 : 16;
  if (isShort && width > 64)
    stream = std::min(stream, longestPortableStream(op, terms, width));
}

/// Warpgroups have the registers of a multiprocessor to themselves: what is
/// streamed has 16 bits an element, and a warpgroup rows enough.
void AccumulatorTile::takeWarpgroups() {
  constexpr int64_t mostColumns = 256;
  if (!options.warpgroups || inputBits != 16 || columns > mostColumns ||
      rowExtent == 1)
    return;
  WarpgroupRows rowsOfAll{rowExtent, std::nullopt, options.multiprocessors};
  if (rowExtent)
    rowsOfAll.matrices = blocksOf(rowSizes(), RowGroup(), *rowExtent);
  WarpgroupTiles chosen(op, terms, columns, rowsOfAll, shared, sharedBytes);
  tile.sizes.hasSlack = true;
  tile.sizes.seesFewKeys = chosen.seesFewKeys;
  tile.sizes.fromDiagonal = chosen.fromDiagonal;
  shared = chosen.shared;
  sharedBytes = chosen.sharedBytes;
  if (chosen.stream != 0) {
    tile.rows = chosen.rows;
    tile.sizes.stream = chosen.stream;
  }
}

bool AccumulatorTile::hasFewRows() const {
  constexpr int64_t fewRows = 16;
  return numRows != 0 && rowExtent && *rowExtent <= fewRows &&
         options.rows == 0;
}

/// What few rows have to compute is less than what they read, and one warp for
/// it lets many blocks have a tile under way each. Where heads share keys and
/// are more than queries, rows are heads.
void AccumulatorTile::packFewRows() {
  constexpr int64_t mostGrouped = 64;
  RowGroup group = groupOf(op.getOperandMaps().back(), numRows);
  if (group.size > *rowExtent && group.size <= mostGrouped)
    tile.group = group;
  int64_t columnBytes = columns * inputBits / 8;
  if (inputBits == 16)
    streamFewRows(std::max<int64_t>(columnBytes, 1));
  // Rows that end within a span of the swizzle take more addresses, and f64
  // more registers.
  constexpr int64_t span = 128;
  if (inputBits == 32 ? columnBytes > 3 * span && columnBytes % span != 0
                      : inputBits == 64 && shared.keyBytes > 4 * span)
    tile.sizes.stream = std::min<int64_t>(tile.sizes.stream, 32);
}

/// A multiprocessor has room for 6 blocks with tiles of 8 KiB (keys and values,
/// two of each), and for 3 where they are twice as long.
void AccumulatorTile::streamFewRows(int64_t columnBytes) {
  constexpr int64_t streamedBytes = 8192, manyRounds = 3, shortest = 16,
                    widest = 256;
  int64_t &slots = tile.sizes.slots;
  // A warp that widens what it reads waits for its own instructions, too: of
  // twice as many another one has some, two for each scheduler. Beside wider
  // rows there is no room for them.
  bool isWidened = areWidened(op.getInputOperands().back());
  if (isWidened && columnBytes <= widest)
    slots *= 2;
  auto streamOf = [&](int64_t bytes, int64_t longest) {
    return std::clamp<int64_t>(llvm::bit_floor(uint64_t(bytes / columnBytes)),
                               shortest, longest);
  };
  tile.sizes.stream = streamOf(streamedBytes, 64);
  std::optional<int64_t> blocks = blocksOf(rowSizes(), tile.group, *rowExtent);
  if (options.slots <= 1 || !blocks)
    return;
  // The last ones of several rounds matter little.
  if (!isWidened && *blocks >= manyRounds * slots)
    tile.sizes.stream = streamOf(2 * streamedBytes, 64);
  int64_t twice = streamOf(2 * streamedBytes, 128);
  if (columnBytes <= widest && hasManyParts(*blocks, twice, isWidened)) {
    tile.sizes.stream = twice;
    slots /= 2;
  }
}

/// True if a stream has so many parts that half as many, with as much under
/// way in tiles of `stream` keys, save more by being merged sooner. What is
/// left of a stream beside them, and what scores read, takes that back, and so
/// do parts of a few tiles. Where warps widen tiles, fewer of them do less: of
/// these only if more parts have room than are made, for rows that fill a span
/// twice, and where a conversion is one instruction.
bool AccumulatorTile::hasManyParts(int64_t blocks, int64_t stream,
                                   bool isWidened) const {
  constexpr int64_t manyParts = 32, moreThanAreMade = 128, fewTiles = 4;
  int64_t slots = tile.sizes.slots;
  if (options.stream != 0 || options.parts != 0 || terms.bytes != 0 ||
      terms.shared != 0 || !extent || *extent % stream != 0 ||
      *extent * blocks < fewTiles * stream * slots / 2)
    return false;
  if (!isWidened)
    return blocks * manyParts <= slots;
  return options.warpgroups && stream <= 64 &&
         blocks * moreThanAreMade <= slots;
}

/// There are fewer keys, then fewer rows, until tiles of queries, keys and
/// values fit. Rows of a group stay together, or are none.
void AccumulatorTile::fitSharedMemory() {
  auto fitting = [&](int64_t rows) {
    return shared.fittingStream(rows, tile.sizes.stream, sharedBytes);
  };
  if (tile.group.size > 1 && fitting(tile.group.size) == 0)
    tile.group = {};
  tile.rows = std::min(tile.rows, rowExtent.value_or(tile.rows));
  bool isGrouped = tile.group.size > 1;
  while (!isGrouped && fitting(tile.rows) == 0 &&
         tile.rows > ProductTiles::piece)
    tile.rows = llvm::alignTo(tile.rows / 2, ProductTiles::piece);
  tile.sizes.stream = std::max(fitting(isGrouped ? tile.group.size : tile.rows),
                               ProductTiles::piece);
}

/// A short stream is one tile: its loads are under way together.
void AccumulatorTile::takeColumnsOfOwn() {
  // Bytes of a tile that the threads of a block hold, beside two factors.
  constexpr int64_t oneTileBytes = 65536;
  auto isOneTile = [&](int64_t columns) {
    return extent && *extent * columns * elementBytes <= oneTileBytes;
  };
  tile.rows = 1;
  int64_t fewer = columnsOfOwn(rowSizes(), columns, options.slots);
  if (!isOneTile(fewer))
    fewer = columnsOfOwnInLoop(fewer, elementBytes);
  if (sizes.size() == numRows + 2 && fewer < columns)
    columns = tile.sizes.columns = fewer;
  if (isOneTile(columns))
    tile.sizes.stream = std::max(tile.sizes.stream, *extent);
}

BlockTile mlir::smx::chooseAccumulatorTile(const BlockReduction &reduction,
                                           const BlockTileOptions &options) {
  return AccumulatorTile(reduction, options).choose();
}
