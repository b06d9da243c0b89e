//===- Attention.cpp - attention in float64 -------------------------------===//
#include "smx/Reference/Attention.h"
#include "AttentionRows.h"

namespace smx::reference {

bool Band::contains(int64_t i, int64_t j, int64_t queries, int64_t keys) const {
  const int64_t diagonal =
      anchor == BandAnchor::TopLeft ? i : i + keys - queries;
  // Differences, not diagonal + right: a side may be as wide as int64_t.
  return (!left || diagonal - j <= *left) && (!right || j - diagonal <= *right);
}

std::optional<AttentionShape>
AttentionShape::of(const Tensor &q, const Tensor &k, const Tensor &v) {
  const int64_t rank = q.rank();
  if (rank < 2 || k.rank() != rank || v.rank() != rank)
    return std::nullopt;
  AttentionShape sizes;
  for (int64_t d = 0; d < rank - 3; ++d) {
    if (k.dim(d) != q.dim(d) || v.dim(d) != q.dim(d))
      return std::nullopt;
    sizes.batch *= q.dim(d);
  }
  if (rank >= 3) {
    sizes.queryHeads = q.dim(-3);
    sizes.keyHeads = k.dim(-3);
    if (v.dim(-3) != sizes.keyHeads)
      return std::nullopt;
  }
  if (sizes.keyHeads == 0 ? sizes.queryHeads != 0
                          : sizes.queryHeads % sizes.keyHeads != 0)
    return std::nullopt;
  sizes.queries = q.dim(-2);
  sizes.keys = k.dim(-2);
  sizes.headDim = q.dim(-1);
  sizes.valueDim = v.dim(-1);
  if (k.dim(-1) != sizes.headDim || v.dim(-2) != sizes.keys)
    return std::nullopt;
  return sizes;
}

AttentionResult attention(const Tensor &q, const Tensor &k, const Tensor &v,
                          const AttentionOptions &options) {
  auto exact = [](double x) { return x; };
  return AttentionRows<double, decltype(exact)>(q, k, v, options, exact).run();
}

} // namespace smx::reference
