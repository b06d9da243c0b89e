//===- RegisterMath.h - float arithmetic on registers -----------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_REGISTERMATH_H
#define SMX_LIB_NVVM_REGISTERMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::smx {

constexpr double log2E = 0x1.71547652b82fep+0;

/// Arithmetic on one type (f32, f64 or a vector of either) at the builder's
/// insertion point.
struct RegisterMath {
  ImplicitLocOpBuilder &b;
  Type type;

  bool isDouble() const { return getElementTypeOrSelf(type).isF64(); }
  /// The integers as wide as the floats.
  Type integers() const;

  Value constant(double value);
  Value integer(int64_t value);
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value fma(Value x, Value y, Value z);
  /// x as a whole number, for |x| below 2^21 (f32) or 2^50 (f64).
  Value round(Value x);
  /// The polynomial with `coefficients`, lowest power first, by Horner's rule.
  Value polynomial(Value x, ArrayRef<double> coefficients);
  Value compare(arith::CmpFPredicate predicate, Value x, double y);
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// An instruction of one f32 operand, element by element.
  Value apply(StringRef intrinsic, Value x);
};

/// log x to 1 ulp, log2 x to 2 ulp and log(1 + x) to 3 ulp, for every x (below
/// the normal range too).
Value expandLog(RegisterMath &m, Value x);
Value expandLog2(RegisterMath &m, Value x);
Value expandLog1p(RegisterMath &m, Value x);

/// e^argument, for an argument `scale * (x - y)` that may be contracted, f32
/// only, of which `bits` matter: to 1 ulp, to 3 in half as many instructions if
/// those are 22 at most, and by one product if 19 are. No value if it is none.
Value expandExpOfDifference(RegisterMath &m, Value argument, int64_t bits);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_REGISTERMATH_H
