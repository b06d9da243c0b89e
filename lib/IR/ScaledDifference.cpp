//===- ScaledDifference.cpp - scale * (x - y), unrounded ------------------===//

#include "smx/IR/ScaledDifference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

static constexpr auto contract = arith::FastMathFlags::contract;

static APFloat toDouble(APFloat value) {
  bool isInexact;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &isInexact);
  return value;
}

Value mlir::smx::buildScaledDifference(OpBuilder &builder, Location loc,
                                       const ScaledDifference &difference) {
  auto [x, y, scale] = difference;
  Value d = arith::SubFOp::create(builder, loc, x, y, contract);
  if (scale == 1.0)
    return d;
  auto type = cast<FloatType>(x.getType());
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  };
  // Towards 0: a negative rest would make -inf + inf of an infinite difference.
  auto rounded = [&](double value) {
    APFloat inType(value);
    bool isInexact;
    inType.convert(type.getFloatSemantics(), APFloat::rmTowardZero, &isInexact);
    return toDouble(inType).convertToDouble();
  };
  double high = rounded(scale), low = rounded(scale - high);
  if (low == 0)
    return arith::MulFOp::create(builder, loc, d, constant(high), contract);
  Value rest = arith::MulFOp::create(builder, loc, d, constant(low), contract);
  return math::FmaOp::create(builder, loc, d, constant(high), rest, contract);
}

/// The constant that `value` is multiplied by in a product that may be
/// contracted.
static std::optional<double> matchFactor(arith::MulFOp product, Value value) {
  APFloat factor(0.0);
  if (!product || product.getLhs() != value ||
      !arith::bitEnumContainsAll(product.getFastmath(), contract) ||
      !matchPattern(product.getRhs(), m_ConstantFloat(&factor)))
    return std::nullopt;
  return toDouble(factor).convertToDouble();
}

std::optional<ScaledDifference> mlir::smx::matchScaledDifference(Value value) {
  ScaledDifference result;
  Value d = value;
  if (auto sum = value.getDefiningOp<math::FmaOp>()) {
    d = sum.getA();
    APFloat high(0.0);
    std::optional<double> low =
        matchFactor(sum.getC().getDefiningOp<arith::MulFOp>(), d);
    if (!low || !arith::bitEnumContainsAll(sum.getFastmath(), contract) ||
        !matchPattern(sum.getB(), m_ConstantFloat(&high)))
      return std::nullopt;
    result.scale = toDouble(high).convertToDouble() + *low;
  } else if (auto product = value.getDefiningOp<arith::MulFOp>()) {
    d = product.getLhs();
    std::optional<double> factor = matchFactor(product, d);
    if (!factor)
      return std::nullopt;
    result.scale = *factor;
  }
  if (!(result.scale > 1e-30 && result.scale < 1e30))
    return std::nullopt;
  auto difference = d.getDefiningOp<arith::SubFOp>();
  if (!difference ||
      !arith::bitEnumContainsAll(difference.getFastmath(), contract))
    return std::nullopt;
  result.x = difference.getLhs();
  result.y = difference.getRhs();
  return result;
}
