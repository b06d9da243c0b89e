//===- StreamLoops.h - loops over the tiles of a stream ---------*- C++ -*-===//
#ifndef SMX_LIB_TILING_STREAMLOOPS_H
#define SMX_LIB_TILING_STREAMLOOPS_H

#include "StreamBounds.h"

namespace mlir::smx {

/// What happens at one tile of a stream, given the loop-carried values.
using StreamBody = llvm::function_ref<SmallVector<Value>(
    OpBuilder &, OpFoldResult offset, OpFoldResult size, bool masked,
    ValueRange carried)>;

/// The part of a stream that is visited: `[begin, end)`, from and to multiples
/// of a tile or the end of the stream.
struct StreamRange {
  OpFoldResult begin, end;
};

/// Visits `range` of `[0, extent)`, or all of it, in tiles of `tile` elements,
/// in order: masked tiles in front, tiles seen whole, masked tiles behind, and
/// what is left over at the end; or all in the opposite order, if the bounds
/// say so. Loops that can not run because of static extents are not built. If
/// `joinsTail`, the loop over masked tiles behind goes on to what is left over:
/// a body less to compile, for tiles of any size up to the whole. Masked tiles
/// have `cut` elements, of which `tile` is a multiple.
SmallVector<Value> buildStreamLoops(OpBuilder &builder, Location loc,
                                    OpFoldResult extent, int64_t tile,
                                    int64_t cut,
                                    std::optional<StreamRange> range,
                                    const StreamBounds &bounds, bool joinsTail,
                                    ValueRange initial, StreamBody body);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_STREAMLOOPS_H
