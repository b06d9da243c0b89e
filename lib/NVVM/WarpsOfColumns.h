//===- WarpsOfColumns.h - what warps exchange of a strip --------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_WARPSOFCOLUMNS_H
#define SMX_LIB_NVVM_WARPSOFCOLUMNS_H

#include "KernelLowering.h"

namespace mlir::smx {

/// How the threads of a layout lie along the dimension that is reduced.
struct ThreadsAlong {
  /// Threads along the dimension, and the distance from one to the next.
  int64_t count, distance;

  /// Lanes of a warp along the dimension; 1 where each lane is on its own.
  int64_t lanes() const {
    return std::min(count,
                    std::max<int64_t>(::smx::gpu::warpThreads / distance, 1));
  }
  int64_t warps() const { return count / lanes(); }

  /// Which of them this thread is (i32).
  Value place(ThreadCode &code) const;
};

/// Along dimension `dim` of tiles of a layout.
ThreadsAlong threadsAlong(gpu::LayoutAttrInterface layout, int64_t dim);

/// How many values of a thread lie side by side, up to an access.
int64_t adjacentValues(RankedTensorType slice, int64_t bytes);

/// Which of the warps along the dimension this one is, and whether this lane is
/// the first of those that hold the same value.
struct WarpAlong {
  WarpAlong(ThreadCode &code, ThreadsAlong along);

  Value number, isFirstLane;
};

/// Of a thread that has `rows` rows. The values of a single one, or of rows
/// that are columns of memory, of which it has many, first go into as many
/// results as hide the latency of a step: more would take registers, of which a
/// long row leaves few.
Value combineAll(ThreadCode &code, gpu::Combiner kind,
                 SmallVector<Value> values, size_t rows,
                 bool areColumns = false);

/// What warps exchange where lanes are at different positions: the place of a
/// value is [warp, position].
struct WarpsOfColumns {
  WarpsOfColumns(ThreadsAlong along, RankedTensorType slice);

  /// Positions, and bytes from those of one warp to those of the next.
  int64_t values, bytes;
  /// Each warp combines some of the positions for all, where every thread would
  /// read a value of each of many warps; and lanes that share a position.
  bool isShared;
  int64_t lanes;
};

/// What the values of all warps along a dimension come to, for a thread with
/// `values`, where lanes are at different positions.
SmallVector<Value> combineWarpsOfColumns(ThreadCode &code, gpu::Combiner kind,
                                         RankedTensorType slice,
                                         ThreadsAlong along, Value scratch,
                                         bool isFree, ArrayRef<Value> values);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_WARPSOFCOLUMNS_H
