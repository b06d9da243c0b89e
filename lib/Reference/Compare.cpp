//===- Compare.cpp - is this result right? --------------------------------===//
#include "smx/Reference/Compare.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

namespace smx::reference {

/// Ulps may grow with the depth of a sum, no faster than log2; rows up to 4096
/// are the base.
static double growth(int64_t rowLength) {
  return std::max(
      1.0, std::log2(std::max<double>(1, static_cast<double>(rowLength))) / 12);
}

static Tolerance doubleTolerance(OpFamily family, int64_t rowLength) {
  Tolerance t;
  switch (family) {
  case OpFamily::Softmax:
    // In ulps half as much beside the next power of two. Further down a score
    // near -700 is itself known to 1e-13 only.
    t.relative = 1e-14 * growth(rowLength);
    t.floor = std::ldexp(1, -64);
    t.ulpsBelowFloor = 2000;
    break;
  // Where something narrower is computed on the way (a log-sum-exp in f32), the
  // naive result shows what that costs; in f64 alone it costs nothing.
  case OpFamily::LogSumExp:
    t.mixed = 1e-14;
    t.ofNaive = 2;
    break;
  case OpFamily::WeightedSum:
  case OpFamily::Norm:
    t.ofLargest = 1e-13;
    t.ofNaive = 2;
    break;
  }
  return t;
}

static Tolerance floatTolerance(OpFamily family, Mode mode, int64_t rowLength) {
  const bool fast = mode == Mode::Fast;
  Tolerance t;
  switch (family) {
  case OpFamily::Softmax:
    // A score of -s is known to s/2 ulp of the result when it is rounded once:
    // fast mode grants that from 2^-32 down, precise mode only where results
    // are of no weight.
    t.ulps = (fast ? 32 : 4) * growth(rowLength);
    t.floor = std::ldexp(1, fast ? -32 : -100);
    t.ulpsBelowFloor = fast ? 512 : 128;
    t.mayFlushDenormals = fast;
    break;
  case OpFamily::LogSumExp:
    t.mixed = fast ? 8e-6 : 2e-6;
    t.ofNaive = 2;
    break;
  case OpFamily::WeightedSum:
    // The scores are sums in f32, so large ones make large errors whatever the
    // schedule: the naive result shows how large.
    t.ofLargest = fast ? 2e-5 : 4e-6;
    t.ofNaive = 2;
    break;
  case OpFamily::Norm:
    t.ofLargest = fast ? 4e-6 : 1e-6;
    t.ofNaive = 2;
    break;
  }
  return t;
}

static Tolerance lowPrecisionTolerance(OpFamily family, Mode mode) {
  Tolerance t;
  t.ofNaive = 2;
  t.mayFlushDenormals = mode == Mode::Fast;
  // Rounding the result alone costs half an ulp.
  if (family == OpFamily::LogSumExp)
    t.ulps = t.ulpsBelowFloor = 1;
  else
    t.ulpsOfLargest = 1;
  // Rows of probabilities may differ in magnitude by the row length: each is
  // its own measure.
  t.perRow = family == OpFamily::Softmax;
  if (family == OpFamily::LogSumExp)
    t.mixed = mode == Mode::Fast ? 8e-6 : 2e-6;
  return t;
}

Tolerance toleranceFor(DType dtype, OpFamily family, Mode mode,
                       int64_t rowLength) {
  assert(isFloat(dtype) && "tolerances are for floating-point results");
  if (dtype == DType::F64)
    return doubleTolerance(family, rowLength);
  if (dtype == DType::F32)
    return floatTolerance(family, mode, rowLength);
  return lowPrecisionTolerance(family, mode);
}

bool sameClass(double out, double reference, DType dtype) {
  const double stored = roundTo(dtype, reference);
  if (std::isnan(out) || std::isnan(stored))
    return std::isnan(out) && std::isnan(stored);
  if (std::isinf(out) || std::isinf(stored))
    return out == stored;
  return true;
}

namespace {
/// What the tolerance is measured against, over the tensor or for one row.
struct Measure {
  double largest = 0;
  double naiveError = 0;
  double naiveUlps = 0;
};
} // namespace

/// Elements that are not finite in either have no place in a measure: an
/// overflow in the naive result would excuse everything.
static void extend(Measure &measure, double reference, const double *naive,
                   DType dtype, double floor) {
  if (!std::isfinite(reference))
    return;
  measure.largest = std::max(measure.largest, std::abs(reference));
  if (!naive || !std::isfinite(*naive))
    return;
  const double error = std::abs(*naive - reference);
  measure.naiveError = std::max(measure.naiveError, error);
  if (std::abs(reference) > floor)
    measure.naiveUlps =
        std::max(measure.naiveUlps, error / ulpAt(dtype, reference));
}

static double limitAt(double reference, const Measure &measure, DType dtype,
                      const Tolerance &t) {
  const bool low = std::abs(reference) <= t.floor;
  const double ulps =
      (low ? t.ulpsBelowFloor : t.ulps) + t.ulpsOfNaive * measure.naiveUlps;
  double limit = ulps * ulpAt(dtype, reference);
  if (!low)
    limit += t.relative * std::abs(reference);
  limit += t.absolute + t.mixed * std::max(1.0, std::abs(reference));
  limit += t.ofLargest * measure.largest;
  if (t.ulpsOfLargest != 0)
    limit += t.ulpsOfLargest * ulpAt(dtype, measure.largest);
  limit += t.ofNaive * measure.naiveError;
  // No result is nearer than half the distance of the smallest numbers.
  limit = std::max(limit, 0.5 * ulpAt(dtype, 0));
  // Strictly below the smallest normal number: that one itself must not vanish.
  if (t.mayFlushDenormals &&
      std::abs(reference) < std::ldexp(1, minExponent(dtype)))
    limit = std::max(limit, std::abs(reference));
  return limit;
}

static std::string describe(const Report &report, const Tensor &out) {
  char line[256];
  std::snprintf(line, sizeof line,
                "worst error %.3g absolute, %.3g relative, %.3g ulp",
                report.worstAbsolute, report.worstRelative, report.worstUlps);
  std::string text = (report.pass ? "pass: " : "fail: ") + std::string(line);
  if (report.naiveAbsolute != 0) {
    std::snprintf(line, sizeof line, "; naive in the same precision %.3g",
                  report.naiveAbsolute);
    text += line;
  }
  if (report.pass)
    return text;
  std::snprintf(line, sizeof line, " is %.17g, expected %.17g within %.3g",
                report.outThere, report.referenceThere, report.limitThere);
  return text + "; " + std::to_string(report.wrongElements) + " of " +
         std::to_string(out.size()) + " elements wrong, first " +
         indexToString(report.firstWrong) + line;
}

Report compareWithin(const Tensor &out, const Tensor &reference,
                     const Tensor *naive, const Comparison &how,
                     const Tolerance &tolerance) {
  const DType dtype = how.dtype, stored = how.stored.value_or(dtype);
  Report report;
  if (out.shape() != reference.shape() ||
      (naive && naive->shape() != reference.shape())) {
    const Tensor &other = out.shape() != reference.shape() ? out : *naive;
    report.pass = false;
    report.text = "fail: expected shape " + toString(reference.shape()) +
                  ", got " + toString(other.shape());
    return report;
  }

  // Without rows, the whole tensor is one.
  const bool perRow = tolerance.perRow && reference.rank() > 0;
  const RowLayout rows = perRow ? RowLayout(reference.shape(), how.axis)
                                : RowLayout({reference.size()}, 0);
  std::vector<Measure> measures(rows.rowCount());
  auto rowOf = [&](int64_t at) {
    return at / (rows.length * rows.inner) * rows.inner + at % rows.inner;
  };
  for (int64_t at = 0; at < reference.size(); ++at)
    extend(measures[rowOf(at)], reference[at],
           naive ? naive->data() + at : nullptr, dtype, tolerance.floor);
  for (const Measure &measure : measures)
    report.naiveAbsolute = std::max(report.naiveAbsolute, measure.naiveError);

  for (int64_t at = 0; at < reference.size(); ++at) {
    const double value = out[at], expected = reference[at];
    bool right = sameClass(value, expected, stored);
    double limit = 0;
    if (right && std::isfinite(value)) {
      const double error = std::abs(value - expected);
      limit = limitAt(expected, measures[rowOf(at)], dtype, tolerance);
      right = error <= limit;
      report.worstAbsolute = std::max(report.worstAbsolute, error);
      if (expected != 0)
        report.worstRelative =
            std::max(report.worstRelative, error / std::abs(expected));
      report.worstUlps =
          std::max(report.worstUlps, error / ulpAt(dtype, expected));
    }
    if (right)
      continue;
    if (report.wrongElements++ == 0) {
      report.pass = false;
      report.firstWrong = reference.indexOf(at);
      report.outThere = value;
      report.referenceThere = expected;
      report.limitThere = limit;
    }
  }
  report.text = describe(report, out);
  return report;
}

Tolerance toleranceFor(const Comparison &how) {
  Tolerance tolerance =
      toleranceFor(how.dtype, how.family, how.mode, how.rowLength);
  // Two roundings of the largest score, in both directions.
  const int ofType = how.dtype == DType::F64 ? 53 : 24;
  const double unit = std::ldexp(1, -(how.scoreBits ? how.scoreBits : ofType));
  const double ofScores = 4 * unit * how.largestScore;
  if (how.family != OpFamily::Softmax) {
    (how.family == OpFamily::LogSumExp ? tolerance.mixed
                                       : tolerance.ofLargest) += ofScores;
  } else {
    tolerance.ulps += 4 * how.largestScore;
    tolerance.ulpsBelowFloor += 4 * how.largestScore;
  }
  tolerance.absolute = how.ofMeans;
  // Below f32 the table says so of every result.
  if (how.areScoresComputed && how.family == OpFamily::Softmax &&
      !isLowPrecision(how.dtype))
    tolerance.ulpsOfNaive = 2;
  // What is narrower is rounded by more than that.
  if (how.productBits && how.dtype == DType::F32) {
    tolerance.ofNaive *= std::ldexp(1, 24 - how.productBits);
    tolerance.ulpsOfNaive *= std::ldexp(1, 24 - how.productBits);
  }
  return tolerance;
}

Report compare(const Tensor &out, const Tensor &reference, const Tensor *naive,
               const Comparison &how) {
  return compareWithin(out, reference, naive, how, toleranceFor(how));
}

} // namespace smx::reference
