//===- Attention.h - attention in float64 ----------------------*- C++ -*-===//
//
// Scores, softmax, product: three passes over a whole row of scores, per query.
// Contract:
//   a query that sees no key, or only keys with the score -inf: log-sum-exp
//   -inf, or its sink where it has one, and all weights are 0, so output 0;
//   NaN among the scores it sees: output and log-sum-exp NaN;
//   +inf among them, and no NaN: output NaN, log-sum-exp +inf;
//   NaN or infinity in the value of a key it sees: as multiplication gives it,
//   per column; so by the weight of a score of -inf, which is 0, NaN;
//   anything at a key it does not see (key, value, bias): ignored.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_ATTENTION_H
#define SMX_REFERENCE_ATTENTION_H

#include "smx/Reference/Tensor.h"

#include <functional>
#include <optional>
#include <vector>

namespace smx::reference {

/// Where the diagonal of a band starts: at key 0 for query 0, or at the last
/// key for the last query.
enum class BandAnchor { TopLeft, BottomRight };

/// Query i sees key j iff i + off - left <= j <= i + off + right, with off = 0
/// (top left) or keys - queries (bottom right). A side without a value is
/// unbounded; causal is right = 0.
struct Band {
  BandAnchor anchor = BandAnchor::TopLeft;
  std::optional<int64_t> left;
  std::optional<int64_t> right;

  static Band causal(BandAnchor anchor) { return {anchor, std::nullopt, 0}; }
  bool contains(int64_t i, int64_t j, int64_t queries, int64_t keys) const;
};

/// The new score, from the score and its place (batch, query head, query, key).
using ScoreModifier =
    std::function<double(double s, int64_t b, int64_t h, int64_t i, int64_t j)>;
/// Whether the query sees the key.
using MaskPredicate =
    std::function<bool(int64_t b, int64_t h, int64_t i, int64_t j)>;

struct AttentionOptions {
  /// Scores are scale * (q . k). Finite; 1/sqrt(D) is not implied.
  double scale = 1.0;
  /// Without a band every key is seen.
  std::optional<Band> band;
  /// Keys j < prefix are seen whatever the band says.
  int64_t prefix = 0;
  /// A further condition, also on the keys of the prefix.
  MaskPredicate mask;
  /// One more score of each query, by query heads, for a key without a value;
  /// empty if there is none.
  std::vector<double> sinks;
  /// Called for keys that are seen, with the scaled score.
  ScoreModifier score;
  /// Added last; broadcasts to [B, Hq, Sq, Sk]. Not owned.
  const Tensor *bias = nullptr;
};

struct AttentionResult {
  /// [B.., Hq, Sq, Dv]
  Tensor out;
  /// [B.., Hq, Sq]: natural logarithm of the sum of exp(score).
  Tensor logSumExp;
  /// The mean of the magnitudes of a row's scores by their weights, of the row
  /// where it is largest; rows where it is not finite are left out. A score
  /// that is off by u |s| moves its weight by that part, and the others with
  /// the sum: a mean of values v by at most 2 u of this times max|v|.
  double largestMeanScore = 0;
};

/// The sizes of an attention problem; leading dims are one batch, and missing
/// ones are 1.
struct AttentionShape {
  int64_t batch = 1, queryHeads = 1, keyHeads = 1, queries = 0, keys = 0;
  int64_t headDim = 0, valueDim = 0;

  /// Nothing if the shapes do not fit together: ranks equal and at least 2,
  /// same batch, head dims of q and k equal, heads and keys of k and v equal,
  /// query heads a multiple of key heads.
  static std::optional<AttentionShape> of(const Tensor &q, const Tensor &k,
                                          const Tensor &v);
};

/// q [B.., Hq, Sq, D], k [B.., Hkv, Sk, D], v [B.., Hkv, Sk, Dv]; query head h
/// reads key head h / (Hq / Hkv). The shapes must fit (AttentionShape::of).
/// Runs on all cores.
AttentionResult attention(const Tensor &q, const Tensor &k, const Tensor &v,
                          const AttentionOptions &options = {});

} // namespace smx::reference

#endif // SMX_REFERENCE_ATTENTION_H
