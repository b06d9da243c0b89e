//===- PowerOfTwo.cpp - splitting off and applying powers of two ----------===//

#include "PowerOfTwo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::smx;

bool FloatMath::isDouble() const { return getElementTypeOrSelf(type).isF64(); }

FloatMath::FloatMath(ImplicitLocOpBuilder &b, Type type, bool avx512)
    : b(b), type(type) {
  mantissaBits = isDouble() ? 52 : 23;
  magic = isDouble() ? 0x1.8p52 : 0x1.8p23;
  intType = isDouble() ? b.getI64Type() : b.getI32Type();
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return;
  intType = VectorType::get(vector.getShape(), intType);
  int64_t bits = vector.getNumElements() * (isDouble() ? 64 : 32);
  if (avx512 && vector.getRank() == 1 &&
      llvm::is_contained({128, 256, 512}, bits))
    scalef = (Twine("llvm.x86.avx512.mask.scalef.") +
              (isDouble() ? "pd." : "ps.") + Twine(bits))
                 .str();
}

Value FloatMath::constant(double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = b.getFloatAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

Value FloatMath::integer(int64_t value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(intType), value);
  if (auto vector = dyn_cast<VectorType>(intType))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

Value FloatMath::add(Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}
Value FloatMath::sub(Value x, Value y) {
  return arith::SubFOp::create(b, x, y);
}
Value FloatMath::mul(Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}
Value FloatMath::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z);
}
Value FloatMath::neg(Value x) { return arith::NegFOp::create(b, x); }
Value FloatMath::bitcast(Value x, Type to) {
  return arith::BitcastOp::create(b, to, x);
}

Value FloatMath::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(x, sum, constant(coefficient));
  return sum;
}

Value FloatMath::clamp(Value x, double low, double high) {
  // Ordered comparisons are false for NaN, which therefore passes through both
  // selects.
  Value least = constant(low), most = constant(high);
  Value isLow = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, least, x);
  x = arith::SelectOp::create(b, isLow, least, x);
  Value isHigh = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, most, x);
  return arith::SelectOp::create(b, isHigh, most, x);
}

Value FloatMath::roundToInteger(Value x) {
  if (!scalef.empty())
    return math::RoundEvenOp::create(b, x);
  return sub(add(x, constant(magic)), constant(magic));
}

/// The integer of `n`, which is integral, as an integer; meaningless for NaN.
Value FloatMath::exponentBits(Value n) {
  Value sum = bitcast(add(n, constant(magic)), intType);
  return arith::SubIOp::create(b, sum, bitcast(constant(magic), intType));
}

Value FloatMath::scale(Value p, Value n, Subnormals subnormals) {
  if (!scalef.empty()) {
    int64_t lanes = cast<VectorType>(type).getNumElements();
    Type maskType = b.getIntegerType(std::max<int64_t>(lanes, 8));
    Value all = arith::ConstantOp::create(b, b.getIntegerAttr(maskType, -1));
    SmallVector<Value> operands{p, n, p, all};
    constexpr int currentRounding = 4;
    if (StringRef(scalef).ends_with("512"))
      operands.push_back(
          arith::ConstantOp::create(b, b.getI32IntegerAttr(currentRounding)));
    return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(scalef),
                                         operands)
        .getResult(0);
  }
  Value exponent = exponentBits(n);
  Value width = integer(mantissaBits);
  if (subnormals == Subnormals::Flush) {
    Value shifted = arith::ShLIOp::create(b, exponent, width);
    return bitcast(arith::AddIOp::create(b, bitcast(p, intType), shifted),
                   type);
  }
  // In two steps, so that neither factor leaves the normal range and only the
  // last product rounds.
  Value half = arith::ShRSIOp::create(b, exponent, integer(1));
  Value rest = arith::SubIOp::create(b, exponent, half);
  Value bias = integer(isDouble() ? 1023 : 127);
  for (Value part : {half, rest}) {
    Value biased = arith::AddIOp::create(b, part, bias);
    p = mul(p, bitcast(arith::ShLIOp::create(b, biased, width), type));
  }
  return p;
}
