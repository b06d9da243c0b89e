//===- BlockTiles.h - tiles for thread blocks, by kind ----------*- C++ -*-===//
//
// Reductions that keep tiles of different kinds in registers have rules of
// their own: whole rows, strips of neighbouring rows, and accumulators.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_TILING_BLOCKTILES_H
#define SMX_LIB_TILING_BLOCKTILES_H

#include "TileSizeModel.h"

namespace mlir::smx {

/// What all rules ask about a reduction whose domain has `sizes`.
struct BlockReduction {
  BlockReduction(StreamingReductionOpInterface op,
                 ArrayRef<OpFoldResult> sizes);

  StreamingReductionOpInterface op;
  ArrayRef<OpFoldResult> sizes;
  unsigned numRows;
  /// Extents of the stream, and of the last dimension of rows (1 without any);
  /// none where the types leave it open.
  std::optional<int64_t> extent, rowExtent;
  /// Bytes of an element of a state; and bits of the first and of the last
  /// operand that is streamed: scores, and values if there are any.
  int64_t elementBytes, scoreBits, inputBits;
  /// There is an accumulator.
  bool hasColumns;
  /// What is streamed has the stream in its fastest dimension.
  bool isStreamFastest;

  /// What is streamed last is wider than the state: keys of a top-k.
  bool hasKeys() const { return inputBits > 8 * elementBytes; }
  /// How many of them a state has, behind a maximum and a sum.
  int64_t keys() const {
    StreamingReductionOpInterface update = op;
    return hasKeys() ? update.getStateOperands().size() - 2 : 0;
  }
  /// A list of keys for each rank: those of parts of rows, not of scores.
  bool hasLists() const {
    constexpr size_t scoresAndKeys = 2;
    StreamingReductionOpInterface update = op;
    return hasKeys() && update.getInputOperands().size() > scoresAndKeys;
  }
  ArrayRef<OpFoldResult> rowSizes() const { return sizes.take_front(numRows); }
  /// None where the types leave a size open.
  std::optional<int64_t> countRows() const {
    int64_t rows = 1;
    for (OpFoldResult size : rowSizes()) {
      std::optional<int64_t> known = getConstantIntValue(size);
      if (!known)
        return std::nullopt;
      rows *= *known;
    }
    return rows;
  }
};

/// Rows that are multiplied by the same values: `size` of them along dimension
/// `dim`.
struct RowGroup {
  unsigned dim = 0;
  int64_t size = 1;
};

/// A tile, before what the caller decides about it.
struct BlockTile {
  /// All but its rows.
  TileSizes sizes;
  /// Along the last dimension of rows; or, of more than one, the group.
  int64_t rows = 1;
  RowGroup group;
};

/// A tile of a reduction with an accumulator.
BlockTile chooseAccumulatorTile(const BlockReduction &reduction,
                                const BlockTileOptions &options);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_BLOCKTILES_H
