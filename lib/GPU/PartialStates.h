//===- PartialStates.h - states of the parts of a row -----------*- C++ -*-===//
#ifndef SMX_LIB_GPU_PARTIALSTATES_H
#define SMX_LIB_GPU_PARTIALSTATES_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx::gpu {

/// exp(difference), or exp2(difference * factor), where the difference is that
/// of an element from a broadcast reference.
struct Weight {
  Operation *exponential = nullptr;
  mutable arith::SubFOp difference;
  /// Null, or the same everywhere.
  Value factor;
  arith::FastMathFlagsAttr factorFlags;
  /// The values that are broadcast.
  Value reference;
};

/// Recognises the weights that are added up in `tile`, behind conversions to a
/// wider type and zeros in places beyond the row.
std::optional<Weight> matchWeight(Value tile);

/// `tile` in the type that its elements were converted from, at the builder's
/// place; null if they were not. Beyond the row there is `neutral`, which every
/// type has.
Value beforeExtension(OpBuilder &builder, Value tile, double neutral);

/// True for a constant that is the same everywhere.
bool isSplat(Value value);

/// Of the weights nothing is made but the sum: masked and widened, or not.
bool isOnlySummed(Value weights, ReduceOp sum);

/// The reduction of a row that all warps of the kernel hold, and only of it.
bool isOfWarps(ReduceOp reduce, int64_t warps);

/// A reduction of a row, and what takes its value over a cluster.
struct RowValue {
  ReduceOp reduce;
  Operation *cluster = nullptr;

  explicit RowValue(ReduceOp reduce);
  Operation *last() { return cluster ? cluster : reduce.getOperation(); }
  Value get() { return last()->getResult(0); }
};

/// A value of the row that is computed from `leaf` and constants.
bool isOfValues(Value value, Value leaf);

/// What warps have merged.
struct MergedState {
  /// The state of the row; and as all warps have it.
  Value maximum, sum, maximumOfAll, sumOfAll;
};

/// Who has a part of a row.
enum class PartOwner { Warp, Thread };

/// Makes values of warps' parts, or of threads'.
class PartBuilder {
public:
  PartBuilder(KernelOp kernel, int64_t vector, OpBuilder &builder, Location loc,
              PartOwner owner = PartOwner::Warp);

  /// A value for each part, and for each row of a collected tile.
  RankedTensorType partValue(Type element) const;
  static RankedTensorType collectedValue(Value collected);
  /// The parts of a tile of the row.
  RankedTensorType partTile(Value tile) const;

  Value splat(Value constant, RankedTensorType type);
  /// `op` on other operands, with a result of `type`.
  Value onOperands(Operation *op, ValueRange operands, Type type);
  /// What the weights of a warp's part are to be multiplied by, in the parts'
  /// layout: exp(m_w - m).
  Value factorOf(Value ofWarp, Value maximumOfAll, const Weight &weight,
                 ArrayRef<Value> leaves);
  /// `value` with `leaf` for each of `leaves`, elementwise from there, in the
  /// leaf's layout.
  Value ofValue(Value value, ArrayRef<Value> leaves, Value leaf);

  /// One exchange of values that are one to a warp, or to a block: for each of
  /// them the tile of those of all warps, of this block or of the cluster, and
  /// `fill` beyond the last one.
  SmallVector<Value> collect(ValueRange values, ArrayRef<double> fill,
                             bool inBlock);

  /// The sum of each part. A thread adds a few weights in their own type before
  /// they are widened to `wide`: wide additions, and conversions, are slow.
  Value sumOf(Value narrowWeights, Type wide);

  /// The state of the row from those of its parts; `reference` is made from one
  /// of `leaves`, of which the maximum takes the place. Of the types of values
  /// of the row.
  MergedState merge(Value maxima, Value sums, const Weight &weight,
                    ArrayRef<Value> leaves, Type maximumType, Type sumType);

  /// The scale of the row, the smallest one, and the sum of squares by it, from
  /// scales of the threads of a block and their sums of squares:
  ///   s = min s_t,   q = sum q_t (s/s_t)^2
  std::pair<Value, Value> mergeSquares(Value scales, Value sums, Type scaleType,
                                       Type sumType);

  /// The mean of distances from `origin` of the row, which is made of `leaf`,
  /// the maximum, from means of the threads of a block with distances from
  /// their own:
  ///   t = sum (t_t + o(m_t) - o(m)) / threads
  Value mergeMeans(Value maxima, Value means, Value origin, Value leaf,
                   Type meanType);

  /// A value of the row for each thread.
  Value ofThreads(Value ofRow);
  /// What each thread has of a constant number of elements of the row.
  Value shareOfThread(Value count);

  /// The weight of a difference of two references.
  Value weigh(Value of, Value reference, const Weight &weight);

private:
  /// For each row of a tile of maxima and one of sums, the state of all of it.
  struct RowStates {
    Value maxima, sums;
  };
  RowStates mergeRows(ValueRange tiles, const Weight &weight,
                      ArrayRef<Value> leaves);
  /// Values of threads as tiles of a row for each warp.
  SmallVector<Value> tilesOfWarps(ValueRange ofThreads);
  /// The state of the row from a tile of maxima and one of sums.
  MergedState mergeCollected(ValueRange collected, const Weight &weight,
                             ArrayRef<Value> leaves, Type maximumType,
                             Type sumType);

  KernelOp kernel;
  OpBuilder &builder;
  Location loc;
  int64_t warps;
  StripedAttr parts;
};

/// The sum of a row's elements, and that of their squared distances from a
/// value that follows from it, become moments of each warp's part; false if
/// they are something else.
bool convertMoments(KernelOp kernel, RowValue sum, RowValue moment);

/// A loop over tiles of a row, with the state in its arguments, becomes one
/// with a state for each warp; false if it is another loop.
bool convertLoop(scf::ForOp loop, KernelOp kernel);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_PARTIALSTATES_H
