//===- CrossEntropy.cpp - losses and gradients in float64 -----------------===//
#include "smx/Reference/CrossEntropy.h"
#include "CompensatedSum.h"
#include "smx/Reference/Softmax.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace smx::reference {

static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// What the targets say of a row.
enum class Target { Place, Ignored, OutOfRange };

static Target kindOf(double target, int64_t extent,
                     const CrossEntropyOptions &options) {
  if (options.ignored && target == static_cast<double>(*options.ignored))
    return Target::Ignored;
  return target >= 0 && target < static_cast<double>(extent)
             ? Target::Place
             : Target::OutOfRange;
}

Tensor crossEntropy(const Tensor &x, const Tensor &targets,
                    const CrossEntropyOptions &options) {
  assert(targets.shape() == x.shapeWithout(options.axis) &&
         "one target for every row");
  SoftmaxOptions softmax;
  softmax.axis = options.axis;
  softmax.scale = options.scale;
  // Differences from the maximum, so that no large scores cancel.
  const Tensor logs = logSoftmax(x, softmax);
  const RowLayout rows(x.shape(), options.axis);
  Tensor result(targets.shape());
  for (int64_t r = 0; r < rows.rowCount(); ++r) {
    const Target kind = kindOf(targets[r], rows.length, options);
    if (kind != Target::Place) {
      result[r] = kind == Target::Ignored ? 0.0 : notANumber;
      continue;
    }
    const int64_t begin = rows.begin(r), stride = rows.stride();
    const int64_t target = begin + static_cast<int64_t>(targets[r]) * stride;
    result[r] = -logs[target];
    if (options.smoothing == 0)
      continue;
    // log l - scale*((1 - e)*(x_t - m) + e*(mean - m)), halved where it may
    // overflow. The place of the maximum has the log-softmax -log l.
    int64_t largest = begin;
    CompensatedSum halves;
    for (int64_t at = begin; at < begin + rows.length * stride; at += stride) {
      if (std::isnan(logs[at]))
        largest = at;
      else if (!std::isnan(logs[largest]) && logs[at] > logs[largest])
        largest = at;
      halves.add(x[at] / 2 / static_cast<double>(rows.length));
    }
    const double half = x[largest] / 2;
    const double distance = (1 - options.smoothing) * (x[target] / 2 - half) +
                            options.smoothing * (halves.value() - half);
    result[r] = -logs[largest] - 2 * options.scale * distance;
  }
  return result;
}

Tensor crossEntropyBackward(const Tensor &x, const Tensor &targets,
                            const Tensor &logSumExp, const Tensor &gradient,
                            const CrossEntropyOptions &options) {
  assert(targets.shape() == x.shapeWithout(options.axis) &&
         logSumExp.shape() == targets.shape() &&
         gradient.shape() == targets.shape() && "one value for every row");
  const RowLayout rows(x.shape(), options.axis);
  const double share = options.smoothing / static_cast<double>(rows.length);
  Tensor result(x.shape());
  for (int64_t r = 0; r < rows.rowCount(); ++r) {
    const Target kind = kindOf(targets[r], rows.length, options);
    for (int64_t j = 0; j < rows.length; ++j) {
      const int64_t at = rows.begin(r) + j * rows.stride();
      if (kind != Target::Place) {
        result[at] = kind == Target::Ignored ? 0.0 : notANumber;
        continue;
      }
      double difference =
          std::exp(options.scale * x[at] - logSumExp[r]) - share;
      if (static_cast<double>(j) == targets[r])
        difference -= 1 - options.smoothing;
      result[at] = options.scale * gradient[r] * difference;
    }
  }
  return result;
}

/// `element(y_j, g_j, sum)` for every element, where `term(y_k, g_k)` is
/// summed.
template <typename Term, typename Element>
static Tensor rowGradient(const Tensor &y, const Tensor &gradient, int64_t axis,
                          const Term &term, const Element &element) {
  assert(y.shape() == gradient.shape() && "one gradient for every element");
  const RowLayout rows(y.shape(), axis);
  Tensor result(y.shape());
  for (int64_t r = 0; r < rows.rowCount(); ++r) {
    CompensatedSum sum;
    for (int64_t j = 0; j < rows.length; ++j) {
      const int64_t at = rows.begin(r) + j * rows.stride();
      sum.add(term(y[at], gradient[at]));
    }
    for (int64_t j = 0; j < rows.length; ++j) {
      const int64_t at = rows.begin(r) + j * rows.stride();
      result[at] = element(y[at], gradient[at], sum.value());
    }
  }
  return result;
}

Tensor softmaxBackward(const Tensor &y, const Tensor &gradient, int64_t axis,
                       double scale) {
  return rowGradient(
      y, gradient, axis, [](double y, double g) { return y * g; },
      [&](double y, double g, double sum) { return scale * (y * (g - sum)); });
}

Tensor logSoftmaxBackward(const Tensor &y, const Tensor &gradient, int64_t axis,
                          double scale) {
  return rowGradient(
      y, gradient, axis, [](double, double g) { return g; },
      [&](double y, double g, double sum) {
        return scale * (g - std::exp(y) * sum);
      });
}

} // namespace smx::reference
