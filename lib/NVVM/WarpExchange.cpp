//===- WarpExchange.cpp - values between lanes and warps ------------------===//

#include "WarpExchange.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {

Value combine(ThreadCode &code, gpu::Combiner kind, Value a, Value b) {
  if (isa<FloatType>(getElementTypeOrSelf(a.getType()))) {
    switch (kind) {
    case gpu::Combiner::Add:
      return LLVM::FAddOp::create(code, a, b);
    case gpu::Combiner::Mul:
      return LLVM::FMulOp::create(code, a, b);
    case gpu::Combiner::Maximum:
      return LLVM::MaximumOp::create(code, a, b);
    case gpu::Combiner::MaxNum:
      return LLVM::MaxNumOp::create(code, a, b);
    case gpu::Combiner::Minimum:
      return LLVM::MinimumOp::create(code, a, b);
    case gpu::Combiner::MinNum:
      return LLVM::MinNumOp::create(code, a, b);
    default:
      llvm_unreachable("the verifier admits no other combiner on floats");
    }
  }
  switch (kind) {
  case gpu::Combiner::Add:
    return LLVM::AddOp::create(code, a, b);
  case gpu::Combiner::Mul:
    return LLVM::MulOp::create(code, a, b);
  case gpu::Combiner::MaxSI:
    return LLVM::SMaxOp::create(code, a, b);
  case gpu::Combiner::MinSI:
    return LLVM::SMinOp::create(code, a, b);
  default:
    llvm_unreachable("the verifier admits no other combiner on integers");
  }
}

/// Exchanges a value of 32 bits.
static Value exchangeWord(ThreadCode &code, Value word, int64_t mask) {
  constexpr int64_t allLanes = -1, wholeWarp = 31;
  return NVVM::ShflOp::create(code, word.getType(), code.i32(allLanes), word,
                              code.i32(mask), code.i32(wholeWarp),
                              NVVM::ShflKind::bfly, UnitAttr());
}

Value exchange(ThreadCode &code, Value value, int64_t mask) {
  Type type = value.getType();
  int64_t bits = type.getIntOrFloatBitWidth();
  if (bits == 32)
    return exchangeWord(code, value, mask);
  Type integer = code.getIntegerType(bits);
  if (bits < 32) {
    Value word = LLVM::BitcastOp::create(code, integer, value);
    word = LLVM::ZExtOp::create(code, code.getI32Type(), word);
    word = exchangeWord(code, word, mask);
    word = LLVM::TruncOp::create(code, integer, word);
    return LLVM::BitcastOp::create(code, type, word);
  }
  auto words = VectorType::get(2, code.getI32Type());
  Value halves = LLVM::BitcastOp::create(code, words, value);
  Value low = exchangeWord(code, code.getRegister(halves, 0), mask);
  Value high = exchangeWord(code, code.getRegister(halves, 1), mask);
  return LLVM::BitcastOp::create(code, type, code.fromRegisters({low, high}));
}

} // namespace mlir::smx
