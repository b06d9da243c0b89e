//===- Softmax.cpp - the softmax family in float64 ------------------------===//
#include "smx/Reference/Softmax.h"
#include "CompensatedSum.h"
#include "Parallel.h"
#include "smx/Reference/OnlineState.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace smx::reference {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

namespace {
/// One row of x with its mask, copied out so that every pass below is a plain
/// loop.
struct Row {
  std::vector<double> x;
  std::vector<char> visible;
  double scale;

  /// The x whose score scale * x is the largest of the visible ones; NaN if a
  /// score is NaN, and nothing if no score is above -inf. Pass one.
  std::optional<double> pivot() const {
    double best = -infinity;
    std::optional<double> at;
    for (size_t j = 0; j < x.size(); ++j) {
      const double score = scale * x[j];
      if (!visible[j])
        continue;
      if (std::isnan(score))
        return score;
      if (score > best) {
        best = score;
        at = x[j];
      }
    }
    return at;
  }

  /// exp(s_j - max s); exactly 0 where masked.
  double exponential(size_t j, double pivot) const {
    return visible[j] ? expOfScaledDifference(scale, x[j], pivot) : 0.0;
  }

  /// The sum of them. Pass two.
  double denominator(double pivot) const {
    CompensatedSum sum;
    for (size_t j = 0; j < x.size(); ++j)
      sum.add(exponential(j, pivot));
    return sum.value();
  }
};
} // namespace

/// scale * (x_j - pivot), which may be finite where the difference is not.
static double scaledDistance(const Row &row, size_t j, double pivot) {
  return 2 * row.scale * (row.x[j] / 2 - pivot / 2);
}

/// Calls body(row, begin, stride, rowNumber) for every row along the axis.
template <typename Body>
static void forEachRow(const Tensor &x, const SoftmaxOptions &options,
                       const Body &body) {
  assert((!options.mask || options.mask->shape() == x.shape()) &&
         "the mask has the shape of the input");
  const RowLayout layout(x.shape(), options.axis);
  const size_t length = static_cast<size_t>(layout.length);
  parallelFor(layout.rowCount(), grainForRowsOf(layout.length),
              [&](int64_t from, int64_t to) {
                Row row{std::vector<double>(length),
                        std::vector<char>(length, 1), options.scale};
                for (int64_t r = from; r < to; ++r) {
                  const int64_t begin = layout.begin(r);
                  for (size_t j = 0; j < length; ++j) {
                    row.x[j] = x[begin + j * layout.stride()];
                    row.visible[j] =
                        !options.mask ||
                        (*options.mask)[begin + j * layout.stride()] != 0;
                  }
                  body(row, begin, layout.stride(), r);
                }
              });
}

static double valueOfMaskedRow(const SoftmaxOptions &options) {
  return options.maskedRow == MaskedRow::Zero ? 0.0 : notANumber;
}

Tensor softmax(const Tensor &x, const SoftmaxOptions &options) {
  Tensor result(x.shape(), valueOfMaskedRow(options));
  forEachRow(x, options,
             [&](const Row &row, int64_t begin, int64_t stride, int64_t) {
               const std::optional<double> pivot = row.pivot();
               if (!pivot)
                 return;
               const double l = row.denominator(*pivot);
               for (size_t j = 0; j < row.x.size(); ++j)
                 result[begin + j * stride] = row.exponential(j, *pivot) / l;
             });
  return result;
}

Tensor logSoftmax(const Tensor &x, const SoftmaxOptions &options) {
  const bool zero = options.maskedRow == MaskedRow::Zero;
  Tensor result(x.shape(), zero ? -infinity : notANumber);
  forEachRow(
      x, options, [&](const Row &row, int64_t begin, int64_t stride, int64_t) {
        const std::optional<double> pivot = row.pivot();
        if (!pivot)
          return;
        const double logL = std::log(row.denominator(*pivot));
        // A row with NaN is NaN in its masked places too, as softmax's is (0 /
        // NaN).
        const double masked = std::isnan(logL) ? logL : -infinity;
        for (size_t j = 0; j < row.x.size(); ++j)
          result[begin + j * stride] =
              row.visible[j] ? scaledDistance(row, j, *pivot) - logL : masked;
      });
  return result;
}

Tensor logSumExp(const Tensor &x, const SoftmaxOptions &options) {
  Tensor result(x.shapeWithout(options.axis), -infinity);
  forEachRow(x, options, [&](const Row &row, int64_t, int64_t, int64_t r) {
    const std::optional<double> pivot = row.pivot();
    if (!pivot)
      return;
    // exp(inf - inf) makes the sum NaN, but infinity is what the logarithm
    // tends to when a score does.
    const double m = row.scale * *pivot;
    result[r] = m == infinity ? m : m + std::log(row.denominator(*pivot));
  });
  return result;
}

Tensor sumOfScaledExponentials(const Tensor &x, const SoftmaxOptions &options) {
  Tensor result(x.shapeWithout(options.axis), 0.0);
  forEachRow(x, options, [&](const Row &row, int64_t, int64_t, int64_t r) {
    if (const std::optional<double> pivot = row.pivot())
      result[r] = row.denominator(*pivot);
  });
  return result;
}

Tensor softmaxDot(const Tensor &x, const Tensor &v,
                  const SoftmaxOptions &options) {
  assert(x.resolveAxis(options.axis) == x.rank() - 1 &&
         "softmax-dot reduces the last axis");
  assert(v.rank() >= x.rank() &&
         std::equal(x.shape().begin(), x.shape().end(), v.shape().begin()) &&
         "the shape of the values starts with that of the scores");
  Shape shape = v.shape();
  shape.erase(shape.begin() + (x.rank() - 1));
  Tensor result(shape, valueOfMaskedRow(options));
  const int64_t keys = x.dim(-1);
  int64_t width = 1;
  for (int64_t d = x.rank(); d < v.rank(); ++d)
    width *= v.dim(d);

  forEachRow(x, options, [&](const Row &row, int64_t, int64_t, int64_t r) {
    const std::optional<double> pivot = row.pivot();
    if (!pivot)
      return;
    const double l = row.denominator(*pivot);
    std::vector<CompensatedSum> sums(width);
    for (int64_t j = 0; j < keys; ++j) {
      // Masked values are left out, not multiplied by 0: 0 * NaN would be NaN.
      if (!row.visible[j])
        continue;
      const double p = row.exponential(j, *pivot);
      for (int64_t d = 0; d < width; ++d)
        sums[d].add(p * v[(r * keys + j) * width + d]);
    }
    for (int64_t d = 0; d < width; ++d)
      result[r * width + d] = sums[d].value() / l;
  });
  return result;
}

TopK topkSoftmax(const Tensor &x, int64_t k, const SoftmaxOptions &options) {
  const int64_t axis = x.resolveAxis(options.axis);
  assert(k >= 0 && k <= x.dim(axis) && "no more places than the row has");
  Shape shape = x.shape();
  shape[axis] = k;
  TopK result{Tensor(shape), Tensor(shape)};
  const Tensor probabilities = softmax(x, options);
  const RowLayout to(shape, axis);

  forEachRow(x, options,
             [&](const Row &row, int64_t begin, int64_t stride, int64_t r) {
               std::vector<double> scores(row.x.size(), -infinity);
               for (size_t j = 0; j < scores.size(); ++j)
                 if (row.visible[j])
                   scores[j] = row.scale * row.x[j];
               std::vector<int64_t> order(scores.size());
               std::iota(order.begin(), order.end(), 0);
               const std::optional<double> pivot = row.pivot();
               if (pivot && std::isfinite(*pivot))
                 std::partial_sort(order.begin(), order.begin() + k,
                                   order.end(), [&](int64_t a, int64_t b) {
                                     return scores[a] > scores[b] ||
                                            (scores[a] == scores[b] && a < b);
                                   });
               for (int64_t n = 0; n < k; ++n) {
                 const int64_t at = to.begin(r) + n * to.stride();
                 result.values[at] = probabilities[begin + order[n] * stride];
                 result.indices[at] = static_cast<double>(order[n]);
               }
             });
  return result;
}

} // namespace smx::reference
