//===- Naive.cpp - three passes in the precision under test ---------------===//
#include "smx/Reference/Naive.h"
#include "AttentionRows.h"

namespace smx::reference {

/// In halves, so that long rows lose log2(n) roundings and not n: a careless
/// sum would make the yardstick longer than it has to be.
static float sumInHalves(const std::vector<float> &terms, size_t from,
                         size_t to) {
  if (to - from <= 16) {
    float sum = 0;
    for (size_t j = from; j < to; ++j)
      sum += terms[j];
    return sum;
  }
  const size_t middle = from + (to - from) / 2;
  return sumInHalves(terms, from, middle) + sumInHalves(terms, middle, to);
}

Tensor naiveSoftmax(const Tensor &x, DType dtype,
                    const SoftmaxOptions &options) {
  constexpr float negativeInfinity = -std::numeric_limits<float>::infinity();
  const RowLayout layout(x.shape(), options.axis);
  const float scale = static_cast<float>(options.scale);
  Tensor result(x.shape());
  std::vector<float> row(layout.length);
  for (int64_t r = 0; r < layout.rowCount(); ++r) {
    float m = negativeInfinity;
    for (int64_t j = 0; j < layout.length; ++j) {
      const int64_t at = layout.begin(r) + j * layout.stride();
      const bool visible = !options.mask || (*options.mask)[at] != 0;
      row[j] = visible ? scale * static_cast<float>(roundTo(dtype, x[at]))
                       : negativeInfinity;
      m = maxKeepingNaN(m, row[j]);
    }
    for (float &s : row)
      s = std::exp(s - m);
    const float l = sumInHalves(row, 0, row.size());
    const bool zero =
        m == negativeInfinity && options.maskedRow == MaskedRow::Zero;
    for (int64_t j = 0; j < layout.length; ++j)
      result[layout.begin(r) + j * layout.stride()] =
          zero ? 0.0 : roundTo(dtype, row[j] / l);
  }
  return result;
}

Tensor naiveSoftmaxDot(const Tensor &x, const Tensor &v, DType dtype,
                       const SoftmaxOptions &options) {
  const Tensor p = naiveSoftmax(x, dtype, options);
  const int64_t keys = x.dim(-1), rows = keys ? x.size() / keys : 0;
  Shape shape = v.shape();
  shape.erase(shape.begin() + (x.rank() - 1));
  Tensor result(shape, options.maskedRow == MaskedRow::Zero
                           ? 0.0
                           : std::numeric_limits<double>::quiet_NaN());
  const int64_t width = rows ? result.size() / rows : 0;
  std::vector<float> terms(keys);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t d = 0; d < width; ++d) {
      for (int64_t j = 0; j < keys; ++j) {
        const int64_t at = r * keys + j;
        const bool masked = options.mask && (*options.mask)[at] == 0;
        terms[j] =
            masked
                ? 0.0f
                : static_cast<float>(p[at] * roundTo(dtype, v[at * width + d]));
      }
      result[r * width + d] =
          roundTo(dtype, sumInHalves(terms, 0, terms.size()));
    }
  return result;
}

AttentionResult naiveAttention(const Tensor &q, const Tensor &k,
                               const Tensor &v, DType dtype,
                               const AttentionOptions &options) {
  auto round = [dtype](float x) {
    return dtype == DType::F32 ? x : static_cast<float>(roundTo(dtype, x));
  };
  return AttentionRows<float, decltype(round)>(
             q.roundedTo(dtype), k.roundedTo(dtype), v.roundedTo(dtype),
             options, round)
      .run();
}

} // namespace smx::reference
