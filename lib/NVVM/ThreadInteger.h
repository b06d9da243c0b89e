//===- ThreadInteger.h - 32-bit integers of a thread, as IR -----*- C++ -*-===//
//
// Arithmetic on a number that each thread has of its own and that is not
// negative: operators emit IR. Index algebra written as a template over its
// integer type thereby becomes code.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_THREADINTEGER_H
#define SMX_LIB_NVVM_THREADINTEGER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx {

class ThreadInteger {
public:
  ThreadInteger(ImplicitLocOpBuilder &b, Value value) : b(&b), value(value) {}

  Value getValue() const { return value; }

  friend ThreadInteger operator+(const ThreadInteger &x,
                                 const ThreadInteger &y) {
    return x.emit<LLVM::AddOp>(y.value);
  }
  friend ThreadInteger operator^(const ThreadInteger &x,
                                 const ThreadInteger &y) {
    return x.emit<LLVM::XOrOp>(y.value);
  }
  friend ThreadInteger operator+(const ThreadInteger &x, int64_t c) {
    return c == 0 ? x : x.emit<LLVM::AddOp>(x.constant(c));
  }
  friend ThreadInteger operator^(const ThreadInteger &x, int64_t c) {
    return c == 0 ? x : x.emit<LLVM::XOrOp>(x.constant(c));
  }
  friend ThreadInteger operator*(const ThreadInteger &x, int64_t c) {
    if (c == 0)
      return {*x.b, x.constant(0)};
    if (c == 1)
      return x;
    if (llvm::isPowerOf2_64(c))
      return x.emit<LLVM::ShlOp>(x.constant(llvm::Log2_64(c)));
    return x.emit<LLVM::MulOp>(x.constant(c));
  }
  friend ThreadInteger operator/(const ThreadInteger &x, int64_t c) {
    if (c == 1)
      return x;
    if (llvm::isPowerOf2_64(c))
      return x.emit<LLVM::LShrOp>(x.constant(llvm::Log2_64(c)));
    return x.emit<LLVM::UDivOp>(x.constant(c));
  }
  friend ThreadInteger operator%(const ThreadInteger &x, int64_t c) {
    if (llvm::isPowerOf2_64(c))
      return x.emit<LLVM::AndOp>(x.constant(c - 1));
    return x.emit<LLVM::URemOp>(x.constant(c));
  }

private:
  Value constant(int64_t c) const {
    return LLVM::ConstantOp::create(*b, b->getI32Type(), c);
  }
  template <class Op>
  ThreadInteger emit(Value y) const {
    return {*b, b->createOrFold<Op>(value.getType(), value, y)};
  }

  ImplicitLocOpBuilder *b;
  Value value;
};

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_THREADINTEGER_H
