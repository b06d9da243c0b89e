//===- BlockTileSizeModel.cpp - tiles for thread blocks -------------------===//

#include "BlockTiles.h"
#include "smx/IR/ElementBits.h"
#include "smx/Tiling/AdjacentRows.h"
#include "smx/Tiling/ColumnStrips.h"
#include "smx/Tiling/LongRows.h"
#include "smx/Tiling/RowParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

static int64_t bitsOf(Value value) { return elementBits(value.getType()); }

BlockReduction::BlockReduction(StreamingReductionOpInterface op,
                               ArrayRef<OpFoldResult> sizes)
    : op(op), sizes(sizes), numRows(op.getNumRows()),
      extent(getConstantIntValue(sizes[numRows])),
      rowExtent(numRows == 0 ? std::optional<int64_t>(1)
                             : getConstantIntValue(sizes[numRows - 1])),
      elementBytes(bitsOf(op.getStateOperands().front()) / 8),
      scoreBits(bitsOf(op.getInputOperands().front())),
      inputBits(bitsOf(op.getInputOperands().back())),
      hasColumns(op.getNumDims() > numRows + 1),
      isStreamFastest(mlir::smx::isStreamFastest(op)) {}

//===----------------------------------------------------------------------===//
// Whole rows
//===----------------------------------------------------------------------===//

/// Bytes of an element of each tensor as long as a row of `extent` elements,
/// which the reduction and its quantities are computed from.
static SmallVector<int64_t> bytesOfTensors(StreamingReductionOpInterface op,
                                           ArrayRef<FinishOp> finishes,
                                           int64_t extent) {
  llvm::SetVector<Value> values;
  values.insert_range(op.getInputOperands());
  for (FinishOp finish : finishes)
    values.insert_range(finish.getInputs());
  SmallVector<int64_t> bytes;
  for (size_t i = 0; i < values.size(); ++i) {
    auto type = dyn_cast<RankedTensorType>(values[i].getType());
    if (!type || !llvm::is_contained(type.getShape(), extent))
      continue;
    Operation *producer = values[i].getDefiningOp();
    if (isa_and_nonnull<linalg::LinalgOp, MaskOp>(producer))
      values.insert_range(producer->getOperands());
    else if (!isa_and_nonnull<tensor::EmptyOp, arith::ConstantOp>(producer))
      bytes.push_back(elementBytes(type));
  }
  return bytes;
}

/// Bytes of registers for an element of such a row: for all of these tensors,
/// or for what is computed of none.
static int64_t bytesPerElement(StreamingReductionOpInterface op,
                               ArrayRef<FinishOp> finishes, int64_t extent) {
  int64_t bytes = 0;
  for (int64_t ofTensor : bytesOfTensors(op, finishes, extent))
    bytes += ofTensor;
  if (bytes == 0)
    bytes = elementBytes(op.getInputOperands().front().getType());
  return registerBytesOfRow(
      bytes,
      getElementTypeOrSelf(op.getStateOperands().front().getType()).isF64());
}

/// Nothing as long as a row is written.
static bool areOnlyRead(ArrayRef<FinishOp> finishes) {
  return llvm::none_of(finishes,
                       [](FinishOp finish) { return finish.isStreamed(); });
}

namespace {
/// How long a tile of a row is: the row, if it takes at most `heldBytes` of
/// registers; else so many elements at most.
class RowTileLimits {
public:
  RowTileLimits(const BlockReduction &reduction, ArrayRef<FinishOp> finishes,
                const BlockTileOptions &options);

  int64_t longestTile() const;

private:
  void limitReadOnce(const BlockTileOptions &options);
  void lengthenRead(int64_t slots);
  void lengthenShared(int64_t slots);
  void limitKeys();

  /// Elements of a tile that is not the row, where nothing is known against it.
  static int64_t plainTile(int64_t bits) { return bits == 16 ? 8192 : 4096; }
  /// A row of elements of `bits` ends within an access.
  bool isCut(int64_t bits) const {
    return *row.extent * bits % accessBits != 0;
  }

  const BlockReduction &row;
  /// Bytes of registers for an element, if the extent is known.
  std::optional<int64_t> bytesOfElement;
  int64_t heldBytes, longest;
};
} // namespace

RowTileLimits::RowTileLimits(const BlockReduction &reduction,
                             ArrayRef<FinishOp> finishes,
                             const BlockTileOptions &options)
    : row(reduction), heldBytes(options.rowBytes),
      longest(plainTile(row.inputBits)) {
  if (row.extent)
    bytesOfElement = bytesPerElement(row.op, finishes, *row.extent);
  if (areOnlyRead(finishes))
    limitReadOnce(options);
  else if (options.parts == 0)
    lengthenShared(options.slots);
  if (row.hasKeys())
    limitKeys();
}

/// What is read once anyway needs no more than a block. Where accesses are cut,
/// a thread of it has half as much, and longer tiles share what they cost; or
/// the row is slid to where accesses start, and held.
void RowTileLimits::limitReadOnce(const BlockTileOptions &options) {
  StreamingReductionOpInterface op = row.op;
  Value narrow = widenedRow(op);
  int64_t bits = narrow ? bitsOf(narrow) : row.inputBits;
  if (row.extent && isCut(row.inputBits)) {
    int64_t held = blockRowThreads * cutRowThreadBytes;
    // Sums in f64 count twice.
    if (bits <= 32 && op.getInputOperands().size() == 1 && !row.hasKeys())
      held =
          std::max(held, options.slidRowBytes / (bits / 8) * *bytesOfElement);
    heldBytes = std::min(heldBytes, held);
    longest = cutTileBytes / *bytesOfElement;
    return;
  }
  heldBytes = std::min(heldBytes, blockRowBytes);
  longest = plainTile(bits);
  if (bits == 16 && options.alignment * 8 >= accessBits)
    lengthenRead(options.slots);
}

/// Two blocks with 512 threads each, which ask for the next tile before they
/// compute (smx-gpu-next-loads), are up to 10 % faster than four with half as
/// many on an H200 (side by side), and have a last row for half as long. Not of
/// rows that four blocks on a multiprocessor are enough for, and two are not;
/// nor of those that several blocks share, or of which more is computed than a
/// maximum and the sum of weights.
void RowTileLimits::lengthenRead(int64_t slots) {
  constexpr size_t maximumAndSum = 2;
  StreamingReductionOpInterface op = row.op;
  std::optional<int64_t> rows = row.countRows();
  bool fitAtOnce = rows && *rows > slots / 2 && *rows <= slots;
  if (op.getStateOperands().size() == maximumAndSum && row.extent &&
      !fitAtOnce &&
      !isSharedByBlocks(row.op, row.rowSizes(), row.extent, slots))
    longest *= 2;
}

/// Blocks that share a row do not hide each other's loads as well as those of
/// many rows: of 16 bits, twice as much at once is 4 % faster on an H200 (side
/// by side), where each of `slots` blocks has some tiles of that length. Wider
/// elements, and several tensors, have no registers for it.
void RowTileLimits::lengthenShared(int64_t slots) {
  constexpr int64_t fewestTiles = 4;
  StreamingReductionOpInterface op = row.op;
  if (row.inputBits == 16 && op.getInputOperands().size() == 1 && row.extent &&
      isSharedByBlocks(op, row.rowSizes(), row.extent, slots) &&
      *row.extent >= 2 * longest * fewestTiles *
                         mostBlocksOfRow(op, row.rowSizes(), row.extent, slots))
    longest *= 2;
}

/// Of keys, which are wider than the state, few are made of a tile: the longer
/// it is, the fewer. Registers alone hold a row, or half of them a tile, beside
/// the keys of the tiles before.
void RowTileLimits::limitKeys() {
  constexpr int64_t heldKeysRowBytes = 16384;
  heldBytes = std::min(heldBytes, halfRowBytes);
  // Of parts of rows there is a list of keys for each rank, all in one warp.
  StreamingReductionOpInterface op = row.op;
  if (row.hasLists()) {
    int64_t bytes = 0;
    for (Value input : op.getInputOperands())
      bytes += bitsOf(input) / 8;
    heldBytes = halfRowBytes / 2;
    longest = llvm::bit_floor(uint64_t(heldBytes / 2 / bytes));
    return;
  }
  longest = halfRowBytes / 2 / bytesOfElement.value_or(row.elementBytes);
  if (!row.extent)
    return;
  // A loop keeps maxima of its threads, and no keys; so does the rest of the
  // row behind it. What follows is serial, and other rows hide it: of the short
  // tile a multiprocessor has more of them than of whole rows.
  int64_t plain = plainTile(row.scoreBits);
  bool hasLoop = *row.extent >= 2 * plain && !isCut(row.scoreBits);
  if (!hasLoop && *row.extent % plain != 0)
    return;
  longest = plain;
  if (row.scoreBits <= 32)
    heldBytes = std::min(heldBytes, heldKeysRowBytes);
}

int64_t RowTileLimits::longestTile() const {
  if (!row.extent)
    return longest;
  bool isHeld = *row.extent * *bytesOfElement <= heldBytes;
  return isHeld ? *row.extent : std::min(*row.extent, longest);
}

/// Rows along the fastest dimension: of short ones several to a block.
static BlockTile chooseRowTile(const BlockReduction &reduction,
                               ArrayRef<FinishOp> finishes,
                               const BlockTileOptions &options) {
  constexpr int64_t blockBytes = 4096, mostRows = 32;
  BlockTile tile;
  tile.sizes.stream = RowTileLimits(reduction, finishes, options).longestTile();
  // Of rows that are only read the registers of what is read count, not of what
  // it is widened to.
  constexpr int64_t warpsOfBlock = 2, mostOfBlock = 16;
  std::optional<int64_t> allRows = reduction.countRows();
  const bool hasManyRows = !allRows || *allRows >= warpsOfBlock * options.slots;
  const int64_t keys = reduction.keys();
  const bool isRanked = reduction.hasKeys() && !reduction.hasLists() &&
                        reduction.extent &&
                        isRankedInLanes(reduction.scoreBits, keys,
                                        *reduction.extent, hasManyRows);
  const bool isSelected =
      isRanked && isSelectedRow(reduction.scoreBits, keys, *reduction.extent);
  int64_t bits =
      areOnlyRead(finishes) && (isRanked || !reduction.hasKeys()) &&
              reduction.extent
          ? 8 * bytesPerElement(reduction.op, finishes, *reduction.extent)
          : reduction.inputBits;
  int64_t writtenBits = 0;
  for (FinishOp finish : finishes)
    if (finish.isStreamed())
      writtenBits =
          std::max(writtenBits, elementBits(finish.getResult().getType()));
  bits = std::max(bits, writtenBits);
  if (tile.sizes.stream == reduction.extent && !isSelected) {
    SmallVector<int64_t> read =
        bytesOfTensors(reduction.op, finishes, *reduction.extent);
    if (!read.empty() && llvm::all_equal(read))
      if (std::optional<AdjacentRows> adjacent = AdjacentRows::of(
              {*reduction.extent, int64_t(read.size()), 8 * read.front(),
               writtenBits, options.alignment, isRanked})) {
        tile.rows = adjacent->rows;
        return tile;
      }
  }
  int64_t bytes = std::max<int64_t>(tile.sizes.stream * bits / 8, 1);
  // A lane has twice as much of it, and may have a row to itself.
  const int64_t bytesOfRows = isRanked ? 2 * blockBytes : blockBytes,
                most = isRanked ? AdjacentRows::threads : mostRows;
  tile.rows = std::clamp<int64_t>(
      llvm::bit_floor(uint64_t(bytesOfRows / bytes)), 1, most);
  if (isSelected)
    tile.rows = std::clamp(tile.rows, warpsOfBlock, mostOfBlock);
  return tile;
}

//===----------------------------------------------------------------------===//
// Strips
//===----------------------------------------------------------------------===//

/// Bytes of a tile of neighbouring rows of keys. The largest, of each row, are
/// held beside a tile of keys.
static int64_t stripBytesOf(const BlockReduction &reduction) {
  constexpr int64_t strip = 32768, manyComponents = 40;
  StreamingReductionOpInterface op = reduction.op;
  auto components = op.getStateOperands().size();
  return components < manyComponents ? strip : strip / 2;
}

/// Neighbouring rows of keys: so long a tile where the extent is open (loops
/// for what is left take registers), and at least so many rows, of which
/// arithmetic takes the time. The sum of a row is rounded once a tile, so that
/// these are long.
static BlockTile chooseKeyStripTile(const BlockReduction &reduction) {
  constexpr int64_t openStrip = 512, widestStrip = 64, narrowestStrip = 4;
  const int64_t stripBytes = stripBytesOf(reduction);
  const int64_t elementBytes =
      std::max(reduction.elementBytes, reduction.inputBits / 8);
  BlockTile tile;
  tile.sizes.stream = reduction.extent
                          ? std::min(*reduction.extent,
                                     stripBytes / narrowestStrip / elementBytes)
                          : openStrip / elementBytes;
  int64_t column = std::max<int64_t>(tile.sizes.stream * elementBytes, 1);
  tile.rows =
      std::clamp<int64_t>(llvm::bit_floor(uint64_t(stripBytes / column)),
                          narrowestStrip, widestStrip);
  return tile;
}

/// Neighbouring rows. Few strips are narrower, for one on each multiprocessor,
/// where none are cut.
static BlockTile chooseStripTile(const BlockReduction &reduction,
                                 ArrayRef<FinishOp> finishes,
                                 const BlockTileOptions &options) {
  constexpr int64_t openStrip = 128, narrowest = 16, blocksOfMultiprocessor = 4;
  // What is read once anyway gains less by it.
  constexpr int64_t mostOfReaders = 8;
  if (reduction.hasKeys())
    return chooseKeyStripTile(reduction);
  StreamingReductionOpInterface op = reduction.op;
  const int64_t bits = std::max(reduction.inputBits, reduction.scoreBits),
                inputs = op.getInputOperands().size();
  BlockTile tile;
  int64_t blocks = 1;
  if (reduction.extent) {
    auto update = dyn_cast<UpdateOp>(op.getOperation());
    const int64_t length = std::max<int64_t>(*reduction.extent, 1),
                  all = bytesOfTensors(op, finishes, length).size();
    MemoryColumns columns{.length = length,
                          .bits = bits,
                          .tensors = std::max(inputs, all),
                          .values = int64_t(op.getStateOperands().size()),
                          .most = options.stripBlocks,
                          .areOnlyRead = areOnlyRead(finishes)};
    const bool isOfF16 =
        getElementTypeOrSelf(op.getInputOperands().back()).isF16();
    columns.areTight = bits == 16 && columns.tensors == 1 &&
                       (isOfF16 || !update ||
                        !isa<SoftmaxAlgebraAttr, CrossEntropyAlgebraAttr>(
                            update.getAlgebra()));
    if (columns.areOnlyRead)
      columns.most = std::min(columns.most, mostOfReaders);
    tile.sizes.stream = *reduction.extent;
    tile.rows = ColumnStrip::heldWidth(columns);
    blocks = ColumnStrip::blocks(tile.rows, columns);
  }
  const bool isHeld = reduction.extent && tile.rows != 0 &&
                      llvm::all_of(op.getInputOperands(), isInOrderOfMemory);
  // Blocks may have parts of few columns. Where such a part begins is not
  // known, and takes registers; and each has fewer tiles.
  const bool isShared = !isHeld && options.parts == 0 && reduction.extent &&
                        isSharedByBlocks(op, reduction.rowSizes(),
                                         reduction.extent, options.slots);
  if (!isHeld) {
    int64_t part = ColumnStrip::part(bits) / inputs;
    if (isShared && bits > 16)
      part /= 2;
    tile.sizes.stream =
        reduction.extent ? std::min(*reduction.extent, part) : openStrip;
    tile.rows = ColumnStrip::widthOfParts(tile.sizes.stream, bits, inputs);
  }
  if (isShared)
    return tile;
  std::optional<int64_t> rows = reduction.countRows();
  while (rows && blocks == 1 && tile.rows > narrowest &&
         *rows * blocksOfMultiprocessor < tile.rows * options.slots)
    tile.rows /= 2;
  return tile;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

TileSizes mlir::smx::chooseBlockTileSizes(StreamingReductionOpInterface op,
                                          ArrayRef<FinishOp> finishes,
                                          ArrayRef<OpFoldResult> sizes,
                                          const BlockTileOptions &options) {
  BlockReduction reduction(op, sizes);
  BlockTile chosen = reduction.hasColumns
                         ? chooseAccumulatorTile(reduction, options)
                     : reduction.isStreamFastest
                         ? chooseRowTile(reduction, finishes, options)
                         : chooseStripTile(reduction, finishes, options);
  // Rows of an accumulator have heard of what the caller decides.
  if (options.rows != 0 && !reduction.hasColumns)
    chosen.rows = options.rows;

  TileSizes tile = chosen.sizes;
  tile.inBlocks = true;
  if (options.stream != 0)
    tile.stream = options.stream;
  tile.stream = std::max<int64_t>(
      std::min(tile.stream, reduction.extent.value_or(tile.stream)), 1);
  unsigned numRows = reduction.numRows;
  tile.rows.assign(numRows, 1);
  if (chosen.group.size > 1)
    tile.rows[chosen.group.dim] = chosen.group.size;
  else if (numRows != 0)
    tile.rows.back() = std::max<int64_t>(
        std::min(chosen.rows, reduction.rowExtent.value_or(chosen.rows)), 1);
  return tile;
}
