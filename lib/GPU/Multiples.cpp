//===- Multiples.cpp - numbers that are multiples of a constant -----------===//

#include "Multiples.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

static bool isMultipleIn(AffineExpr expr, AffineMap map, ValueRange operands,
                         int64_t factor) {
  if (expr.isMultipleOf(factor))
    return true;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return mlir::smx::gpu::isMultipleOf(operands[dim.getPosition()], factor);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return mlir::smx::gpu::isMultipleOf(
        operands[map.getNumDims() + symbol.getPosition()], factor);
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return false;
  bool left = isMultipleIn(both.getLHS(), map, operands, factor),
       right = isMultipleIn(both.getRHS(), map, operands, factor);
  return both.getKind() == AffineExprKind::Add   ? left && right
         : both.getKind() == AffineExprKind::Mul ? left || right
                                                 : false;
}

static bool areMultiplesOf(AffineMap map, ValueRange operands, int64_t factor) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return isMultipleIn(expr, map, operands, factor);
  });
}

bool mlir::smx::gpu::isMultipleOf(OpFoldResult folded, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(folded))
    return *constant % factor == 0;
  Value value = cast<Value>(folded);
  auto all = [&](ValueRange operands) {
    return llvm::all_of(
        operands, [&](Value operand) { return isMultipleOf(operand, factor); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           all({loop.getLowerBound(), loop.getStep()});
  }
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return areMultiplesOf(apply.getAffineMap(), apply.getMapOperands(), factor);
  if (auto least = dyn_cast<affine::AffineMinOp>(op))
    return areMultiplesOf(least.getAffineMap(), least.getOperands(), factor);
  if (auto most = dyn_cast<affine::AffineMaxOp>(op))
    return areMultiplesOf(most.getAffineMap(), most.getOperands(), factor);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return all(op->getOperands());
  if (isa<arith::MulIOp>(op))
    return isMultipleOf(op->getOperand(0), factor) ||
           isMultipleOf(op->getOperand(1), factor);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return all({select.getTrueValue(), select.getFalseValue()});
  return false;
}
