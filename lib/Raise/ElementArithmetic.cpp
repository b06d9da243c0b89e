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
  Element e = isa<RankedTensorType>(value.getType())
                  ? tensorElement(value, peeled.at)
                  : scalarElement(value, peeled.at, peeled.body);
  e.isPart = peeled.isPart;
  return e;
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
  // Between -2^53 and 2^53, which `maxExactInteger` is.
  return integer.getValue().getSignificantBits() <= 54
             ? std::optional<double>(integer.getValue().getSExtValue())
             : std::nullopt;
}

TypedAttr ElementReader::literal(const Element &peeled) {
  Attribute attr;
  if (!matchPattern(peeled.value, m_Constant(&attr)))
    return {};
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return isa<FloatAttr, IntegerAttr>(attr) ? cast<TypedAttr>(attr)
                                             : TypedAttr();
  if (dense.isSplat())
    return dense.getSplatValue<TypedAttr>();
  SmallVector<uint64_t> places;
  for (auto [index, extent] :
       llvm::zip_equal(peeled.at, dense.getType().getShape())) {
    auto place = dyn_cast<AffineConstantExpr>(index);
    if (!place || place.getValue() < 0 || place.getValue() >= extent)
      return {};
    places.push_back(place.getValue());
  }
  return cast<TypedAttr>(dense.getValues<Attribute>()[places]);
}

/// `value` as a number of a floating-point type.
static double roundTo(Type type, double value) {
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
  return FloatAttr::getValueAsDouble(rounded);
}

std::optional<double> ElementReader::constant(Element e) {
  e = peel(e);
  if (TypedAttr attr = literal(e))
    return toDouble(attr);
  Operation *op = arithmetic(e);
  if (!op)
    return std::nullopt;
  if (isa<arith::UIToFPOp>(op)) {
    std::optional<double> value = constant(operand(e, 0));
    return value && *value >= 0 ? value : std::nullopt;
  }
  if (isa<arith::SIToFPOp, arith::IndexCastOp, arith::ExtSIOp>(op)) {
    std::optional<double> value = constant(operand(e, 0));
    // To these an i1 is 0 or -1.
    if (value && op->getOperand(0).getType().isInteger(1))
      value = -*value;
    return value && (isa<FloatType>(e.getType()) ||
                     fitsInto(e.getType(), {(int64_t)*value, (int64_t)*value}))
               ? value
               : std::nullopt;
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    std::optional<double> value = constant(operand(e, 0));
    return value ? std::optional(roundTo(e.getType(), *value)) : std::nullopt;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return decide(compare.getPredicate(), operand(e, 0), operand(e, 1));
  // One side may decide what both give.
  if (isa<arith::AndIOp, arith::OrIOp>(op) && e.getType().isInteger(1)) {
    std::optional<double> lhs = constant(operand(e, 0)),
                          rhs = constant(operand(e, 1));
    const bool decides = isa<arith::OrIOp>(op);
    auto isDecided = [&](std::optional<double> side) {
      return side && (*side != 0) == decides;
    };
    if (isDecided(lhs) || isDecided(rhs))
      return decides;
    return lhs && rhs ? std::optional<double>(!decides) : std::nullopt;
  }
  if (isa<arith::SelectOp>(op)) {
    std::optional<double> condition = constant(operand(e, 0));
    return condition ? constant(operand(e, *condition != 0 ? 1 : 2))
                     : std::nullopt;
  }
  if (!isa<arith::AddFOp, arith::SubFOp, arith::DivFOp, arith::MulFOp,
           arith::NegFOp, arith::CmpFOp, math::SqrtOp, math::RsqrtOp>(op))
    return std::nullopt;
  std::optional<double> lhs = constant(operand(e, 0));
  if (!lhs)
    return std::nullopt;
  std::optional<double> rhs =
      op->getNumOperands() > 1 ? constant(operand(e, 1)) : lhs;
  if (!rhs)
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APFloat(*lhs),
                                    APFloat(*rhs));
  if (isa<arith::AddFOp>(op))
    return roundTo(e.getType(), *lhs + *rhs);
  if (isa<arith::SubFOp>(op))
    return roundTo(e.getType(), *lhs - *rhs);
  if (isa<arith::DivFOp>(op))
    return *lhs / *rhs;
  if (isa<arith::MulFOp>(op))
    return *lhs * *rhs;
  if (isa<arith::NegFOp>(op))
    return -*lhs;
  return isa<math::SqrtOp>(op) ? std::sqrt(*lhs) : 1.0 / std::sqrt(*lhs);
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
