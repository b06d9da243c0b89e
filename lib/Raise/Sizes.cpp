//===- Sizes.cpp - what integers say about the sizes of tensors -----------===//

#include "DynamicShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

static void sortSymbols(Size &size) {
  llvm::sort(size.symbols, [](auto &lhs, auto &rhs) {
    return std::pair(lhs.first.getAsOpaquePointer(), lhs.second) <
           std::pair(rhs.first.getAsOpaquePointer(), rhs.second);
  });
}

Size mlir::smx::operator*(const Size &lhs, const Size &rhs) {
  Size product{lhs.factor * rhs.factor, lhs.symbols};
  llvm::append_range(product.symbols, rhs.symbols);
  sortSymbols(product);
  return product;
}

/// `lhs / rhs`, if it comes out even whatever the symbols are.
static std::optional<Size> divide(Size lhs, const Size &rhs) {
  if (rhs.factor == 0 || lhs.factor % rhs.factor != 0)
    return std::nullopt;
  lhs.factor /= rhs.factor;
  for (auto &symbol : rhs.symbols) {
    auto found = llvm::find(lhs.symbols, symbol);
    if (found == lhs.symbols.end())
      return std::nullopt;
    lhs.symbols.erase(found);
  }
  return lhs;
}

/// True if `condition` says that a size is negative, which it is not.
static bool asksForNegativeSize(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::slt &&
         matchPattern(compare.getRhs(), m_Zero()) && getSize(compare.getLhs());
}

std::optional<Size> mlir::smx::getSize(Value integer) {
  APInt constant;
  if (matchPattern(integer, m_ConstantInt(&constant))) {
    if (constant.isNegative())
      return std::nullopt;
    return Size{constant.getSExtValue(), {}};
  }
  Operation *op = integer.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    return index ? getSize(dim.getSource(), *index) : std::nullopt;
  }
  // A count of the sizes that were left open, of which there are none.
  if (isa<arith::ExtUIOp>(op) && asksForNegativeSize(op->getOperand(0)))
    return Size{0, {}};
  if (isa<arith::AddIOp>(op)) {
    auto lhs = getSize(op->getOperand(0)), rhs = getSize(op->getOperand(1));
    if (!lhs || !rhs || !lhs->symbols.empty() || !rhs->symbols.empty())
      return std::nullopt;
    return Size{lhs->factor + rhs->factor, {}};
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          op))
    return getSize(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return asksForNegativeSize(select.getCondition())
               ? getSize(select.getFalseValue())
               : std::nullopt;
  if (!isa<arith::MulIOp, arith::DivSIOp, arith::DivUIOp>(op))
    return std::nullopt;
  std::optional<Size> lhs = getSize(op->getOperand(0));
  std::optional<Size> rhs = getSize(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  return isa<arith::MulIOp>(op) ? *lhs * *rhs : divide(*lhs, *rhs);
}

static std::optional<Size> getFoldedSize(OpFoldResult size) {
  if (auto value = dyn_cast<Value>(size))
    return getSize(value);
  return Size{cast<IntegerAttr>(cast<Attribute>(size)).getInt(), {}};
}

std::optional<Size> mlir::smx::getSize(Value tensor, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return Size{type.getDimSize(dim), {}};
  Operation *op = tensor.getDefiningOp();
  if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op))
    return getSize(
        linalgOp.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber())
            ->get(),
        dim);
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return getFoldedSize(empty.getMixedSizes()[dim]);
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return getSize(cast.getSource(), dim);
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return getFoldedSize(expand.getMixedOutputShape()[dim]);
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    Size product;
    for (int64_t k : collapse.getReassociationIndices()[dim]) {
      auto size = getSize(collapse.getSrc(), k);
      if (!size)
        return std::nullopt;
      product = product * *size;
    }
    return product;
  }
  return Size{1, {{tensor, dim}}};
}
