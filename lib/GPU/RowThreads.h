//===- RowThreads.h - how threads stand along rows and columns --*- C++ -*-===//
#ifndef SMX_LIB_GPU_ROWTHREADS_H
#define SMX_LIB_GPU_ROWTHREADS_H

#include "NestShape.h"
#include "smx/Tiling/ColumnStrips.h"

namespace mlir::smx::gpu {

/// Elements from which on a row is a long one.
inline constexpr int64_t longRow = 4096;

/// Warps of a multiprocessor that strips of columns have.
inline constexpr int64_t stripWarps =
    mlir::smx::ColumnStrip::threadsOfMultiprocessor / ::smx::gpu::warpThreads;

/// How threads stand along rows and columns of a tile without products.
class RowThreads {
public:
  RowThreads(const NestShape &shape, int64_t rows,
             const ScheduleOptions &options);

  int64_t paddedRows, fastest;
  /// Elements side by side that a thread has; threads of a tile, and of them
  /// those along its fastest dimension.
  int64_t vector, threads, columnThreads;
  /// Blocks that each have a part of the columns.
  int64_t cluster = 1;
  /// A long tile in a loop.
  bool isLongTile;
  /// Rows are moved as one piece.
  bool areAdjacent = false;

  /// What the assembler is to leave registers for, of short rows. Left alone,
  /// it takes those of a fifth and a sixth block of adjacent rows: what is only
  /// read gains 1 to 9 % by these on an H200. Sums in f64, and the longest part
  /// of a row, have no room for the sixth. Where a warp reads a row, it takes
  /// up to 66 for masks: in 40, log-sum-exp of 640 and 832 elements is 5 and 7
  /// % faster, cross entropy of 896 and 1000 17 and 24, of 704 and 832 2 %
  /// slower. Shorter rows are up to 11 % slower.
  int64_t minBlocks(const NestShape &shape) const;

private:
  int64_t chooseVector(const NestShape &shape,
                       const ScheduleOptions &options) const;
  /// Of a short row that is written, one of several.
  int64_t mostLanes(const NestShape &shape) const;
  void chooseThreads(const NestShape &shape, const ScheduleOptions &options);
  void chooseStrip(const NestShape &shape, const ScheduleOptions &options);
  /// Of rows that are moved as one piece; false if they are not.
  bool chooseAdjacent(const NestShape &shape, const ScheduleOptions &options);

  /// Warps on a multiprocessor where each selects the largest of a row.
  int64_t warpsThatSelect(const NestShape &shape) const;

  int64_t length;
  /// Rows are columns of memory (smx/Tiling/ColumnStrips.h).
  bool isStrip = false;
  /// Warps of a multiprocessor that have such rows.
  int64_t warpsOfStrips =
      mlir::smx::ColumnStrip::threadsOfMultiprocessor / ::smx::gpu::warpThreads;
  /// A thread keeps the largest keys of all its columns; lanes of a warp find
  /// those of a row.
  bool keepsKeys, isRanked;
  /// Rows that are only read, and each thread has twice as much of them.
  bool readsWholeRows = false, hasTwice = false;
  /// A long tile in a loop, of f32 that is only read, and summed twice for each
  /// maximum: of reductions at least two thirds are sums.
  bool isSummedTwice = false;
  /// A warp selects the largest of a row (SelectedRows.h).
  bool isSelected = false;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_ROWTHREADS_H
