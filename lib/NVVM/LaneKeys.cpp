//===- LaneKeys.cpp - elements of a row as unsigned numbers ---------------===//

#include "LaneKeys.h"

#include "Candidates.h"

namespace mlir::smx {

/// The orders of two elements of 16 bits, each in its half of a word, unsigned:
/// -0 as 0, NaN above all.
Value LaneKeys::ordersOf(Value pair) {
  // It has one zero and one NaN, which is positive.
  auto splat = [&](double value) -> Value {
    return LLVM::ConstantOp::create(
        code, pair.getType(),
        DenseElementsAttr::get(cast<ShapedType>(pair.getType()),
                               code.getFloatAttr(element, value)));
  };
  pair = LLVM::FMAOp::create(code, pair, splat(1), splat(0));
  Type type = code.getI32Type();
  Value bits = LLVM::BitcastOp::create(code, type, pair);
  // The upper bit of bytes 1 and 3, all over their halves.
  constexpr int64_t signs = 0xBB99;
  Value negative = LLVM::CallIntrinsicOp::create(
                       code, type, code.getStringAttr("llvm.nvvm.prmt"),
                       ValueRange{bits, code.i32(0), code.i32(signs)})
                       .getResult(0);
  Value flipped =
      LLVM::OrOp::create(code, negative, code.i32(int32_t(0x80008000)));
  return LLVM::XOrOp::create(code, bits, flipped);
}

Value LaneKeys::wordOf(Value order, Value column) {
  Value upper = LLVM::AndOp::create(code, order, code.i32(-places));
  return LLVM::OrOp::create(code, upper, placeOf(column));
}

SmallVector<Value> LaneKeys::of(Value registers, ArrayRef<Value> columns) {
  int64_t count = columns.size();
  SmallVector<Value> keys;
  if (element.getWidth() != 16 || !isWord) {
    for (int64_t i = 0; i < count; ++i) {
      Value order = orderOf(code, code.getRegister(registers, i));
      keys.push_back(isWord ? wordOf(order, columns[i])
                            : candidateOf(code, order, columns[i]));
    }
    return keys;
  }
  for (int64_t i = 0; i < count; i += 2) {
    bool isLast = i + 1 == count;
    Value pair = code.getRegisters(registers, i, isLast ? 1 : 2);
    if (isLast)
      pair = code.fromVectors({pair, pair});
    Value orders = ordersOf(pair);
    Value first = LLVM::ShlOp::create(code, orders, code.i32(16));
    keys.push_back(LLVM::OrOp::create(code, first, placeOf(columns[i])));
    if (!isLast)
      keys.push_back(wordOf(orders, columns[i + 1]));
  }
  return keys;
}

Value LaneKeys::haveOneOrder(Value a, Value b) {
  return LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::ult,
                              LLVM::XOrOp::create(code, a, b),
                              code.i32(places));
}

Value LaneKeys::elementOf(Value key) {
  if (!isWord)
    return mlir::smx::elementOf(code, key, element);
  Value isPositive =
      LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::slt, key, code.i32(0));
  Value flipped = LLVM::SelectOp::create(code, isPositive, code.i32(INT32_MIN),
                                         code.i32(-1));
  Value bits = LLVM::XOrOp::create(code, key, flipped);
  bits = LLVM::LShrOp::create(code, bits, code.i32(16));
  bits = LLVM::TruncOp::create(code, code.getI16Type(), bits);
  return LLVM::BitcastOp::create(code, element, bits);
}

Value LaneKeys::columnOf(Value key) {
  if (!isWord)
    return mlir::smx::columnOf(code, key);
  Value place = LLVM::AndOp::create(code, key, code.i32(places - 1));
  return LLVM::ZExtOp::create(code, code.getI64Type(), placeOf(place));
}

} // namespace mlir::smx
