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
  /// Finds what the branch `cutSum` is computed from.
  bool matchCutSum();
  /// Finds out whether cut tiles follow all whole ones.
  void matchFirstCut();
  /// What a round leaves for the next one.
  struct State {
    /// What the loop carries, the accumulator without the round's product.
    SmallVector<Value> carried;
    Value weights;
    /// i1, the round's tile is cut; null if none is.
    Value isCut;

    SmallVector<Value> values() const;
  };
  State stateOf(ValueRange values);

  /// Everything on the first tile but the last product.
  State emitFirst(GroupCode &code);
  /// `isCut` may be known of the round's tile; that of the tile before is
  /// whole if its state does not say otherwise.
  State emitRound(GroupCode &code, const State &state,
                  std::optional<bool> isCut);
  /// The rounds of [from, to).
  State emitRounds(GroupCode &code, Value from, Value to, const State &state,
                   std::optional<bool> isCut);
  /// Rounds in front of all that are cut: without branches, and none where the
  /// first tile is cut already.
  State emitWholeRounds(GroupCode &code, Value from, Value to,
                        const State &state);
  /// Results of the loop, once the last product is done.
  SmallVector<Value> emitLast(GroupCode &code, const State &state);

  std::pair<Value, Value> issueScores(GroupCode &code);
  /// Nothing is added where `areTerms`, which may be null.
  std::pair<Value, Value> issueSum(GroupCode &code, const State &state,
                                   Value areTerms);
  /// i1, true where the tile of the round before is cut and its values are not
  /// all finite: then its product is added term by term. Null if no tile is
  /// cut.
  Value askForTerms(GroupCode &code, const State &state);
  /// `acc` and the product of the round before, term by term. `counter` is
  /// asked for that round's.
  Value addTerms(GroupCode &code, const State &state,
                 function_ref<Value()> counter, Value acc);
  /// The counter of the last round, if there is one.
  Value lastCounter(GroupCode &code);
  void rescale(GroupCode &code, Value acc);
  State nextState(GroupCode &code);
  bool isOfSum(Operation *op) const {
    return op == getValues || op == sum || op == cutSum ||
           op == releaseValues || rescaling.contains(op) || isa<PutOp>(op);
  }

  scf::ForOp loop;
  GetOp getValues;
  /// Of the second product, what all rounds do; or what those do whose tile is
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
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_OVERLAPPEDLOOP_H
