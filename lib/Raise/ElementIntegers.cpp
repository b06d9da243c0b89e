//===- ElementIntegers.cpp - integers computed from positions -------------===//
//
// Masks are conditions on positions, in whichever integer type a front end has
// chosen. They are read as arithmetic without a range, so only where no value
// of an expression leaves the range of its type.
//
//===----------------------------------------------------------------------===//

#include "Element.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

/// Whether `expr >= 0` holds, if it does or does not for all positions. A
/// dynamic extent has no bound here.
static std::optional<bool> isNonNegative(const Positions &positions,
                                         AffineExpr expr) {
  SmallVector<std::optional<int64_t>> lowest(positions.size(), 0), highest;
  for (unsigned n = 0; n < positions.size(); ++n)
    highest.push_back(positions.upperBound(positions.get(n)));
  auto bound = [&](bool isUpper) {
    return getBoundForAffineExpr(expr, positions.size(), /*numSymbols=*/0,
                                 lowest, highest, isUpper);
  };
  if (auto low = bound(/*isUpper=*/false); low && *low >= 0)
    return true;
  if (auto high = bound(/*isUpper=*/true); high && *high < 0)
    return false;
  return std::nullopt;
}

std::optional<bool> ElementReader::decide(arith::CmpIPredicate predicate,
                                          const Element &a, const Element &b) {
  AffineExpr lhs = affine(a), rhs = affine(b);
  // Numbers that are not positions have any outcome.
  auto left = dyn_cast_or_null<AffineConstantExpr>(lhs),
       right = dyn_cast_or_null<AffineConstantExpr>(rhs);
  if (left && right)
    return arith::applyCmpPredicate(
        predicate, APInt(64, left.getValue(), /*isSigned=*/true),
        APInt(64, right.getValue(), /*isSigned=*/true));
  AffineExpr slack =
      lhs && rhs ? positions.slack(predicate, lhs, rhs) : AffineExpr();
  return slack ? isNonNegative(positions, slack) : std::nullopt;
}

/// An element of a constant row of integers in even steps, like the positions
/// that a front end has computed already.
static AffineExpr readEvenSteps(const Element &e) {
  DenseIntElementsAttr data;
  if (!e.isTensor() || !matchPattern(e.value, m_Constant(&data)) ||
      data.empty())
    return {};
  AffineExpr index;
  for (auto [at, extent] : llvm::zip(e.at, data.getType().getShape())) {
    if (extent == 1)
      continue;
    if (index)
      return {};
    index = at;
  }
  SmallVector<int64_t> values;
  for (const APInt &value : data.getValues<APInt>()) {
    // Far from where differences overflow; positions are smaller by far.
    if (value.getSignificantBits() > 32)
      return {};
    values.push_back(value.getSExtValue());
  }
  if (!index)
    return getAffineConstantExpr(values[0], e.value.getContext());
  int64_t step = values[1] - values[0];
  for (size_t n = 1; n < values.size(); ++n)
    if (values[n] - values[n - 1] != step)
      return {};
  return index * step + values[0];
}

bool mlir::smx::fitsInto(Type integerType, IntegerRange range) {
  unsigned width = elementBits(integerType);
  return range.lowest >= -maxExactInteger && range.highest <= maxExactInteger &&
         (width >= 64 || (llvm::isIntN(width, range.lowest) &&
                          llvm::isIntN(width, range.highest)));
}

AffineExpr ElementReader::affine(Element e) {
  e = peel(e);
  if (!e.getType().isIntOrIndex() || e.getType().isInteger(1))
    return {};
  for (auto &[known, expr] : affineForms)
    if (known == e)
      return expr;
  AffineExpr expr = computeAffine(e);
  if (!expr && arithmetic(e))
    expr = readSteps(e);
  auto range = expr ? positions.range(expr) : std::nullopt;
  if (!range || !fitsInto(e.getType(), *range))
    expr = {};
  affineForms.emplace_back(e, expr);
  return expr;
}

/// `lhs` divided by a number, or what is left of it, by `op`.
AffineExpr ElementReader::quotient(Operation *op, AffineExpr lhs,
                                   AffineExpr rhs) const {
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  // Of numbers that are not negative all kinds of division are the same.
  if (!divisor || divisor.getValue() <= 0 || positions.range(lhs)->lowest < 0)
    return {};
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return positions.simplify(lhs % divisor);
  return positions.simplify(lhs.floorDiv(divisor));
}

AffineExpr ElementReader::computeAffine(const Element &e) {
  if (std::optional<double> value = constant(e))
    return positions.constant((int64_t)*value);
  if (AffineExpr steps = readEvenSteps(e))
    return positions.simplify(steps);
  Operation *op = arithmetic(e);
  if (!op)
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return e.at[index.getDim()];
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return affine(operand(e, 0));
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op)) {
    AffineExpr expr = affine(operand(e, 0));
    return expr && positions.range(expr)->lowest >= 0 ? expr : AffineExpr();
  }
  // An index that counts from the end where it is negative.
  if (isa<arith::SelectOp>(op)) {
    std::optional<double> condition = constant(operand(e, 0));
    return condition ? affine(operand(e, *condition != 0 ? 1 : 2))
                     : AffineExpr();
  }
  bool isDivision = isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
                        arith::RemSIOp, arith::RemUIOp>(op);
  if (!isDivision && !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  // Sums of two exact integers do not overflow.
  AffineExpr lhs = affine(operand(e, 0)), rhs = affine(operand(e, 1));
  if (!lhs || !rhs)
    return {};
  if (isDivision)
    return quotient(op, lhs, rhs);
  if (isa<arith::AddIOp>(op))
    return positions.simplify(lhs + rhs);
  if (isa<arith::SubIOp>(op))
    return positions.simplify(lhs - rhs);
  if (lhs.isSymbolicOrConstant())
    std::swap(lhs, rhs);
  auto factor = dyn_cast<AffineConstantExpr>(rhs);
  if (!factor || !multiply(*positions.range(lhs), factor.getValue()))
    return {};
  return positions.simplify(lhs * rhs);
}
