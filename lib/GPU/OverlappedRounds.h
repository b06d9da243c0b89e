//===- OverlappedRounds.h - products that run under other work --*- C++ -*-===//
#ifndef SMX_LIB_GPU_OVERLAPPEDROUNDS_H
#define SMX_LIB_GPU_OVERLAPPEDROUNDS_H

#include "GroupCode.h"
#include "OverlappedLoop.h"

namespace mlir::smx::gpu {

/// Emits a loop one product late: round j issues the scores of tile j and then
/// the sum of tile j - 1, and works on the scores while the sum is still
/// running. So rounds carry the weights, and the accumulator before their
/// product is added, rescaled.
class OverlappedRounds : OverlappedLoop {
public:
  OverlappedRounds(const OverlappedLoop &matched, GroupCode &code)
      : OverlappedLoop(matched), code(code) {}

  /// Maps the loop's results to what the group computes instead.
  void emit();

private:
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
  State emitFirst();
  /// `isCut` may be known of the round's tile; that of the tile before is
  /// whole if its state does not say otherwise.
  State emitRound(const State &state, std::optional<bool> isCut);
  /// The rounds of [from, to).
  State emitRounds(Value from, Value to, const State &state,
                   std::optional<bool> isCut);
  /// Rounds in front of all that are cut: without branches, and none where the
  /// first tile is cut already.
  State emitWholeRounds(Value from, Value to, const State &state);
  /// Results of the loop, once the last product is done.
  SmallVector<Value> emitLast(const State &state);

  /// Rounds of whole tiles have a loop of their own.
  bool splitsRounds() const { return firstCut && code.getShape().splitsRounds; }

  /// A product that is under way: its result, and what tells when it is there.
  using Product = std::pair<Value, Value>;
  Product issueScores();
  /// Nothing is added where `areTerms`, which may be null.
  Product issueSum(const State &state, Value areTerms);
  /// The result once at most `pending` later products are under way.
  Value wait(Location loc, Product product, int64_t pending);
  /// i1, true where the tile of the round before is cut and its values are not
  /// all finite: then its product is added term by term. Null if no tile is
  /// cut.
  Value askForTerms(const State &state);
  /// `acc` and the product of the round before, term by term. `counter` is
  /// asked for that round's.
  Value addTerms(const State &state, function_ref<Value()> counter, Value acc);
  /// The same, if `areTerms`; else `acc`.
  Value addWhereTerms(const State &state, function_ref<Value()> counter,
                      Value acc, Value areTerms);
  /// The accumulator and the last product.
  Value addLast(const State &state);
  /// The accumulator and the last product, which begins from zero and is asked
  /// for what is not finite.
  Value addApart(const State &state);
  /// i1, false only where the group sees all of the round's tile. Null where
  /// the mask does not tell.
  Value isCutForGroup();
  /// The counter of the last round, if there is one.
  Value lastCounter();
  void rescale(Value acc);
  /// What is there for scores of the round is needed no more.
  void releaseTerms();
  State nextState();

  GroupCode &code;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_OVERLAPPEDROUNDS_H
