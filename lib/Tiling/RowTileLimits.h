//===- RowTileLimits.h - how long tiles of rows are -------------*- C++ -*-===//
#ifndef SMX_LIB_TILING_ROWTILELIMITS_H
#define SMX_LIB_TILING_ROWTILELIMITS_H

#include "BlockTiles.h"

namespace mlir::smx {

/// Bytes of an element of each tensor as long as a row of `extent` elements,
/// which the reduction and its quantities are computed from.
SmallVector<int64_t> bytesOfTensors(StreamingReductionOpInterface op,
                                    ArrayRef<FinishOp> finishes,
                                    int64_t extent);

/// Bytes of registers for an element of such a row: for all of these tensors,
/// or for what is computed of none.
int64_t bytesPerElement(StreamingReductionOpInterface op,
                        ArrayRef<FinishOp> finishes, int64_t extent);

/// Nothing as long as a row is written.
bool areOnlyRead(ArrayRef<FinishOp> finishes);

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

} // namespace mlir::smx

#endif // SMX_LIB_TILING_ROWTILELIMITS_H
