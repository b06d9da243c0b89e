//===- LossCases.cpp - losses and gradients in the numeric suite ----------===//

#include "LossCases.h"

#include "smx/Reference/CrossEntropy.h"
#include "smx/Reference/Softmax.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace smx;
using namespace smx::test;
using namespace smx::reference;

bool smx::test::isLossOrGradient(Op op) {
  return op == Op::CrossEntropy || op == Op::CrossEntropyBackward ||
         op == Op::SoftmaxBackward || op == Op::LogSoftmaxBackward ||
         op == Op::TopK;
}

static bool hasTargets(Op op) {
  return op == Op::CrossEntropy || op == Op::CrossEntropyBackward;
}

static DType stateType(const NumericCase &c) {
  return c.dtype == DType::F64 ? DType::F64 : DType::F32;
}
static DType lossType(const NumericCase &c) {
  return c.isLossWide ? stateType(c) : c.dtype;
}

static Shape rowsOf(const NumericCase &c) {
  Shape rows = c.shape;
  rows.erase(rows.begin() + c.axis);
  return rows;
}

static CrossEntropyOptions optionsOf(const NumericCase &c) {
  CrossEntropyOptions options;
  options.axis = c.axis;
  options.scale = c.scale;
  options.smoothing = c.smoothing;
  options.ignored = c.ignored;
  return options;
}

std::string smx::test::lossText(const NumericCase &c) {
  auto text = [&](const Shape &shape, DType dtype) {
    std::string type = "tensor<";
    for (int64_t extent : shape)
      type += (c.isDynamic ? "?" : std::to_string(extent)) + "x";
    return type + std::string(nameOf(dtype)) + ">";
  };
  std::string x = text(c.shape, c.dtype);
  std::string how =
      llvm::formatv("axis({0}) scale({1:E16})", c.axis, c.scale).str();
  if (c.op == Op::TopK) {
    Shape shape = c.shape;
    shape[c.axis] = c.k;
    std::string places = text(shape, c.targetType);
    std::string shares = text(shape, lossType(c));
    return llvm::formatv(
        "func.func @f(%x: {0}) -> ({1}, {2}) {{\n"
        "  %p, %i = smx.topk_softmax %x axis({3}) k({4}) scale({5:E16}) : {0} "
        "-> {1}, {2}\n  return %p, %i : {1}, {2}\n}\n",
        x, shares, places, c.axis, c.k, c.scale);
  }
  if (!hasTargets(c.op))
    return llvm::formatv(
        "func.func @f(%y: {0}, %g: {0}) -> {0} {{\n"
        "  %d = smx.{1} %y, %g {2} : {0}, {0} -> {0}\n  return %d : {0}\n}\n",
        x,
        c.op == Op::SoftmaxBackward ? "softmax_backward"
                                    : "log_softmax_backward",
        how);
  if (c.smoothing != 0)
    how += llvm::formatv(" smoothing({0:E6})", c.smoothing);
  if (c.ignored)
    how += llvm::formatv(" ignore({0})", *c.ignored);
  std::string targets = text(rowsOf(c), c.targetType);
  std::string row = text(rowsOf(c), stateType(c));
  std::string loss = text(rowsOf(c), lossType(c));
  if (c.op == Op::CrossEntropy)
    return llvm::formatv(
        "func.func @f(%x: {0}, %t: {1}) -> ({2}, {3}) {{\n"
        "  %y, %l = smx.cross_entropy %x, %t {4} : {0}, {1} -> {2}, {3}\n"
        "  return %y, %l : {2}, {3}\n}\n",
        x, targets, loss, row, how);
  return llvm::formatv("func.func @f(%x: {0}, %t: {1}, %l: {2}, %g: {3}) -> "
                       "{0} {{\n"
                       "  %y = smx.cross_entropy_backward %x, %t, %l, %g {4} : "
                       "{0}, {1}, {2}, {3} -> {0}\n"
                       "  return %y : {0}\n}\n",
                       x, targets, row, loss, how);
}

/// First and last place, places outside on both sides, and the ignored one.
static Tensor makeTargets(const NumericCase &c) {
  Tensor targets(rowsOf(c));
  const int64_t extent = c.shape[c.axis];
  for (int64_t r = 0; r < targets.size(); ++r)
    switch ((r + c.seed) % 7) {
    case 0:
      targets[r] = 0;
      break;
    case 1:
      targets[r] = extent - 1;
      break;
    case 2:
      targets[r] = c.ignored.value_or(extent / 2);
      break;
    case 3:
      targets[r] = r % 2 ? extent : -1;
      break;
    default:
      targets[r] = (r * 7 + c.seed % 1000) % std::max<int64_t>(extent, 1);
    }
  return targets;
}

std::vector<Tensor> smx::test::lossInputs(
    const NumericCase &c,
    const std::function<Tensor(std::string_view, const Shape &)> &make) {
  Tensor x = make(c.generator, c.shape);
  if (c.op == Op::CrossEntropy)
    return {x, makeTargets(c)};
  if (c.op == Op::TopK)
    return {x};
  SoftmaxOptions softmax;
  softmax.axis = c.axis;
  softmax.scale = c.scale;
  if (c.op == Op::CrossEntropyBackward)
    return {x, makeTargets(c), logSumExp(x, softmax).roundedTo(stateType(c)),
            make("normal", rowsOf(c)).roundedTo(lossType(c))};
  Tensor y = c.op == Op::SoftmaxBackward ? reference::softmax(x, softmax)
                                         : logSoftmax(x, softmax);
  return {y.roundedTo(c.dtype), make("normal", c.shape)};
}

std::vector<DType> smx::test::lossInputTypes(const NumericCase &c) {
  if (c.op == Op::TopK)
    return {c.dtype};
  if (c.op == Op::CrossEntropy)
    return {c.dtype, c.targetType};
  if (c.op == Op::CrossEntropyBackward)
    return {c.dtype, c.targetType, stateType(c), lossType(c)};
  return {c.dtype, c.dtype};
}

/// Three passes with float arithmetic: what rounding does to a gradient, whose
/// terms may cancel.
static Tensor naiveRowGradient(const NumericCase &c, const Tensor &y,
                               const Tensor &g) {
  const bool isSoftmax = c.op == Op::SoftmaxBackward;
  const RowLayout rows(y.shape(), c.axis);
  Tensor result(y.shape());
  for (int64_t r = 0; r < rows.rowCount(); ++r) {
    float sum = 0;
    for (int64_t j = 0; j < rows.length; ++j) {
      const int64_t at = rows.begin(r) + j * rows.stride();
      sum += isSoftmax ? float(y[at]) * float(g[at]) : float(g[at]);
    }
    for (int64_t j = 0; j < rows.length; ++j) {
      const int64_t at = rows.begin(r) + j * rows.stride();
      result[at] = float(c.scale) *
                   (isSoftmax ? float(y[at]) * (float(g[at]) - sum)
                              : float(g[at]) - std::exp(float(y[at])) * sum);
    }
  }
  return result.roundedTo(c.dtype);
}

static Tensor naiveCrossEntropyGradient(const NumericCase &c,
                                        const std::vector<Tensor> &inputs) {
  const RowLayout rows(c.shape, c.axis);
  const float share = float(c.smoothing) / float(rows.length);
  Tensor result(c.shape);
  for (int64_t r = 0; r < rows.rowCount(); ++r)
    for (int64_t j = 0; j < rows.length; ++j) {
      const int64_t at = rows.begin(r) + j * rows.stride();
      float difference = std::exp(float(c.scale) * float(inputs[0][at]) -
                                  float(inputs[2][r])) -
                         share;
      if (static_cast<double>(j) == inputs[1][r])
        difference -= 1 - float(c.smoothing);
      result[at] = float(c.scale) * float(inputs[3][r]) * difference;
    }
  return result.roundedTo(c.dtype);
}

static std::vector<NumericCase::Expected>
expectedTopK(const NumericCase &c, const Tensor &x, const Comparison &how) {
  SoftmaxOptions options;
  options.axis = c.axis;
  options.scale = c.scale;
  const TopK found = topkSoftmax(x, std::min(c.k, x.dim(c.axis)), options);
  Shape shape = c.shape;
  shape[c.axis] = c.k;
  // What a short row does not have.
  Tensor shares(shape), places(shape, -1);
  for (int64_t at = 0; at < found.values.size(); ++at) {
    shares.at(found.values.indexOf(at)) = found.values[at];
    places.at(found.values.indexOf(at)) = found.indices[at];
  }
  Comparison exact = how;
  exact.dtype = DType::F64;
  exact.family = OpFamily::LogSumExp;
  return {{shares, std::nullopt, how},
          {places, std::nullopt, exact, c.targetType}};
}

std::vector<NumericCase::Expected>
smx::test::lossExpected(const NumericCase &c,
                        const std::vector<Tensor> &inputs) {
  auto how = [&](OpFamily family, DType dtype) {
    Comparison comparison;
    comparison.dtype = dtype;
    comparison.family = family;
    comparison.rowLength = c.shape[c.axis];
    comparison.axis = c.axis;
    return comparison;
  };
  if (c.op == Op::CrossEntropy) {
    SoftmaxOptions softmax;
    softmax.axis = c.axis;
    softmax.scale = c.scale;
    return {{crossEntropy(inputs[0], inputs[1], optionsOf(c)), std::nullopt,
             how(OpFamily::LogSumExp, lossType(c))},
            {logSumExp(inputs[0], softmax), std::nullopt,
             how(OpFamily::LogSumExp, stateType(c))}};
  }
  if (c.op == Op::TopK)
    return expectedTopK(c, inputs[0], how(OpFamily::Softmax, lossType(c)));
  NumericCase::Expected expected{Tensor(), std::nullopt,
                                 how(OpFamily::WeightedSum, c.dtype)};
  if (c.op == Op::CrossEntropyBackward)
    expected.exact = crossEntropyBackward(inputs[0], inputs[1], inputs[2],
                                          inputs[3], optionsOf(c));
  else
    expected.exact =
        c.op == Op::SoftmaxBackward
            ? softmaxBackward(inputs[0], inputs[1], c.axis, c.scale)
            : logSoftmaxBackward(inputs[0], inputs[1], c.axis, c.scale);
  if (c.dtype != DType::F64)
    expected.naive = c.op == Op::CrossEntropyBackward
                         ? naiveCrossEntropyGradient(c, inputs)
                         : naiveRowGradient(c, inputs[0], inputs[1]);
  return {expected};
}
