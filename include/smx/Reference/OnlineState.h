//===- OnlineState.h - the algebra of streaming softmax --------*- C++ -*-===//
//
// The element (m, l, acc) that softmax, log-sum-exp, softmax-dot and attention
// reduce, for one row, in plain C++: running maximum, running sum of exp(s -
// m), running sum of exp(s - m) * v. Used to test that what the compiler emits
// is an instance of this algebra, and that this is one.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_ONLINESTATE_H
#define SMX_REFERENCE_ONLINESTATE_H

#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace smx::reference {

/// The larger one; NaN if either is NaN (std::max may lose it).
template <typename Real>
Real maxKeepingNaN(Real a, Real b) {
  return std::isnan(a) || a > b ? a : b;
}

/// A partial softmax-weighted sum over some of the keys of one row. `Real` is
/// float or double.
template <typename Real>
struct OnlineState {
  static constexpr Real negativeInfinity =
      -std::numeric_limits<Real>::infinity();

  /// Maximum of the scores seen; -inf while there are none but masked ones.
  Real m = negativeInfinity;
  /// Sum of exp(s - m) over the scores seen.
  Real l = 0;
  /// Sum of exp(s - m) * v, one element for every column of the values; may be
  /// empty.
  std::vector<Real> acc;

  /// Has seen nothing: merge(identity, x) = x.
  static OnlineState identity(size_t width) {
    OnlineState state;
    state.acc.assign(width, Real(0));
    return state;
  }

  /// Has seen one score and its value. A score of -inf adds nothing, its value
  /// is not read.
  static OnlineState lift(Real score, std::span<const Real> value) {
    OnlineState state = identity(value.size());
    if (score == negativeInfinity)
      return state;
    state.m = score;
    // Not the constant 1: the score +inf makes it NaN, as it does in three
    // passes.
    state.l = std::exp(score - score);
    for (size_t d = 0; d < value.size(); ++d)
      state.acc[d] = state.l * value[d];
    return state;
  }

  /// Has seen a tile too: scores[j] with values[j * width .. (j + 1) * width).
  void update(std::span<const Real> scores, std::span<const Real> values) {
    const size_t width = acc.size();
    assert(values.size() == scores.size() * width &&
           "one row of values per score");
    Real tileMax = negativeInfinity;
    for (Real s : scores)
      tileMax = maxKeepingNaN(tileMax, s);
    moveReference(maxKeepingNaN(m, tileMax));
    for (size_t j = 0; j < scores.size(); ++j) {
      if (scores[j] == negativeInfinity)
        continue;
      const Real p = std::exp(scores[j] - m);
      l += p;
      for (size_t d = 0; d < width; ++d)
        acc[d] += p * values[j * width + d];
    }
  }

  /// Has seen what both have: a.l * e^(a.m - m) + b.l * e^(b.m - m), with m the
  /// larger maximum. Associative and commutative, so tiles may be merged in any
  /// order.
  static OnlineState merge(OnlineState a, OnlineState b) {
    assert(a.acc.size() == b.acc.size() && "states of rows of the same width");
    const Real m = maxKeepingNaN(a.m, b.m);
    a.moveReference(m);
    b.moveReference(m);
    a.l += b.l;
    for (size_t d = 0; d < a.acc.size(); ++d)
      a.acc[d] += b.acc[d];
    return a;
  }

  /// The same element with another reference: (m, l, acc) = (r, l*e^(m-r),
  /// acc*e^(m-r)).
  void moveReference(Real reference) {
    // exp(-inf - -inf) would be NaN, but nothing seen stays nothing.
    const Real factor =
        m == negativeInfinity ? Real(0) : std::exp(m - reference);
    m = reference;
    l *= factor;
    for (Real &a : acc)
      a *= factor;
  }

  struct Finished {
    /// acc / l; zeros if nothing was seen.
    std::vector<Real> out;
    /// m + log(l); -inf if nothing was seen, +inf if a score was +inf.
    Real logSumExp;
  };

  Finished finish() const {
    Finished result{acc, negativeInfinity};
    if (m == negativeInfinity)
      return result;
    for (Real &x : result.out)
      x /= l;
    result.logSumExp = m == -negativeInfinity ? m : m + std::log(l);
    return result;
  }
};

} // namespace smx::reference

#endif // SMX_REFERENCE_ONLINESTATE_H
