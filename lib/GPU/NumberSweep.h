//===- NumberSweep.h - numbers for every place of a tile --------*- C++ -*-===//
#ifndef SMX_LIB_GPU_NUMBERSWEEP_H
#define SMX_LIB_GPU_NUMBERSWEEP_H

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace mlir::smx::gpu {

/// Index values and conditions that are computed from numbers of a known and
/// small range, such as the number of a tile within its head: what holds for
/// them is found by computing them for all of these. A truth that is computed
/// from anything else may be either.
class NumberSweep {
public:
  /// Nothing if they depend on anything else, or on more than `mostCases`
  /// combinations.
  static std::optional<NumberSweep> of(ValueRange numbers,
                                       int64_t mostCases = 1 << 14);

  /// True if `holds` is of the values of all cases, in the order of `numbers`.
  bool forAll(llvm::function_ref<bool(ArrayRef<int64_t>)> holds);

  /// While `holds` is asked: one bit for each truth that may be either.
  uint64_t getTruths() const;

private:
  /// The values lower, lower + step, .. below upper.
  struct Range {
    int64_t lower, upper, step;
  };
  bool collect(Value value);
  bool collectOperands(Operation *op);
  /// The least number that is above all values of `value`; none if unknown.
  static std::optional<int64_t> boundOf(Value value);
  static std::optional<Range> rangeOf(Value value);
  std::optional<int64_t> compute(Operation *op);

  SmallVector<Value> numbers;
  llvm::SmallMapVector<Value, Range, 2> given;
  /// Those of `given` that may be either.
  llvm::SmallVector<Value> truths;
  /// In an order in which they can be computed.
  llvm::SmallVector<Operation *> ops;
  llvm::DenseMap<Value, int64_t> values;
};

/// Rounds of a loop, of all whose bounds may be these. How often a truth holds
/// that may be either is not known: the mean is the larger one of both.
struct RoundCount {
  int64_t least;
  double mean;
};
/// Nothing if the bounds are not computed from numbers of a small range.
std::optional<RoundCount> countRounds(Value lower, Value upper, Value step);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_NUMBERSWEEP_H
