//===- RegisterMath.cpp - float arithmetic on registers -------------------===//

#include "RegisterMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::smx;

/// `scalar`, or a vector of it as long as `like`.
static Type shapedLike(Type scalar, Type like) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(VectorType::get(vector.getShape(), scalar)) : scalar;
}

static Value splat(ImplicitLocOpBuilder &b, TypedAttr value, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(b, value);
}

Type RegisterMath::integers() const {
  return shapedLike(b.getIntegerType(isDouble() ? 64 : 32), type);
}

Value RegisterMath::constant(double value) {
  return splat(b, b.getFloatAttr(getElementTypeOrSelf(type), value), type);
}

Value RegisterMath::integer(int64_t value) {
  return splat(b, b.getIntegerAttr(getElementTypeOrSelf(integers()), value),
               integers());
}

Value RegisterMath::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z);
}

Value RegisterMath::round(Value x) {
  // From here on floats lie 1 apart.
  Value spacing = constant(isDouble() ? 0x1.8p52 : 0x1.8p23);
  return sub(add(x, spacing), spacing);
}

Value RegisterMath::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(x, sum, constant(coefficient));
  return sum;
}

Value RegisterMath::compare(arith::CmpFPredicate predicate, Value x, double y) {
  return arith::CmpFOp::create(b, predicate, x, constant(y));
}

Value RegisterMath::apply(StringRef intrinsic, Value x) {
  auto name = b.getStringAttr(intrinsic);
  auto call = [&](Value element) {
    return LLVM::CallIntrinsicOp::create(b, b.getF32Type(), name, element)
        .getResult(0);
  };
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return call(x);
  Value result = LLVM::PoisonOp::create(b, type);
  for (int64_t i : llvm::seq(vector.getNumElements())) {
    Value at = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(i));
    Value element = LLVM::ExtractElementOp::create(b, x, at);
    result = LLVM::InsertElementOp::create(b, result, call(element), at);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
/// x = 2^exponent (1 + f), with 1 + f between sqrt(1/2) and sqrt(2), and
/// log(1 + f) = f - rest.
struct SplitLog {
  Value exponent, f, rest;
};
} // namespace

/// With s = f / (2 + f): log(1 + f) = 2 atanh s = 2s + R s, where R is the
/// series below in z = s^2 <= 0.0295, and 2s = f - s f. So log(1 + f) =
/// f - s (f - R), or with h = f^2 / 2, since s f = h - s h, f - (h - s (h +
/// R)): what is added to f is small.
static SplitLog splitLog(RegisterMath &m, Value x) {
  ImplicitLocOpBuilder &b = m.b;
  bool isDouble = m.isDouble();
  double smallest = isDouble ? 0x1p-1022 : 0x1p-126;
  int64_t mantissaBits = isDouble ? 52 : 23, lift = mantissaBits + 2;
  int64_t half = isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3; // sqrt(1/2)
  // Numbers below the normal range have no exponent of their own.
  Value isTiny = m.compare(arith::CmpFPredicate::OLT, x, smallest);
  Value lifted = m.mul(x, m.constant(isDouble ? 0x1p54 : 0x1p25));
  Value bits =
      arith::BitcastOp::create(b, m.integers(), m.select(isTiny, lifted, x));
  Value width = m.integer(mantissaBits);
  Value k = arith::ShRSIOp::create(
      b, arith::SubIOp::create(b, bits, m.integer(half)), width);
  Value reduced = arith::BitcastOp::create(
      b, m.type,
      arith::SubIOp::create(b, bits, arith::ShLIOp::create(b, k, width)));
  Value lowered = arith::SubIOp::create(b, k, m.integer(lift));
  k = m.select(isTiny, lowered, k);

  static constexpr double series[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,
                                      2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17,
                                      2.0 / 19, 2.0 / 21};
  Value f = m.sub(reduced, m.constant(1.0));
  Value s = m.div(f, m.add(f, m.constant(2.0)));
  Value z = m.mul(s, s);
  Value r =
      m.mul(z, m.polynomial(z, ArrayRef(series).take_front(isDouble ? 10 : 4)));
  Value h = m.mul(m.mul(f, f), m.constant(0.5));
  Value rest = m.sub(h, m.mul(s, m.add(h, r)));
  return {arith::SIToFPOp::create(b, m.type, k), f, rest};
}

/// What logarithms of 0, negative numbers, infinity and NaN are.
static Value withSpecialCases(RegisterMath &m, Value x, Value result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value isFinite = m.compare(arith::CmpFPredicate::OLT, x, infinity);
  result = m.select(isFinite, result, x);
  Value isZero = m.compare(arith::CmpFPredicate::OEQ, x, 0.0);
  result = m.select(isZero, m.constant(-infinity), result);
  Value isNegative = m.compare(arith::CmpFPredicate::OLT, x, 0.0);
  return m.select(isNegative, m.constant(std::nan("")), result);
}

Value mlir::smx::expandLog(RegisterMath &m, Value x) {
  // Products of the first part with an exponent are exact.
  double high = m.isDouble() ? 0x1.62e42feep-1 : 0x1.62e4p-1;
  double low = m.isDouble() ? 0x1.a39ef35793c76p-33 : 0x1.7f7d1cp-20;
  auto [exponent, f, rest] = splitLog(m, x);
  Value small = m.sub(rest, m.mul(exponent, m.constant(low)));
  Value result = m.fma(exponent, m.constant(high), m.sub(f, small));
  return withSpecialCases(m, x, result);
}

Value mlir::smx::expandLog2(RegisterMath &m, Value x) {
  auto [exponent, f, rest] = splitLog(m, x);
  Value result = m.fma(m.sub(f, rest), m.constant(log2E), exponent);
  return withSpecialCases(m, x, result);
}

/// With u = 1 + x as it rounds: log u x / (u - 1), where the factor corrects
/// what rounding did to x. Where u is 1 the result is x.
Value mlir::smx::expandLog1p(RegisterMath &m, Value x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value one = m.constant(1.0);
  Value u = m.add(x, one);
  Value d = m.sub(u, one);
  Value log = expandLog(m, u);
  Value result = m.mul(log, m.div(x, d));
  // log 0 and log inf are what they are.
  Value isZero = m.compare(arith::CmpFPredicate::OEQ, u, 0.0);
  Value isInfinite = m.compare(arith::CmpFPredicate::OEQ, u, infinity);
  result = m.select(arith::OrIOp::create(m.b, isZero, isInfinite), log, result);
  return m.select(m.compare(arith::CmpFPredicate::OEQ, d, 0.0), x, result);
}
