//===- Indices.h - arithmetic on indices ------------------------*- C++ -*-===//
#ifndef SMX_LIB_GPU_INDICES_H
#define SMX_LIB_GPU_INDICES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::smx::gpu {

/// Sums, products and choices of indices.
struct Indices : ImplicitLocOpBuilder {
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(*this, value);
  }
  Value plus(Value a, Value b) { return arith::AddIOp::create(*this, a, b); }
  Value minus(Value a, Value b) { return arith::SubIOp::create(*this, a, b); }
  Value minus(int64_t a, Value b) { return minus(number(a), b); }
  Value times(Value a, int64_t b) {
    return arith::MulIOp::create(*this, a, number(b));
  }
  Value over(Value a, int64_t b) {
    return arith::DivUIOp::create(*this, a, number(b));
  }
  Value rest(Value a, int64_t b) {
    return arith::RemUIOp::create(*this, a, number(b));
  }
  Value isBelow(Value a, int64_t b) {
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, a,
                                 number(b));
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, a, b);
  }
  Value atLeast(Value a, int64_t b) {
    return arith::MaxSIOp::create(*this, a, number(b));
  }
  Value isOdd(Value a) {
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::ne, rest(a, 2),
                                 number(0));
  }
  Value choose(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_INDICES_H
