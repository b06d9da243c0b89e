//===- SmallTanhPass.cpp - tanh of small numbers by a polynomial ----------===//

#include "ScoreArithmetic.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SMALLTANHPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// tanh x = x P(x^2) for |x| <= range, up to an error.
struct Series {
  double range, error;
  /// Coefficients of P, lowest power first.
  SmallVector<double> coefficients;
};

/// A term of the exponent of a weight, fma(tanh(scale x), factor, rest), in a
/// loop that asks whether a weight is too large:
///
///   tanh(scale x) factor = x Q(x^2),   Q(z) = scale factor P(scale^2 z)
///
/// Factors may be apart, and scores hidden in between: those are hidden as
/// exponents, fma(-inf, factor, rest) = -inf.
class SmallTanh {
public:
  /// Nothing where the weights do not decide a branch, or tanh is not to be
  /// approximated.
  static std::optional<SmallTanh> match(math::FmaOp weight, double leastRange);
  void rewrite();
  int64_t countCoefficients() const { return coefficients.size(); }
  /// tanh, and what is between it and x or the weight.
  const SmallVector<Operation *> &getArithmetic() const { return arithmetic; }

private:
  bool collectFactor();
  bool collectScale();
  bool collectQuestion();
  /// Q, if its coefficients are far from the ends of f32.
  bool collectCoefficients(double leastRange);
  Value splat(OpBuilder &builder, double value, Value like);

  math::FmaOp weight;
  math::TanhOp tanh;
  /// Null if no score is hidden.
  arith::SelectOp hidden;
  Value x;
  double scale = 1, factor = 1, range = 1;
  SmallVector<double> coefficients;
  SmallVector<Operation *> arithmetic;
  PartialReduceOp sums;
  arith::CmpFOp isLarge;
  /// The weights are rounded to bf16, for a product.
  bool isBF16 = false;
};
} // namespace

/// P(z) = c0 + z (c1 + z (c2 + ..)).
static double polynomial(ArrayRef<double> coefficients, double z) {
  double value = 0;
  for (double coefficient : llvm::reverse(coefficients))
    value = value * z + coefficient;
  return value;
}

/// x P(x^2) of so many coefficients goes through tanh x at the zeros of the odd
/// polynomial of Chebyshev's with one term more: there an interpolation is off
/// by little more than the best one.
static Series makeSeries(size_t count, double range) {
  constexpr int samples = 256;
  SmallVector<double> places(count), differences(count);
  for (size_t i = 0; i < count; ++i) {
    double zero = range * std::cos((2 * i + 1) * llvm::numbers::pi /
                                   (2 * (2 * count + 1)));
    places[i] = zero * zero;
    double x = std::sqrt(places[i]);
    differences[i] = std::tanh(x) / x;
  }
  // Newton's divided differences, and the powers of his form.
  for (size_t order = 1; order < count; ++order)
    for (size_t i = count - 1; i >= order; --i)
      differences[i] = (differences[i] - differences[i - 1]) /
                       (places[i] - places[i - order]);
  Series series{range, 0, SmallVector<double>(count, 0.0)};
  SmallVector<double> &powers = series.coefficients;
  for (size_t i = count; i-- > 0;) {
    for (size_t power = count; power-- > 0;)
      powers[power] = (power ? powers[power - 1] : differences[i]) -
                      places[i] * powers[power];
  }
  for (int i = 1; i <= samples; ++i) {
    double x = range * i / samples;
    series.error = std::max(
        series.error, std::abs(x * polynomial(powers, x * x) - std::tanh(x)));
  }
  return series;
}

/// The fewest coefficients with which an exponent, factor tanh x, is off by at
/// most `mostOff` for |x| up to `least`; and up to how large ones it is. None
/// if there are too many.
static std::optional<Series> seriesFor(double factor, double least,
                                       double mostOff) {
  constexpr size_t fewest = 2, most = 6;
  auto isRight = [&](const Series &series) {
    return std::abs(factor) * series.error <= mostOff;
  };
  for (size_t count = fewest; count <= most; ++count) {
    Series found = makeSeries(count, least);
    if (!isRight(found))
      continue;
    for (double range = 1, step = 1.0 / 256; range > least; range -= step)
      if (Series wider = makeSeries(count, range); isRight(wider))
        return wider;
    return found;
  }
  return std::nullopt;
}

/// The series for weights of a type. An exponent is a power of two: one that is
/// off by e has a weight that is off by e ln 2 of itself.
///
///   f16, f32:  e = 2^-11, a weight by 2^-11.5
///   bf16:      e = 2^-10, a weight by 2^-10.5; it is rounded by up to 2^-9
///
/// Two coefficients are off by about R^5 / 120 in tanh, |x| <= R. In bf16 that
/// is enough for logits of up to 6.7 of a cap of 20, and 13.8 of 50. Those of
/// queries and keys of deviation 1 have deviation 1 when they are scaled: one
/// of 10^6 is above 5, and one of 5 10^8 above 6, so that a range of 6 is wide
/// enough, whatever part of the cap it is.
static std::optional<Series> seriesForWeights(double factor, double leastRange,
                                              bool isBF16) {
  constexpr double leastLogit = 6;
  double cap = std::abs(factor) * llvm::numbers::ln2;
  if (isBF16)
    return seriesFor(factor, std::min(leastRange, leastLogit / cap), 0x1p-10);
  return seriesFor(factor, leastRange, 0x1p-11);
}

/// Finds tanh behind what is multiplied with it. What each op gives is for the
/// weight alone, and for branches: else it is computed all the same.
bool SmallTanh::collectFactor() {
  std::optional<double> first = splatValue(weight.getB());
  if (!first)
    return false;
  factor = *first;
  Operation *user = weight;
  auto isFor = [&](Operation *op) {
    return op && op->getBlock() == weight->getBlock() &&
           llvm::all_of(op->getUsers(), [&](Operation *other) {
             return other == user || other->getBlock() != op->getBlock();
           });
  };
  Operation *op = weight.getA().getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    constexpr double hides = -std::numeric_limits<double>::infinity();
    if (!isFor(op) || splatValue(select.getFalseValue()) != hides)
      return false;
    hidden = select;
    arithmetic.push_back(op);
    user = op;
    op = select.getTrueValue().getDefiningOp();
  }
  while (auto product = dyn_cast_or_null<arith::MulFOp>(op)) {
    std::optional<double> constant = splatValue(product.getRhs());
    if (!isFor(op) || !constant)
      return false;
    factor *= *constant;
    arithmetic.push_back(op);
    user = op;
    op = product.getLhs().getDefiningOp();
  }
  tanh = dyn_cast_or_null<math::TanhOp>(op);
  return tanh && isFor(op) && (!hidden || factor > 0);
}

bool SmallTanh::collectScale() {
  arithmetic.push_back(tanh);
  x = tanh.getOperand();
  while (Operation *op = x.getDefiningOp()) {
    if (!isa<arith::MulFOp, arith::DivFOp>(op))
      break;
    bool isProduct = isa<arith::MulFOp>(op);
    std::optional<double> left = isProduct ? splatValue(op->getOperand(0))
                                           : std::optional<double>(),
                          right = splatValue(op->getOperand(1));
    if (!left && !right)
      break;
    if (right)
      scale *= isProduct ? *right : 1 / *right;
    else
      scale *= *left;
    x = op->getOperand(right ? 0 : 1);
    arithmetic.push_back(op);
  }
  return scale != 0;
}

/// True if `value`, or another with it, decides a branch.
static bool isAsked(Value value) {
  if (!value.hasOneUse())
    return false;
  Operation *user = *value.getUsers().begin();
  return isa<AnyOp>(user) ||
         (isa<arith::OrIOp>(user) && isAsked(user->getResult(0)));
}

/// The question is about sums of the weights that `weight` is the exponent of.
bool SmallTanh::collectQuestion() {
  auto power = dyn_cast<math::Exp2Op>(*weight->getUsers().begin());
  if (!power || !weight->hasOneUse())
    return false;
  for (Operation *user : power->getUsers()) {
    if (auto rounded = dyn_cast<arith::TruncFOp>(user))
      isBF16 = getElementTypeOrSelf(rounded.getType()).isBF16();
    if (auto reduced = dyn_cast<PartialReduceOp>(user))
      for (Operation *reader : reduced->getUsers())
        if (auto compared = dyn_cast<arith::CmpFOp>(reader))
          if (isAsked(compared)) {
            sums = reduced;
            isLarge = compared;
          }
  }
  return isLarge && isLarge.getPredicate() == arith::CmpFPredicate::UGT &&
         isLarge.getLhs() == sums.getResult();
}

bool SmallTanh::collectCoefficients(double leastRange) {
  std::optional<Series> series = seriesForWeights(factor, leastRange, isBF16);
  if (!series)
    return false;
  range = series->range;
  double power = scale * factor;
  for (double coefficient : series->coefficients) {
    coefficients.push_back(coefficient * power);
    power *= scale * scale;
  }
  return llvm::all_of(coefficients, [](double value) {
    return std::abs(value) > 0x1p-100 && std::abs(value) < 0x1p100;
  });
}

std::optional<SmallTanh> SmallTanh::match(math::FmaOp weight,
                                          double leastRange) {
  SmallTanh found;
  found.weight = weight;
  if (!found.collectFactor() ||
      !arith::bitEnumContainsAll(found.tanh.getFastmath(),
                                 arith::FastMathFlags::afn) ||
      !getElementTypeOrSelf(weight.getType()).isF32())
    return std::nullopt;
  if (!found.collectScale() || !found.collectQuestion() ||
      !found.collectCoefficients(leastRange))
    return std::nullopt;
  return found;
}

Value SmallTanh::splat(OpBuilder &builder, double value, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  FloatAttr element = builder.getFloatAttr(type.getElementType(), value);
  return arith::ConstantOp::create(builder, weight.getLoc(),
                                   DenseElementsAttr::get(type, element));
}

void SmallTanh::rewrite() {
  OpBuilder builder(weight);
  Location loc = weight.getLoc();
  Value square = arith::MulFOp::create(builder, loc, x, x);
  Value quotient = splat(builder, coefficients.back(), x);
  for (double coefficient : llvm::reverse(ArrayRef(coefficients).drop_back()))
    quotient = math::FmaOp::create(builder, loc, quotient, square,
                                   splat(builder, coefficient, x));
  Value exponent =
      math::FmaOp::create(builder, loc, x, quotient, weight.getC());
  if (hidden)
    exponent = arith::SelectOp::create(builder, loc, hidden.getCondition(),
                                       exponent, hidden.getFalseValue());
  weight.replaceAllUsesWith(exponent);
  weight.erase();
  // Squares are in the order of their bits, of which one instruction compares
  // three. What is not a number shows in the sums.
  builder.setInsertionPointAfter(isLarge);
  double limit = range / scale;
  auto bitsOf = [&](Value tile) -> Value {
    auto type = cast<RankedTensorType>(tile.getType());
    return arith::BitcastOp::create(builder, loc,
                                    type.clone(builder.getI32Type()), tile);
  };
  Value largest = PartialReduceOp::create(
      builder, loc, sums.getResult().getType().clone(builder.getI32Type()),
      Combiner::MaxSI, bitsOf(square));
  Value isFar = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sgt, largest,
      bitsOf(splat(builder, limit * limit, sums.getResult())));
  Value isEither = arith::OrIOp::create(builder, loc, isLarge, isFar);
  isLarge->replaceUsesWithIf(ValueRange(isEither), [&](OpOperand &use) {
    return use.getOwner() != isEither.getDefiningOp();
  });
}

namespace {
struct SmallTanhPass : mlir::smx::gpu::impl::SmallTanhPassBase<SmallTanhPass> {
  using SmallTanhPassBase::SmallTanhPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (range > 0 && range <= 1)
      return success();
    return emitError(UnknownLoc::get(context))
           << "option 'range' must be above 0 and at most 1, got "
           << double(range);
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<math::FmaOp> weights;
    kernel.walk([&](math::FmaOp fma) {
      if (isa<scf::ForOp>(fma->getParentOp()))
        weights.push_back(fma);
    });
    llvm::SmallPtrSet<Operation *, 4> arithmetic;
    for (math::FmaOp weight : weights) {
      std::optional<SmallTanh> found = SmallTanh::match(weight, range);
      if (!found)
        continue;
      remark::passed(
          weight.getLoc(),
          remark::RemarkOpts::name("SmallTanh").category("smx-gpu-small-tanh"))
          << "tanh is a polynomial of small numbers: "
          << remark::metric("coefficients", found->countCoefficients());
      arithmetic.insert_range(found->getArithmetic());
      found->rewrite();
    }
    // The branches compute tanh as it stands.
    if (!arithmetic.empty())
      sinkIntoBranches(kernel, getAnalysis<DominanceInfo>(),
                       [&](Operation *op) { return arithmetic.contains(op); });
  }
};
} // namespace
