//===- StreamParts.h - a stream for several blocks of threads ---*- C++ -*-===//
#ifndef SMX_LIB_TILING_STREAMPARTS_H
#define SMX_LIB_TILING_STREAMPARTS_H

#include "TileSizeModel.h"

namespace mlir::smx {

/// A stream cut into `count` parts of `extent` elements, a multiple of a tile;
/// the last one is shorter.
struct StreamParts {
  OpFoldResult count, extent;
};

/// What a caller may decide about parts.
struct PartOptions {
  /// Parts of a stream; 0 lets the model choose.
  int64_t parts = 1;
  /// Blocks of threads that run at once.
  int64_t slots = 1;
};

/// Chooses the parts of the stream of `op`, whose domain has `sizes`; none if
/// it stays whole. Extents may be open: what is chosen is then computed.
///
/// The model: a tile of few rows does little with what it streams, and memory
/// is the limit. As many parts as let all blocks run at once share it evenly,
/// without a last wave; with an accumulator of at least 4 tiles, which pay for
/// the merge; and a power of two, if that is at most a sixteenth less. No f32
/// sum of a row is longer than a MiB.
std::optional<StreamParts> chooseStreamParts(OpBuilder &builder,
                                             StreamingReductionOpInterface op,
                                             ArrayRef<OpFoldResult> sizes,
                                             const TileSizes &tileSizes,
                                             const PartOptions &options);

/// `finishes` from `parts`, the components of the states of all parts, which
/// lie behind the dimensions of rows. `algebra` merges such states.
SmallVector<FinishOp> mergeParts(OpBuilder &builder,
                                 StreamingReductionOpInterface op,
                                 MutableArrayRef<FinishOp> finishes,
                                 StateAlgebraAttrInterface algebra,
                                 ValueRange parts);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_STREAMPARTS_H
