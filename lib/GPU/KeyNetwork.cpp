//===- KeyNetwork.cpp - larger and smaller ones of two lists --------------===//

#include "KeyNetwork.h"

#include "Rankings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::smx::gpu;

llvm::BitVector KeyNetwork::onesWhere(
    llvm::function_ref<bool(size_t a, size_t b)> isOne) const {
  llvm::BitVector ones((count + 1) * (count + 1));
  for (size_t a = 0; a <= count; ++a)
    for (size_t b = 0; b <= count; ++b)
      if (isOne(a, b))
        ones.set(a * (count + 1) + b);
  return ones;
}

void KeyNetwork::setOfFirst(Value key, size_t rank) {
  keys[key] = onesWhere([&](size_t a, size_t) { return rank < a; });
}

void KeyNetwork::setOfSecond(Value key, size_t rank) {
  keys[key] = onesWhere([&](size_t, size_t b) { return rank < b; });
}

std::optional<size_t> KeyNetwork::rankOf(Value key) {
  const llvm::BitVector *ones = evaluate(key);
  if (!ones)
    return std::nullopt;
  // Of lists without ones behind, the shortest one that has it.
  size_t rank = 0;
  while (rank < count && !ones->test((rank + 1) * (count + 1)))
    ++rank;
  if (rank == count ||
      *ones != onesWhere([&](size_t a, size_t b) { return rank < a + b; }))
    return std::nullopt;
  return rank;
}

const llvm::BitVector *KeyNetwork::evaluate(Value key) {
  if (auto known = keys.find(key); known != keys.end())
    return &known->second;
  Value x, y;
  bool isLarger = true;
  if (auto larger = key.getDefiningOp<arith::MaxNumFOp>()) {
    x = larger.getLhs();
    y = larger.getRhs();
  } else if (auto select = key.getDefiningOp<arith::SelectOp>()) {
    // The larger or the smaller one of what is compared.
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT)
      return nullptr;
    x = compare.getLhs();
    y = compare.getRhs();
    isLarger = select.getTrueValue() == x && select.getFalseValue() == y;
    if (!isLarger &&
        (select.getTrueValue() != y || select.getFalseValue() != x))
      return nullptr;
  } else if (!isNothing(key)) {
    return nullptr;
  }
  // Nothing is less than all keys.
  llvm::BitVector ones((count + 1) * (count + 1));
  if (x) {
    const llvm::BitVector *ofX = evaluate(x);
    if (!ofX)
      return nullptr;
    ones = *ofX;
    const llvm::BitVector *ofY = evaluate(y);
    if (!ofY)
      return nullptr;
    if (isLarger)
      ones |= *ofY;
    else
      ones &= *ofY;
  }
  return &(keys[key] = std::move(ones));
}
