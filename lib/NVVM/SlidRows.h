//===- SlidRows.h - rows slid to where accesses start -----------*- C++ -*-===//
//
// A row that starts between two multiples of 16 bytes (of 8, if it becomes a
// wider one) is held by threads from the multiple before it on: what each
// thread has is where an access moves it.
// The edges of the row are moved element by element. Other memory of such a
// kernel need not start as far behind a multiple: that is asked when it runs.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_SLIDROWS_H
#define SMX_LIB_NVVM_SLIDROWS_H

#include "GlobalTile.h"

namespace mlir::smx {

using ::smx::gpu::accessBytes;

/// How a load or store says which columns are in its memory.
struct SlidPlaces {
  /// Columns that each row is further back: the converted tile.
  Value slide;
  /// i64: the memref's column at which the tile would start without, and the
  /// columns and rows that are valid from there on.
  Value column, columns, rows;
  /// The fewest and the most such columns in any block of a cluster, if nothing
  /// else decides them.
  std::optional<std::pair<int64_t, int64_t>> columnsOfBlocks;
};

/// The registers of a slid tile, 0 where there is nothing; `memory` is without
/// valid extents.
Value loadSlidRows(ThreadCode &code, RankedTensorType tile,
                   const GlobalTile &memory, const SlidPlaces &places,
                   bool lasting);

/// Writes such a tile, whose registers are `value`.
void storeSlidRows(ThreadCode &code, RankedTensorType tile,
                   const GlobalTile &memory, const SlidPlaces &places,
                   Value value);

void populateSlidePatterns(const TileTypeConverter &converter,
                           const KernelPlan &plan, RewritePatternSet &patterns);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_SLIDROWS_H
