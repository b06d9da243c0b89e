//===- ElementArithmetic.cpp - the scalar expression behind an element ----===//

#include "Element.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

Operation *ElementReader::arithmetic(const Element &peeled) {
  Operation *op = peeled.value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() > 0 ||
      op->hasTrait<OpTrait::ConstantLike>())
    return nullptr;
  if (peeled.isTensor() && !OpTrait::hasElementwiseMappableTraits(op))
    return nullptr;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
                 isa<linalg::IndexOp>(op)
             ? op
             : nullptr;
}

Element ElementReader::operand(const Element &peeled, unsigned n) {
  Value value = peeled.value.getDefiningOp()->getOperand(n);
  if (isa<RankedTensorType>(value.getType()))
    return tensorElement(value, peeled.at);
  return scalarElement(value, peeled.at, peeled.body);
}

static std::optional<double> toDouble(Attribute attr) {
  if (auto real = dyn_cast<FloatAttr>(attr))
    return real.getValueAsDouble();
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (!integer)
    return std::nullopt;
  // An i1 is 0 or 1, not 0 or -1.
  if (integer.getType().isInteger(1))
    return integer.getValue().isZero() ? 0.0 : 1.0;
  return integer.getValue().getSignificantBits() <= 64
             ? std::optional<double>(integer.getValue().getSExtValue())
             : std::nullopt;
}

/// Whether `expr >= 0` holds, if it does or does not for all positions.
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
  if (!lhs || !rhs)
    return std::nullopt;
  switch (predicate) {
  case arith::CmpIPredicate::sge:
    return isNonNegative(positions, lhs - rhs);
  case arith::CmpIPredicate::sle:
    return isNonNegative(positions, rhs - lhs);
  case arith::CmpIPredicate::sgt:
    return isNonNegative(positions, lhs - rhs - 1);
  case arith::CmpIPredicate::slt:
    return isNonNegative(positions, rhs - lhs - 1);
  default:
    return std::nullopt;
  }
}

std::optional<double> ElementReader::constant(Element e) {
  e = strip(e);
  Attribute attr;
  if (matchPattern(e.value, m_Constant(&attr))) {
    if (auto dense = dyn_cast<DenseElementsAttr>(attr))
      attr = dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
    return attr ? toDouble(attr) : std::nullopt;
  }
  Operation *op = arithmetic(e);
  if (!op)
    return std::nullopt;
  if (isa<arith::SIToFPOp, arith::IndexCastOp, arith::ExtSIOp>(op))
    return constant(operand(e, 0));
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return decide(compare.getPredicate(), operand(e, 0), operand(e, 1));
  if (isa<arith::SelectOp>(op)) {
    std::optional<double> condition = constant(operand(e, 0));
    return condition ? constant(operand(e, *condition != 0 ? 1 : 2))
                     : std::nullopt;
  }
  if (!isa<arith::DivFOp, arith::MulFOp, arith::NegFOp, math::SqrtOp,
           math::RsqrtOp>(op))
    return std::nullopt;
  std::optional<double> lhs = constant(operand(e, 0));
  if (!lhs)
    return std::nullopt;
  std::optional<double> rhs =
      op->getNumOperands() > 1 ? constant(operand(e, 1)) : lhs;
  if (!rhs)
    return std::nullopt;
  if (isa<arith::DivFOp>(op))
    return *lhs / *rhs;
  if (isa<arith::MulFOp>(op))
    return *lhs * *rhs;
  if (isa<arith::NegFOp>(op))
    return -*lhs;
  return isa<math::SqrtOp>(op) ? std::sqrt(*lhs) : 1.0 / std::sqrt(*lhs);
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

AffineExpr ElementReader::affine(Element e) {
  e = peel(e);
  if (!e.getType().isIntOrIndex() || e.getType().isInteger(1))
    return {};
  if (std::optional<double> value = constant(e))
    return positions.constant((int64_t)*value);
  if (AffineExpr steps = readEvenSteps(e))
    return positions.simplify(steps);
  Operation *op = arithmetic(e);
  if (!op)
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return e.at[index.getDim()];
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op)) {
    // Positions are far below the range of any of these types but the
    // narrowest.
    if (e.getType().isIndex() || e.getType().getIntOrFloatBitWidth() >= 32)
      return affine(operand(e, 0));
    return {};
  }
  // An index that counts from the end where it is negative.
  if (isa<arith::SelectOp>(op)) {
    std::optional<double> condition = constant(operand(e, 0));
    return condition ? affine(operand(e, *condition != 0 ? 1 : 2))
                     : AffineExpr();
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  AffineExpr lhs = affine(operand(e, 0)), rhs = affine(operand(e, 1));
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(op))
    return positions.simplify(lhs + rhs);
  if (isa<arith::SubIOp>(op))
    return positions.simplify(lhs - rhs);
  if (!lhs.isSymbolicOrConstant() && !rhs.isSymbolicOrConstant())
    return {};
  return positions.simplify(lhs * rhs);
}

/// Attributes that say what an op computes: how strictly it rounds does not
/// count.
static DictionaryAttr meaning(Operation *op) {
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase("fastmath");
  attributes.erase("overflowFlags");
  return attributes.getDictionary(op->getContext());
}

bool ElementReader::equal(const Element &lhs, const Element &rhs) {
  // Expressions are graphs, and comparing them is exponential where they differ
  // late. Nothing that is matched here is that large.
  unsigned budget = 2000;
  return equal(lhs, rhs, budget);
}

bool ElementReader::equal(Element lhs, Element rhs, unsigned &budget) {
  if (lhs == rhs)
    return true;
  if (budget == 0)
    return false;
  --budget;
  lhs = strip(lhs);
  rhs = strip(rhs);
  if (lhs == rhs)
    return true;
  std::optional<double> constants[] = {constant(lhs), constant(rhs)};
  if (constants[0] || constants[1])
    return constants[0] && constants[1] && *constants[0] == *constants[1];
  Operation *a = arithmetic(lhs), *b = arithmetic(rhs);
  if (!a || !b || a->getName() != b->getName() ||
      a->getNumOperands() != b->getNumOperands())
    return false;
  if (auto index = dyn_cast<linalg::IndexOp>(a))
    return lhs.at[index.getDim()] == rhs.at[cast<linalg::IndexOp>(b).getDim()];
  if (meaning(a) != meaning(b))
    return false;
  auto equalInOrder = [&](bool swapped) {
    unsigned count = a->getNumOperands();
    for (unsigned n = 0; n < count; ++n)
      if (!equal(operand(lhs, n), operand(rhs, swapped ? count - 1 - n : n),
                 budget))
        return false;
    return true;
  };
  return equalInOrder(/*swapped=*/false) ||
         (a->hasTrait<OpTrait::IsCommutative>() &&
          equalInOrder(/*swapped=*/true));
}

bool ElementReader::contains(const Element &e,
                             function_ref<bool(const Element &)> predicate) {
  llvm::DenseMap<Value, SmallVector<Element, 1>> visited;
  SmallVector<Element> pending = {e};
  while (!pending.empty()) {
    Element part = peel(pending.pop_back_val());
    SmallVector<Element, 1> &seen = visited[part.value];
    if (llvm::is_contained(seen, part))
      continue;
    seen.push_back(part);
    if (predicate(part))
      return true;
    if (Operation *op = arithmetic(part))
      for (unsigned n = 0; n < op->getNumOperands(); ++n)
        pending.push_back(operand(part, n));
  }
  return false;
}
