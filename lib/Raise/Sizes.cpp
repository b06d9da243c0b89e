//===- Sizes.cpp - what integers say about the sizes of tensors -----------===//

#include "DynamicShapes.h"
#include "smx/IR/Smx.h"

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

SmallVector<TensorDim> mlir::smx::dimsOfLoop(linalg::LinalgOp op,
                                             unsigned loop) {
  SmallVector<TensorDim> dims;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [k, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == getAffineDimExpr(loop, op.getContext()))
        dims.push_back({operand.get(), k});
  return dims;
}

/// What the size that an integer computes is that of; the integer itself, and
/// no dimension, if that is all there is to say.
static TensorDim traceSize(Value integer) {
  if (auto dim = integer.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return {dim.getSource(), *index};
  auto size = getSize(integer);
  if (size && size->symbols.empty())
    return {Value(), size->factor};
  if (size && size->factor == 1 && size->symbols.size() == 1)
    return size->symbols.front();
  return {integer, -1};
}

/// Adds what `dim` has the size of by the op that makes its tensor. A constant
/// is a dimension of no tensor.
static void addEqualDims(TensorDim of, llvm::SetVector<TensorDim> &known) {
  auto [tensor, dim] = of;
  auto type = tensor ? dyn_cast<RankedTensorType>(tensor.getType())
                     : RankedTensorType();
  if (!type)
    return;
  if (!type.isDynamicDim(dim))
    known.insert({Value(), type.getDimSize(dim)});
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    OpOperand *init =
        linalgOp.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber());
    known.insert({init->get(), dim});
    if (auto loop = dyn_cast<AffineDimExpr>(
            linalgOp.getMatchingIndexingMap(init).getResult(dim)))
      known.insert_range(dimsOfLoop(linalgOp, loop.getPosition()));
    return;
  }
  if (OpTrait::hasElementwiseMappableTraits(op) ||
      isa<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp>(op)) {
    for (Value operand : op->getOperands())
      if (auto same = dyn_cast<RankedTensorType>(operand.getType());
          same && same.getRank() == type.getRank())
        known.insert({operand, dim});
    return;
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    if (type.isDynamicDim(dim))
      known.insert(traceSize(empty.getDynamicSize(dim)));
    return;
  }
  auto size = getSize(tensor, dim);
  if (size && size->factor == 1 && size->symbols.size() == 1)
    known.insert(size->symbols.front());
}

static llvm::SetVector<TensorDim> findEqualDims(ArrayRef<TensorDim> dims) {
  // Sizes come from near: far more is not read for each row of a large model.
  constexpr size_t budget = 2000;
  llvm::SetVector<TensorDim> known(dims.begin(), dims.end());
  for (size_t n = 0; n < known.size() && n < budget; ++n)
    addEqualDims(known[n], known);
  return known;
}

bool mlir::smx::haveSameSize(ArrayRef<TensorDim> lhs, ArrayRef<TensorDim> rhs) {
  llvm::SetVector<TensorDim> known = findEqualDims(lhs);
  return llvm::any_of(findEqualDims(rhs), [&](const TensorDim &dim) {
    return known.contains(dim);
  });
}
