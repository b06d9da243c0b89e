//===- PositionSum.h - places of a tile's elements --------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_POSITIONSUM_H
#define SMX_LIB_NVVM_POSITIONSUM_H

#include "KernelLowering.h"

namespace mlir::smx {

/// A tile of places: the sum of factor[d] * position d, of a constant, and of
/// factor * value over values that all elements share. For one thread that is a
/// constant for each register, and something that all registers share.
class PositionSum {
public:
  /// Of a tile of `rank` dimensions. Positions of its slices are of its own
  /// rows or columns.
  explicit PositionSum(int64_t rank) : rank(rank) {}
  /// Of a tile whose rows may have a value each beside that, such as the first
  /// key that a row sees.
  static PositionSum withRows(int64_t rank) {
    PositionSum sum(rank);
    sum.mayHaveRows = true;
    return sum;
  }

  /// Adds `factor * tile`; false if the tile is something else.
  bool add(Value tile, int64_t factor);

  /// The same for all elements of a tile.
  bool isUniform() const { return factors[0] == 0 && factors[1] == 0; }
  /// What positions contribute to register `i`, apart from the thread's part.
  int64_t ofRegister(RankedTensorType tile, int64_t i) const;
  /// What positions contribute to the thread's first register: an i32.
  Value ofFirstRegister(ThreadCode &code, RankedTensorType tile) const;
  /// What all elements of the tile share: an i64.
  Value ofTile(ThreadCode &code, ConversionPatternRewriter &rewriter) const;
  /// Both of them: an i64.
  Value ofThread(ThreadCode &code, RankedTensorType tile,
                 ConversionPatternRewriter &rewriter) const;
  /// What `make` gives, for each register, of the factor * value of its row:
  /// asked once for each row. None if rows have no value of their own.
  SmallVector<Value> ofRows(ThreadCode &code, RankedTensorType tile,
                            ConversionPatternRewriter &rewriter,
                            llvm::function_ref<Value(Value)> make) const;
  /// What all elements of a row share, if it is known to be one of a few: in
  /// each block of a cluster of `blocks`, for each slide. Nothing otherwise.
  SmallVector<int64_t> knownOfTile(int64_t blocks) const;
  /// What positions contribute to the first registers of all threads, in order.
  SmallVector<int64_t> ofFirstRegisters(RankedTensorType tile) const;
  /// True if an i32 holds every element: extents are below 2^30, and nothing is
  /// multiplied, nor is a large constant added.
  bool fitsWord() const;
  /// More than what positions contribute to any element of `tile`.
  int64_t mostOfPositions(RankedTensorType tile) const;

private:
  /// What rows have of their own is a slide below this.
  std::optional<int64_t> slidesOfRows() const;

  int64_t rank;
  int64_t factors[2] = {0, 0};
  int64_t constant = 0;
  SmallVector<std::pair<int64_t, Value>> shared;
  bool mayHaveRows = false;
  /// One value for each row, and its factor.
  std::pair<int64_t, gpu::BroadcastOp> rows;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_POSITIONSUM_H
