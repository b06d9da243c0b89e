//===- AffineValue.h - affine expressions of known operands -----*- C++ -*-===//
#ifndef SMX_IR_AFFINEVALUE_H
#define SMX_IR_AFFINEVALUE_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx {

/// The value of `expr`; none if it depends on an operand that has none, divides
/// by less than 1, or takes more than 64 bits.
inline std::optional<int64_t>
affineValue(AffineExpr expr, ArrayRef<std::optional<int64_t>> dims,
            ArrayRef<std::optional<int64_t>> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> lhs = affineValue(binary.getLHS(), dims, symbols);
  std::optional<int64_t> rhs = affineValue(binary.getRHS(), dims, symbols);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return llvm::checkedAdd(*lhs, *rhs);
  case AffineExprKind::Mul:
    return llvm::checkedMul(*lhs, *rhs);
  default:
    break;
  }
  if (*rhs <= 0)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Mod:
    return llvm::mod(*lhs, *rhs);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(*lhs, *rhs);
  default:
    return llvm::divideCeilSigned(*lhs, *rhs);
  }
}

} // namespace mlir::smx

#endif // SMX_IR_AFFINEVALUE_H
