//===- Norm.cpp - layer norm and RMS norm in float64 ----------------------===//
#include "CompensatedSum.h"
#include "smx/Reference/Softmax.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace smx::reference {

/// A power of two that brings the largest magnitude of a row near 1, where its
/// square is a number.
static double scaleOf(const Tensor &x, const RowLayout &layout, int64_t row) {
  double largest = 0;
  for (int64_t j = 0; j < layout.length; ++j)
    largest =
        std::max(largest, std::abs(x[layout.begin(row) + j * layout.stride()]));
  return largest == 0
             ? 1.0
             : std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1022, 500));
}

namespace {
/// What a row is centred by, and then divided by. Both are of elements times
/// `scale`.
struct Divisor {
  double mean, scale, deviation;
};
} // namespace

/// A mean of 0 unless `centred`.
static Divisor divisorOf(const Tensor &x, const RowLayout &layout, int64_t row,
                         double epsilon, bool centred) {
  const double n = static_cast<double>(layout.length);
  const int64_t begin = layout.begin(row), stride = layout.stride();
  CompensatedSum sum, squares;
  for (int64_t j = 0; centred && j < layout.length; ++j)
    sum.add(x[begin + j * stride]);
  const double mean = centred ? sum.value() / n : 0.0;
  const double scale = centred ? 1.0 : scaleOf(x, layout, row);
  for (int64_t j = 0; j < layout.length; ++j) {
    const double d = (x[begin + j * stride] - mean) * scale;
    squares.add(d * d);
  }
  const double variance = squares.value() / n;
  // What spreads too far about its mean has no deviation: by 0 nobody would
  // see it.
  if (centred && std::isinf(variance))
    return {mean, scale, std::numeric_limits<double>::quiet_NaN()};
  return {mean, scale, std::sqrt(variance + epsilon * scale * scale)};
}

/// Subtracts the mean if `centred`, then divides by the root of the mean
/// square.
static Tensor normalise(const Tensor &x, const NormOptions &options,
                        bool centred) {
  const RowLayout layout(x.shape(), options.axis);
  const Shape extent = {layout.length};
  assert((!options.weight || options.weight->shape() == extent) &&
         "one weight per element");
  assert((!options.bias || options.bias->shape() == extent) &&
         "one bias per element");
  Tensor result(x.shape());
  for (int64_t r = 0; r < layout.rowCount(); ++r) {
    const auto [mean, scale, deviation] =
        divisorOf(x, layout, r, options.epsilon, centred);
    const double centre = mean * (1 + options.errorOfMean);
    const int64_t begin = layout.begin(r), stride = layout.stride();
    for (int64_t j = 0; j < layout.length; ++j) {
      const double y = (x[begin + j * stride] - centre) * scale / deviation;
      result[begin + j * stride] =
          y * (options.weight ? (*options.weight)[j] : 1.0) +
          (options.bias ? (*options.bias)[j] : 0.0);
    }
  }
  return result;
}

Tensor layerNorm(const Tensor &x, const NormOptions &options) {
  return normalise(x, options, /*centred=*/true);
}

double errorOfMean(int64_t length, DType dtype) {
  const double levels =
      std::ceil(std::log2(std::max<double>(static_cast<double>(length), 1)));
  return (levels + 2) * std::ldexp(1, -(dtype == DType::F64 ? 53 : 24));
}

double largestMean(const Tensor &x, const NormOptions &options) {
  const RowLayout layout(x.shape(), options.axis);
  double largest = 0;
  for (int64_t r = 0; r < layout.rowCount(); ++r) {
    const Divisor by =
        divisorOf(x, layout, r, options.epsilon, /*centred=*/true);
    // A row that is not finite has no result to be measured.
    if (const double mean = std::abs(by.mean) / by.deviation;
        std::isfinite(mean))
      largest = std::max(largest, mean);
  }
  return largest;
}

Tensor rmsNorm(const Tensor &x, const NormOptions &options) {
  return normalise(x, options, /*centred=*/false);
}

} // namespace smx::reference
