//===- LoopStates.h - states of a row that a loop carries -------*- C++ -*-===//
#ifndef SMX_LIB_GPU_LOOPSTATES_H
#define SMX_LIB_GPU_LOOPSTATES_H

#include "PartialStates.h"

namespace mlir::smx::gpu {

/// A value that the row has one of, and not each of its parts.
bool isRowValue(Type type);

/// What a loop over tiles of a row carries of the row, by the numbers of its
/// arguments: a count of elements, which is the same whoever counts; a maximum
/// and the sum of weights by it; a scale and the sum of squares by it; or the
/// mean of distances from what a maximum is the origin of. (Of a sum alone a
/// meeting in each round costs nothing that shows on an H200.)
struct LoopState {
  enum class Kind { Count, Weights, Squares, Mean };

  Kind kind;
  /// Of the count, the sum or the mean, and of the maximum or the scale.
  unsigned value = 0, reference = 0;
  /// Of a sum of weights.
  Weight weight = {};
  /// What distances are from, and the quotient of a tile's sum of them and of
  /// the number of its elements.
  Value origin = {};
  arith::DivFOp tileMean = {};

  /// What threads may have one each of.
  SmallVector<unsigned, 2> ofThreads() const {
    switch (kind) {
    case Kind::Count:
      return {};
    case Kind::Weights:
    case Kind::Squares:
      return {reference, value};
    case Kind::Mean:
      return {value};
    }
    llvm_unreachable("a kind");
  }
};

/// All that the loop carries of the row, if it is nothing else.
std::optional<SmallVector<LoopState>> matchLoopStates(scf::ForOp loop);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_LOOPSTATES_H
