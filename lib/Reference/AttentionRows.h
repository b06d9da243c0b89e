//===- AttentionRows.h - attention in any arithmetic -----------*- C++ -*-===//
//
// The loops behind the float64 reference and behind the naive evaluator in low
// precision, which differ in the type they compute in and in what they round.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_ATTENTIONROWS_H
#define SMX_REFERENCE_ATTENTIONROWS_H

#include "Parallel.h"
#include "smx/Reference/Attention.h"
#include "smx/Reference/OnlineState.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace smx::reference {

/// Computes in `Real`; `round` is applied to what a three-pass program in a low
/// precision stores: the products q . k, the scaled and changed scores, the
/// probabilities and the output.
template <typename Real, typename Round>
class AttentionRows {
public:
  AttentionRows(const Tensor &q, const Tensor &k, const Tensor &v,
                const AttentionOptions &options, const Round &round)
      : sizes(*AttentionShape::of(q, k, v)), options(options), round(round),
        queries(q.data(), q.data() + q.size()),
        values(v.data(), v.data() + v.size()), keysByDim(k.size()) {
    // [.., D, Sk]: the loop over the keys is then contiguous for every d and
    // needs no reordering of sums to be vectorised.
    for (int64_t b = 0; b < sizes.batch * sizes.keyHeads; ++b)
      for (int64_t j = 0; j < sizes.keys; ++j)
        for (int64_t d = 0; d < sizes.headDim; ++d)
          keysByDim[(b * sizes.headDim + d) * sizes.keys + j] =
              static_cast<Real>(k[(b * sizes.keys + j) * sizes.headDim + d]);
    if (options.bias)
      bias = options.bias->broadcastTo(
          {sizes.batch, sizes.queryHeads, sizes.queries, sizes.keys});
    outShape = q.shape();
    outShape.back() = sizes.valueDim;
  }

  AttentionResult run() const {
    Shape rowsShape(outShape.begin(), outShape.end() - 1);
    AttentionResult result{
        Tensor(outShape),
        Tensor(rowsShape, -std::numeric_limits<double>::infinity())};
    std::vector<Real> meanScores(result.logSumExp.size());
    const int64_t work = sizes.keys * (sizes.headDim + sizes.valueDim);
    parallelFor(result.logSumExp.size(), grainForRowsOf(work),
                [&](int64_t from, int64_t to) {
                  Row row(sizes);
                  for (int64_t r = from; r < to; ++r)
                    meanScores[r] = computeRow(r, row, result);
                });
    for (Real mean : meanScores)
      if (std::isfinite(mean))
        result.largestMeanScore =
            std::max<double>(result.largestMeanScore, mean);
    return result;
  }

private:
  struct Row {
    explicit Row(const AttentionShape &sizes)
        : scores(sizes.keys), visible(sizes.keys), acc(sizes.valueDim) {}
    std::vector<Real> scores;
    std::vector<char> visible;
    std::vector<Real> acc;
  };

  /// Row r is query i of head h of batch b. Returns the mean magnitude of its
  /// scores.
  Real computeRow(int64_t r, Row &row, AttentionResult &result) const {
    const int64_t i = r % sizes.queries;
    const int64_t h = r / sizes.queries % sizes.queryHeads;
    const int64_t b = r / sizes.queries / sizes.queryHeads;
    const int64_t group = sizes.queryHeads / sizes.keyHeads;
    const int64_t keyHead = b * sizes.keyHeads + h / group;

    multiplyQueryByKeys(r, keyHead, row.scores);

    // Scores, and pass one: their maximum.
    constexpr Real negativeInfinity = -std::numeric_limits<Real>::infinity();
    const Real sink = options.sinks.empty()
                          ? negativeInfinity
                          : static_cast<Real>(options.sinks[h]);
    Real m = sink;
    for (int64_t j = 0; j < sizes.keys; ++j) {
      row.visible[j] = sees(b, h, i, j);
      if (!row.visible[j])
        continue;
      Real s = round(round(row.scores[j]) * static_cast<Real>(options.scale));
      if (options.score)
        s = round(static_cast<Real>(options.score(s, b, h, i, j)));
      if (options.bias)
        s = round(s + static_cast<Real>(bias[r * sizes.keys + j]));
      row.scores[j] = s;
      m = maxKeepingNaN(m, s);
    }

    // Pass two: the exponentials and their sum. Of scores of -inf alone all
    // weights are 0.
    const bool isZero = m == negativeInfinity;
    const Real reference = isZero ? Real(0) : m;
    Real l = std::exp(sink - reference), sumOfScores = 0;
    for (int64_t j = 0; j < sizes.keys; ++j) {
      if (!row.visible[j])
        continue;
      const Real weight = std::exp(row.scores[j] - reference);
      l += weight;
      if (weight != 0) // of -inf, too
        sumOfScores += weight * std::abs(row.scores[j]);
      row.scores[j] = weight;
    }

    // Pass three: probabilities times values. What is not seen is left out, not
    // multiplied by 0. A sink of NaN or +inf leaves no number, whatever is
    // seen.
    std::fill(row.acc.begin(), row.acc.end(), std::isnan(l) ? l : Real(0));
    for (int64_t j = 0; j < sizes.keys; ++j) {
      if (!row.visible[j])
        continue;
      const Real p = isZero ? Real(0) : round(row.scores[j] / l);
      const Real *value =
          values.data() + (keyHead * sizes.keys + j) * sizes.valueDim;
      for (int64_t d = 0; d < sizes.valueDim; ++d)
        row.acc[d] += p * value[d];
    }
    for (int64_t d = 0; d < sizes.valueDim; ++d)
      result.out[r * sizes.valueDim + d] = round(row.acc[d]);
    if (isZero)
      return 0;
    // With a score of +inf, l is NaN.
    result.logSumExp[r] = m == -negativeInfinity ? m : m + std::log(l);
    return sumOfScores / l;
  }

  /// products[j] = q . k_j, four head dims at a time to halve the traffic on
  /// `products`.
  void multiplyQueryByKeys(int64_t r, int64_t keyHead,
                           std::vector<Real> &products) const {
    std::fill(products.begin(), products.end(), Real(0));
    const Real *q = queries.data() + r * sizes.headDim;
    const Real *k = keysByDim.data() + keyHead * sizes.headDim * sizes.keys;
    Real *to = products.data();
    const int64_t n = sizes.keys;
    int64_t d = 0;
    for (; d + 4 <= sizes.headDim; d += 4) {
      const Real *k0 = k + d * n, *k1 = k0 + n, *k2 = k1 + n, *k3 = k2 + n;
      const Real q0 = q[d], q1 = q[d + 1], q2 = q[d + 2], q3 = q[d + 3];
      for (int64_t j = 0; j < n; ++j)
        to[j] += (q0 * k0[j] + q1 * k1[j]) + (q2 * k2[j] + q3 * k3[j]);
    }
    for (; d < sizes.headDim; ++d)
      for (int64_t j = 0; j < n; ++j)
        to[j] += q[d] * k[d * n + j];
  }

  bool sees(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const bool analysable =
        j < options.prefix || !options.band ||
        options.band->contains(i, j, sizes.queries, sizes.keys);
    return analysable && (!options.mask || options.mask(b, h, i, j));
  }

  AttentionShape sizes;
  const AttentionOptions &options;
  const Round &round;
  std::vector<Real> queries, values, keysByDim;
  Tensor bias;
  Shape outShape;
};

} // namespace smx::reference

#endif // SMX_REFERENCE_ATTENTIONROWS_H
