//===- BlockTileSizeModel.cpp - tiles for thread blocks -------------------===//

#include "TileSizeModel.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

TileSizes mlir::smx::chooseBlockTileSizes(StreamingReductionOpInterface op,
                                          ArrayRef<OpFoldResult> sizes,
                                          int64_t rows, int64_t stream,
                                          bool warpgroups) {
  constexpr int64_t longestTile = 4096, blockElements = 2048, strip = 64;
  unsigned numRows = op.getNumRows();
  bool hasColumns = op.getNumDims() > numRows + 1;
  auto lastOf = [](ArrayRef<OpFoldResult> some) {
    return some.empty() ? std::optional<int64_t>(1)
                        : getConstantIntValue(some.back());
  };
  std::optional<int64_t> extent = getConstantIntValue(sizes[numRows]);
  std::optional<int64_t> rowExtent = lastOf(sizes.take_front(numRows));
  int64_t elementBytes =
      getElementTypeOrSelf(op.getStateOperands().front().getType())
          .getIntOrFloatBitWidth() /
      8;
  AffineMap streamed = op.getOperandMaps()[op.getStateOperands().size()];
  bool streamIsFastest = streamed.getResults().back() ==
                         getAffineDimExpr(numRows, op->getContext());

  TileSizes tile;
  tile.inBlocks = true;
  int64_t tileRows;
  if (hasColumns) {
    int64_t columns = 1;
    for (OpFoldResult size : sizes.drop_front(numRows + 1))
      columns *= getConstantIntValue(size).value_or(128);
    // A warp holds 16 rows of the accumulator and of the scores; two such
    // blocks where they are narrow, and fewer keys where they are wide.
    int64_t width = columns * elementBytes / 4;
    tileRows = width <= 64 ? 128 : 64;
    tile.stream = width <= 128 ? 64 : width <= 256 ? 32 : 16;
    // What is streamed has 16 bits an element, and a warpgroup rows enough.
    Type streamedType = getElementTypeOrSelf(
        op->getOperand(op.getStateOperands().size() + 1).getType());
    if (warpgroups && streamedType.getIntOrFloatBitWidth() == 16 &&
        columns <= 256 && rowExtent.value_or(ShapedType::kDynamic) != 1) {
      tileRows = columns <= 64 ? 192 : 128;
      tile.stream = columns <= 128 ? 128 : 64;
    }
  } else if (streamIsFastest) {
    int64_t whole =
        std::min<int64_t>(extent.value_or(longestTile), longestTile);
    tile.stream = whole;
    tileRows = std::clamp<int64_t>(
        llvm::bit_floor(uint64_t(blockElements / std::max<int64_t>(whole, 1))),
        1, 32);
  } else {
    tileRows = strip;
    tile.stream = strip;
  }
  if (stream != 0)
    tile.stream = stream;
  if (extent)
    tile.stream = std::min(*extent, tile.stream);
  tile.stream = std::max<int64_t>(tile.stream, 1);
  if (rows != 0)
    tileRows = rows;
  // Where every row has values of its own there is no product of matrices, and
  // a tile has no room for a third dimension.
  unsigned states = op.getStateOperands().size();
  for (AffineMap input : ArrayRef(op.getOperandMaps()).drop_front(states + 1))
    if (numRows != 0 && input.isFunctionOfDim(numRows - 1))
      tileRows = 1;
  tile.rows.assign(numRows, 1);
  if (numRows != 0)
    tile.rows.back() = std::max<int64_t>(
        rowExtent ? std::min(*rowExtent, tileRows) : tileRows, 1);
  return tile;
}
