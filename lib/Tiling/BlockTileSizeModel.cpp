//===- BlockTileSizeModel.cpp - tiles for thread blocks -------------------===//

#include "BlockTiles.h"
#include "RowTileLimits.h"
#include "smx/IR/ElementBits.h"
#include "smx/Tiling/AdjacentRows.h"
#include "smx/Tiling/ColumnStrips.h"
#include "smx/Tiling/LongRows.h"
#include "smx/Tiling/RowParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

BlockReduction::BlockReduction(StreamingReductionOpInterface op,
                               ArrayRef<OpFoldResult> sizes)
    : op(op), sizes(sizes), numRows(op.getNumRows()),
      extent(getConstantIntValue(sizes[numRows])),
      rowExtent(numRows == 0 ? std::optional<int64_t>(1)
                             : getConstantIntValue(sizes[numRows - 1])),
      elementBytes(elementBits(op.getStateOperands().front().getType()) / 8),
      scoreBits(elementBits(op.getInputOperands().front().getType())),
      inputBits(elementBits(op.getInputOperands().back().getType())),
      hasColumns(op.getNumDims() > numRows + 1),
      isStreamFastest(mlir::smx::isStreamFastest(op)) {}

//===----------------------------------------------------------------------===//
// Whole rows
//===----------------------------------------------------------------------===//

/// Rows along the fastest dimension: of short ones several to a block.
static BlockTile chooseRowTile(const BlockReduction &reduction,
                               ArrayRef<FinishOp> finishes,
                               const BlockTileOptions &options) {
  constexpr int64_t blockBytes = 4096, mostRows = 32, warpsOfBlock = 2,
                    mostOfBlock = 16;
  BlockTile tile;
  tile.sizes.stream = RowTileLimits(reduction, finishes, options).longestTile();
  std::optional<int64_t> allRows = reduction.countRows();
  const int64_t keys = reduction.keys(), bitsOfScore = reduction.scoreBits;
  // Masks of each of many elements, which start anywhere, take the registers.
  const bool areMasked =
      reduction.extent && options.alignment < 4 &&
      2 * *reduction.extent > longestSelectedRow(bitsOfScore);
  const bool hasRowsForWarps =
      !areMasked && reduction.extent &&
      bytesOfTensors(reduction.op, finishes, *reduction.extent).size() == 1 &&
      (!allRows || *allRows >= warpsOfBlock * options.slots);
  const bool isRanked =
      reduction.hasKeys() && !reduction.hasLists() && reduction.extent &&
      isRankedInLanes(bitsOfScore, keys, *reduction.extent, hasRowsForWarps);
  const bool isSelected =
      isRanked && isSelectedRow(bitsOfScore, keys, *reduction.extent);
  // Of rows that are only read the registers of what is read count, not of what
  // it is widened to.
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
