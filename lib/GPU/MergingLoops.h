//===- MergingLoops.h - loops that merge keys of tiles ----------*- C++ -*-===//
#ifndef SMX_LIB_GPU_MERGINGLOOPS_H
#define SMX_LIB_GPU_MERGINGLOOPS_H

#include "Rankings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx::gpu {

/// A loop, and the keys of its tiles that it merges with those before.
struct MergingLoop {
  scf::ForOp loop;
  Ranking ranking;
  /// The numbers of what it carries for each rank.
  SmallVector<unsigned> carried;
  LoadOp load;
  /// Columns of a tile that are in the row.
  int64_t columns;
  mlir::smx::KeyParts parts;
};

/// The rest of a row behind a loop, and where its keys are merged with those of
/// the loop.
struct RestOfRow {
  Ranking ranking;
  LoadOp load;
  /// Columns of the tile that are in the row.
  int64_t columns;
  /// What has a rank of the whole row.
  SmallVector<std::pair<Value, size_t>> merged;
};

/// What a block of threads has of a row of `row` elements: `extent` of them
/// from where the loop starts, or as many as there are before `end`.
struct PartOfRow {
  int64_t extent, row;
  Value end;
  /// The end of the row, if it is no whole tile: a loop that may have a round.
  std::optional<MergingLoop> tail;

  int64_t columnsOfLast() const { return row % extent; }
};

/// A loop over whole tiles of a row, or of a part of one, and what is behind.
struct MergedRow {
  MergingLoop tiles;
  std::optional<RestOfRow> rest;
  std::optional<PartOfRow> part;

  static std::optional<MergedRow> match(scf::ForOp loop, Ranking ranking);
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_MERGINGLOOPS_H
