//===- BandPadding.cpp - bands that hide what is beyond the end -----------===//

#include "BandPadding.h"

#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// Writes numbers, and tiles of them, as sums: places of a tile's dimensions
/// are d0 and d1, and what is made of anything else is a symbol.
class Sums {
public:
  explicit Sums(MLIRContext *context) : context(context) {}

  AffineExpr of(Value value) {
    DenseIntElementsAttr elements;
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return getAffineConstantExpr(constant.getSExtValue(), context);
    if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
      return getAffineConstantExpr(
          elements.getSplatValue<APInt>().getSExtValue(), context);
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<tensor::SplatOp, BroadcastOp>(op))
      return of(op->getOperand(0));
    if (isa_and_nonnull<arith::AddIOp>(op))
      return of(op->getOperand(0)) + of(op->getOperand(1));
    if (isa_and_nonnull<arith::SubIOp>(op))
      return of(op->getOperand(0)) - of(op->getOperand(1));
    if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
      return inserted(apply.getAffineMap(), 0, op->getOperands());
    if (auto position = dyn_cast_or_null<PositionOp>(op)) {
      auto type = cast<RankedTensorType>(value.getType());
      return getAffineDimExpr(type.getRank() == 1 ? 1 - getSlice(type).getDim()
                                                  : position.getDim(),
                              context);
    }
    symbols.insert(value);
    unsigned number = llvm::find(symbols, value) - symbols.begin();
    return getAffineSymbolExpr(number, context);
  }

  /// The numbers that `value` is the least of.
  SmallVector<AffineExpr> leastOf(Value value) {
    auto least = value.getDefiningOp<affine::AffineMinOp>();
    if (!least)
      return {of(value)};
    SmallVector<AffineExpr> all;
    for (unsigned i = 0; i < least.getAffineMap().getNumResults(); ++i)
      all.push_back(inserted(least.getAffineMap(), i, least.getOperands()));
    return all;
  }

  /// True if `sum` is known to be 0 or more.
  bool isNotNegative(AffineExpr sum) {
    auto constant = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(sum, /*numDims=*/2, symbols.size()));
    return constant && constant.getValue() >= 0;
  }

private:
  AffineExpr inserted(AffineMap map, unsigned result, ValueRange operands) {
    SmallVector<AffineExpr> given;
    for (Value operand : operands)
      given.push_back(of(operand));
    ArrayRef<AffineExpr> all(given);
    return map.getResult(result).replaceDimsAndSymbols(
        all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  }

  MLIRContext *context;
  llvm::SetVector<Value> symbols;
};
} // namespace

/// What is 0 or more where `compare` is true; null for other comparisons.
static AffineExpr slackOf(arith::CmpIOp compare, Sums &sums) {
  AffineExpr left = sums.of(compare.getLhs()),
             right = sums.of(compare.getRhs());
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
    return right - left;
  case arith::CmpIPredicate::slt:
    return right - left - 1;
  case arith::CmpIPredicate::sge:
    return left - right;
  case arith::CmpIPredicate::sgt:
    return left - right - 1;
  default:
    return {};
  }
}

bool mlir::smx::gpu::hidesColumnsFrom(Value columns, Value mask, Value rows,
                                      unsigned rowDim) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return hidesColumnsFrom(columns, both.getLhs(), rows, rowDim) ||
           hidesColumnsFrom(columns, both.getRhs(), rows, rowDim);
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  auto tile = dyn_cast<RankedTensorType>(mask.getType());
  if (!compare || !tile || tile.getRank() != 2)
    return false;
  MLIRContext *context = mask.getContext();
  Sums sums(context);
  AffineExpr slack = slackOf(compare, sums);
  if (!slack)
    return false;
  AffineExpr row = getAffineDimExpr(rowDim, context),
             column = getAffineDimExpr(1 - rowDim, context);
  AffineExpr g = slack - row + column;
  return llvm::all_of(sums.leastOf(columns), [&](AffineExpr end) {
    // No tile has more columns than its type.
    if (sums.isNotNegative(end - tile.getDimSize(1 - rowDim)))
      return true;
    return llvm::any_of(sums.leastOf(rows), [&](AffineExpr count) {
      return sums.isNotNegative(end - count - g);
    });
  });
}
