//===- WaveTile.h - what a walk does for a tile of rows ---------*- C++ -*-===//
#ifndef SMX_LIB_GPU_WAVETILE_H
#define SMX_LIB_GPU_WAVETILE_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx::gpu {

/// What is known of a tile's rows after some keys: weights are 2^(s - m) by the
/// reference m, l is their sum and a the sum of weighted values.
struct WalkState {
  Value reference, sum, values;

  /// The state after what `block` does to this one, once: the rows' factor
  /// f = 2^(m - m') is known by it, and l' = f l + .., a' = f a + ... Nothing
  /// if it does nothing like that.
  std::optional<WalkState> updatedIn(Block *block) const;
  /// In the order in which they are stored.
  SmallVector<Value, 3> all() const { return {reference, sum, values}; }

  /// One state of several of the same rows, in the order of these:
  ///   m = max m_j;   l = sum 2^(m_j - m) l_j;   a = sum 2^(m_j - m) a_j
  static WalkState merge(OpBuilder &builder, Location loc,
                         ArrayRef<WalkState> parts);
};

/// A kernel whose blocks walk over tiles of rows, each with the same loop over
/// keys, a rest of these behind it at most, and then results of the state.
struct WaveTile {
  /// The kernels whose blocks walk over tiles and that are launched once, in
  /// order.
  static SmallVector<std::pair<KernelOp, LaunchOp>> findWalks(ModuleOp module);
  /// Nothing if a tile is anything else; `reason` says what.
  static std::optional<WaveTile> match(KernelOp kernel, LaunchOp launch,
                                       StringRef &reason);

  KernelOp kernel;
  scf::ForOp walk, keys;
  /// How many tiles there are, and the argument that says so.
  int64_t count = 0;
  unsigned tilesArgument = 0;
  /// Behind the loop, and behind the rest.
  WalkState ofLoop, last;
  /// What the rest of the keys, and the results, are computed by, in order.
  SmallVector<Operation *> rest, finish;
  /// Rounds of the loop over keys, and keys of each.
  int64_t rounds = 0, step = 0;

  int64_t getRows() const { return getValuesType().getDimSize(0); }
  int64_t getColumns() const { return getValuesType().getDimSize(1); }
  int64_t getColumnsOfQueries();
  /// True if rounds read more than keys and values.
  bool readsForScores();
  RankedTensorType getValuesType() const {
    return cast<RankedTensorType>(last.values.getType());
  }

  /// The tile becomes a part of itself: the rounds from `firstKey` to `endKey`,
  /// at least one of them, and what is left over behind the last one. `last` is
  /// the part's state then, also for the results.
  void cutKeys(Value firstKey, Value endKey);

private:
  void guardRest();
  StringRef whyNoLoop();
  StringRef whyNoResults();
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_WAVETILE_H
