//===- OverlappedLoop.h - products that run under other work ----*- C++ -*-===//
#ifndef SMX_LIB_GPU_OVERLAPPEDLOOP_H
#define SMX_LIB_GPU_OVERLAPPEDLOOP_H

#include "GroupCode.h"

namespace mlir::smx::gpu {

/// A loop whose round is: a product of something fixed with a tile of one
/// channel (scores), work on it, and the product of what comes of it (weights)
/// with a tile of another channel, added to a carried accumulator.
///
/// It is emitted one product late: round j issues the scores of tile j and then
/// the sum of tile j - 1, and works on the scores while the sum is still
/// running. So the loop carries the weights, and the accumulator before their
/// product is added, rescaled.
class OverlappedLoop {
public:
  /// Nothing if the loop is not of this form.
  static std::optional<OverlappedLoop> match(scf::ForOp loop);

  void emit(GroupCode &code);

private:
  /// Everything on the first tile but the last product; the state of the loop.
  SmallVector<Value> emitFirst(GroupCode &code);
  SmallVector<Value> emitRound(GroupCode &code, Value weights);
  /// Results of the loop, once the last product is done.
  SmallVector<Value> emitLast(GroupCode &code, ValueRange state);

  std::pair<Value, Value> issueScores(GroupCode &code);
  std::pair<Value, Value> issueSum(GroupCode &code, Value weights, Value acc);
  void rescale(GroupCode &code, Value acc);
  /// The carried values of the next round, and the weights.
  SmallVector<Value> nextState(GroupCode &code);
  bool isOfSum(Operation *op) const {
    return op == getValues || op == sum || op == releaseValues ||
           rescaling.contains(op) || isa<PutOp>(op);
  }

  scf::ForOp loop;
  GetOp getValues;
  MmaOp scores, sum;
  ReleaseOp releaseValues;
  /// The carried accumulator, and the ops between it and the product.
  unsigned accumulator = 0;
  llvm::SetVector<Operation *> rescaling;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_OVERLAPPEDLOOP_H
