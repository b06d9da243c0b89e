//===- ElementBits.h - how wide elements are --------------------*- C++ -*-===//
#ifndef SMX_IR_ELEMENTBITS_H
#define SMX_IR_ELEMENTBITS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::smx {

/// Bits of a number, or of an element of a tensor or memref; an index takes 64.
inline int64_t elementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? IndexType::kInternalStorageBitWidth
                           : element.getIntOrFloatBitWidth();
}

/// Bytes of it in memory.
inline int64_t elementBytes(Type type) { return (elementBits(type) + 7) / 8; }

/// True for floats that tensors of smx ops may have as elements.
inline bool isStoredFloat(Type type) {
  auto element = dyn_cast<FloatType>(type);
  return element && (element.isF64() || element.isF32() || element.isF16() ||
                     element.isBF16() || element.getWidth() == 8);
}

/// What is least of a type, or greatest: an infinity where the type has one
/// (f8E4M3FN has none, and its largest numbers are as good).
inline APFloat extremeOf(FloatType type, bool isLeast) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  return APFloat::semanticsHasInf(semantics)
             ? APFloat::getInf(semantics, isLeast)
             : APFloat::getLargest(semantics, isLeast);
}

/// True if results of smx ops may have such elements: nothing is rounded to 8
/// bits.
inline bool isTypeOfResults(Type type) {
  return isStoredFloat(getElementTypeOrSelf(type)) && elementBits(type) >= 16;
}

} // namespace mlir::smx

#endif // SMX_IR_ELEMENTBITS_H
