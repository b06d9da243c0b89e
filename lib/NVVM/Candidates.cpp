//===- Candidates.cpp - elements of a row with their columns --------------===//

#include "Candidates.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {

Value wide(ThreadCode &code, Value x) {
  return x.getType().isF32()
             ? x
             : LLVM::FPExtOp::create(code, code.getF32Type(), x).getResult();
}

Value orderOf(ThreadCode &code, Value x) {
  Value zero = LLVM::ConstantOp::create(code, code.getF32Type(),
                                        code.getF32FloatAttr(0));
  // It has one zero and one NaN, 0x7fffffff.
  x = LLVM::FAddOp::create(code, wide(code, x), zero);
  Value bits = LLVM::BitcastOp::create(code, code.getI32Type(), x);
  Value sign = LLVM::AShrOp::create(code, bits, code.i32(31));
  Value flipped = LLVM::OrOp::create(code, sign, code.i32(INT32_MIN));
  return LLVM::XOrOp::create(code, bits, flipped);
}

Value numberOf(ThreadCode &code, Value order) {
  Value isPositive =
      LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::slt, order, code.i32(0));
  Value flipped = LLVM::SelectOp::create(code, isPositive, code.i32(INT32_MIN),
                                         code.i32(-1));
  Value bits = LLVM::XOrOp::create(code, order, flipped);
  return LLVM::BitcastOp::create(code, code.getF32Type(), bits);
}

Value candidateOf(ThreadCode &code, Value order, Value column) {
  Value low = LLVM::SubOp::create(code, code.i32(INT32_MAX), column);
  return LLVM::BitcastOp::create(code, code.getI64Type(),
                                 code.fromRegisters({low, order}));
}

Value elementOf(ThreadCode &code, Value candidate, Type type) {
  auto words = VectorType::get(2, code.getI32Type());
  Value pair = LLVM::BitcastOp::create(code, words, candidate);
  Value number = numberOf(code, code.getRegister(pair, 1));
  return type.isF32() ? number
                      : LLVM::FPTruncOp::create(code, type, number).getResult();
}

Value columnOf(ThreadCode &code, Value candidate) {
  auto words = VectorType::get(2, code.getI32Type());
  Value pair = LLVM::BitcastOp::create(code, words, candidate);
  Value column =
      LLVM::SubOp::create(code, code.i32(INT32_MAX), code.getRegister(pair, 0));
  return LLVM::ZExtOp::create(code, code.getI64Type(), column);
}

Value warpMaximum(ThreadCode &code, Value word) {
  return NVVM::ReduxOp::create(code, code.getI32Type(), word,
                               NVVM::ReduxKind::UMAX, code.allLanes());
}

Value warpMaximumOfCandidates(ThreadCode &code, Value candidate) {
  auto words = VectorType::get(2, code.getI32Type());
  Value pair = LLVM::BitcastOp::create(code, words, candidate);
  Value high = code.getRegister(pair, 1);
  Value highest = warpMaximum(code, high);
  Value isHighest =
      LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, high, highest);
  Value low = LLVM::SelectOp::create(code, isHighest, code.getRegister(pair, 0),
                                     code.i32(0));
  return LLVM::BitcastOp::create(
      code, code.getI64Type(),
      code.fromRegisters({warpMaximum(code, low), highest}));
}

Value forEachMark(ThreadCode &code, Value marks,
                  llvm::function_ref<void(Value round, Value bit)> body) {
  Type type = marks.getType();
  Value count = LLVM::CtPopOp::create(code, type, marks);
  code.repeat(count, marks, [&](Value round, Value left) -> Value {
    body(round, LLVM::CountTrailingZerosOp::create(code, type, left,
                                                   /*is_zero_poison=*/true));
    return LLVM::AndOp::create(code, left, code.add(left, code.i32(-1)));
  });
  return count;
}

} // namespace mlir::smx
