//===- OverlappedLoop.h - loops of products that may overlap ----*- C++ -*-===//
#ifndef SMX_LIB_GPU_OVERLAPPEDLOOP_H
#define SMX_LIB_GPU_OVERLAPPEDLOOP_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace mlir::smx::gpu {

/// A loop whose round is: a product of something fixed with a tile of one
/// channel (scores), work on it, and the product of what comes of it (weights)
/// with a tile of another channel, added to a carried accumulator.
struct OverlappedLoop {
  /// Nothing if the loop is not of this form.
  static std::optional<OverlappedLoop> match(scf::ForOp loop);

  /// True for ops of a round that belong to the second product.
  bool isOfSum(Operation *op) const {
    return op == getValues || op == sum || op == cutSum ||
           op == releaseValues || rescaling.contains(op) || isa<PutOp>(op);
  }

  scf::ForOp loop;
  GetOp getValues;
  /// What all rounds do with the second product; or what those do whose tile is
  /// not cut, if there is a branch.
  MmaOp scores, sum;
  /// The second product, guarded where the round's tile is cut. May be null.
  scf::IfOp cutSum;
  /// What the branch takes of the body but for operands of `sum`, in order.
  SmallVector<Operation *> places;
  /// The counter from which on tiles are cut, a whole number of rounds from the
  /// first; null if others are cut.
  Value firstCut;
  ReleaseOp releaseValues;
  /// The carried accumulator, and the ops between it and the product.
  unsigned accumulator = 0;
  llvm::SetVector<Operation *> rescaling;

private:
  /// Finds what the branch `cutSum` is computed from.
  bool matchCutSum();
  /// Finds out whether cut tiles follow all whole ones.
  void matchFirstCut();
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_OVERLAPPEDLOOP_H
