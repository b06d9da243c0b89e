//===- RowReductions.cpp - recognising maxima, sums and exponentials ------===//

#include "RowReductions.h"
#include "smx/IR/Smx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

bool mlir::smx::isReduction(const Element &peeled) {
  auto op = peeled.value.getDefiningOp<linalg::LinalgOp>();
  return op && op.getNumReductionLoops() > 0;
}

/// True if `select(a > b, a, b)` and its spellings are the maximum of `a` and
/// `b`.
static bool isSelectedMaximum(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return false;
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  bool straight = select.getTrueValue() == lhs && select.getFalseValue() == rhs;
  bool crossed = select.getTrueValue() == rhs && select.getFalseValue() == lhs;
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::OGE:
  case arith::CmpFPredicate::UGT:
  case arith::CmpFPredicate::UGE:
    return straight;
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::OLE:
  case arith::CmpFPredicate::ULT:
  case arith::CmpFPredicate::ULE:
    return crossed;
  default:
    return false;
  }
}

/// How a body combines its running value `running` into `yielded`, and what
/// with.
static std::optional<std::pair<Combiner, Value>> matchCombiner(Value yielded,
                                                               Value running) {
  Operation *op = yielded.getDefiningOp();
  if (!op)
    return std::nullopt;
  std::optional<Combiner> combiner;
  Value lhs, rhs;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    combiner = Combiner::Max;
  else if (isa<arith::AddFOp>(op))
    combiner = Combiner::Sum;
  else if (isa<arith::AndIOp>(op))
    combiner = Combiner::And;
  else if (isa<arith::OrIOp>(op))
    combiner = Combiner::Or;
  if (combiner) {
    lhs = op->getOperand(0);
    rhs = op->getOperand(1);
  } else if (auto select = dyn_cast<arith::SelectOp>(op);
             select && isSelectedMaximum(select)) {
    combiner = Combiner::Max;
    lhs = select.getTrueValue();
    rhs = select.getFalseValue();
  } else {
    return std::nullopt;
  }
  if (lhs == running && rhs != running)
    return std::pair(*combiner, rhs);
  if (rhs == running && lhs != running)
    return std::pair(*combiner, lhs);
  return std::nullopt;
}

bool mlir::smx::isLowest(double value, Type type) {
  if (std::isinf(value))
    return value < 0;
  auto floatType = dyn_cast<FloatType>(type);
  return floatType &&
         value == APFloat::getLargest(floatType.getFloatSemantics(),
                                      /*Negative=*/true)
                      .convertToDouble();
}

static bool isNeutral(Combiner combiner, double start, Type type,
                      Operation *op) {
  switch (combiner) {
  case Combiner::Max:
    // NaN is neutral for maxnumf alone.
    return isLowest(start, type) ||
           (std::isnan(start) && isa<arith::MaxNumFOp>(op));
  case Combiner::Sum:
  case Combiner::Or:
    return start == 0;
  case Combiner::And:
    return start == 1;
  }
  return false;
}

/// True if `value` depends on `argument` within the body.
static bool usesArgument(Value value, Value argument) {
  llvm::SmallPtrSet<Value, 8> visited;
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (next == argument)
      return true;
    Operation *op = next.getDefiningOp();
    if (visited.insert(next).second && op &&
        op->getBlock() == argument.getParentBlock())
      llvm::append_range(pending, op->getOperands());
  }
  return false;
}

std::optional<RowReduction> mlir::smx::matchRowReduction(ElementReader &reader,
                                                         Element e,
                                                         AffineExpr axis) {
  e = reader.strip(e);
  auto op = e.value.getDefiningOp<linalg::LinalgOp>();
  if (!e.isTensor() || !op || !op.hasPureTensorSemantics() ||
      op.getNumReductionLoops() != 1)
    return std::nullopt;
  unsigned axisDim = cast<AffineDimExpr>(axis).getPosition();
  if (llvm::any_of(e.at,
                   [&](AffineExpr at) { return at.isFunctionOfDim(axisDim); }))
    return std::nullopt;

  unsigned n = cast<OpResult>(e.value).getResultNumber();
  OpOperand *init = op.getDpsInitOperand(n);
  Value running = op.getMatchingBlockArgument(init);
  Value yielded = op.getBlock()->getTerminator()->getOperand(n);
  auto combined = matchCombiner(yielded, running);
  if (!combined || usesArgument(combined->second, running))
    return std::nullopt;
  std::optional<double> start =
      reader.constant(reader.tensorElement(init->get(), e.at));
  if (!start ||
      !isNeutral(combined->first, *start, e.getType(), yielded.getDefiningOp()))
    return std::nullopt;

  auto type = cast<RankedTensorType>(e.value.getType());
  auto loops = loopsFor(op.getMatchingIndexingMap(init), type.getShape(), e.at);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  unsigned reduced = reductions.front();
  if (!loops)
    return std::nullopt;
  (*loops)[reduced] = axis;
  if (!fillUnitLoops(reader.getPositions(), op, *loops))
    return std::nullopt;
  Element input = reader.scalarElement(combined->second, *loops, op);
  input.isPart = e.isPart;
  return RowReduction{
      combined->first, input,
      RowExtent{op.getStaticLoopRanges()[reduced], dimsOfLoop(op, reduced)},
      *start};
}

std::optional<RowReduction> mlir::smx::matchRow(ElementReader &reader,
                                                Element e, AffineExpr axis,
                                                const RowExtent &extent,
                                                Combiner combiner) {
  auto reduction = matchRowReduction(reader, e, axis);
  if (!reduction || reduction->combiner != combiner ||
      !(reduction->extent == extent))
    return std::nullopt;
  return reduction;
}

std::optional<Element> mlir::smx::matchRowSum(ElementReader &reader, Element e,
                                              AffineExpr axis,
                                              const RowExtent &extent) {
  auto sum = matchRow(reader, e, axis, extent, Combiner::Sum);
  return sum ? std::optional(sum->input) : std::nullopt;
}

bool mlir::smx::dropConstantFactor(ElementReader &reader, Element &e,
                                   double &factor) {
  Element stripped = reader.strip(e);
  Operation *op = reader.arithmetic(stripped);
  if (isa_and_nonnull<arith::NegFOp>(op)) {
    factor = -factor;
    e = reader.operand(stripped, 0);
    return true;
  }
  if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op))
    return false;
  std::optional<double> rhs = reader.constant(reader.operand(stripped, 1));
  if (rhs && std::isfinite(*rhs) && *rhs != 0) {
    factor = isa<arith::MulFOp>(op) ? factor * *rhs : factor / *rhs;
    e = reader.operand(stripped, 0);
    return true;
  }
  std::optional<double> lhs = reader.constant(reader.operand(stripped, 0));
  if (!isa<arith::MulFOp>(op) || !lhs || !std::isfinite(*lhs) || *lhs == 0)
    return false;
  factor *= *lhs;
  e = reader.operand(stripped, 1);
  return true;
}

bool mlir::smx::isAlmostEqual(double lhs, double rhs, Type type) {
  unsigned precision =
      APFloat::semanticsPrecision(cast<FloatType>(type).getFloatSemantics());
  constexpr double most = 1e-6;
  return std::abs(lhs - rhs) <=
         std::min(most, std::ldexp(4.0, -precision)) * std::abs(rhs);
}

std::optional<ShiftedExponential>
mlir::smx::matchShiftedExponential(ElementReader &reader, Element e,
                                   AffineExpr axis, const RowExtent &extent,
                                   std::string &whyNot, MaximumGuard allowed) {
  auto guard = MaximumGuard::None;
  e = reader.strip(e);
  Operation *op = reader.arithmetic(e);
  bool isBase2 = isa_and_nonnull<math::Exp2Op>(op);
  if (!isBase2 && !isa_and_nonnull<math::ExpOp>(op)) {
    whyNot = "the dividend is not an exponential";
    return std::nullopt;
  }
  Element exponent = reader.operand(e, 0);
  double factor = 1;
  while (dropConstantFactor(reader, exponent, factor))
    ;
  auto difference = reader.stripTo<arith::SubFOp>(exponent);
  if (!difference) {
    whyNot = "the exponent is not shifted by the maximum of its row";
    return std::nullopt;
  }
  Element input = reader.operand(exponent, 0);
  Element shift = reader.operand(exponent, 1);
  std::optional<Element> row =
      matchRowMaximum(reader, shift, axis, extent, allowed, &guard);
  if (!row || !reader.equal(*row, input)) {
    // c*x - c*max(x), the form that fuses into one multiply-add.
    double inputFactor = 1, shiftFactor = 1;
    Element scaled = input;
    while (dropConstantFactor(reader, scaled, inputFactor))
      ;
    while (dropConstantFactor(reader, shift, shiftFactor))
      ;
    row = matchRowMaximum(reader, shift, axis, extent, allowed, &guard);
    if (!row) {
      whyNot = "what is subtracted in the exponent is not the maximum of the "
               "row";
      return std::nullopt;
    }
    if (!reader.equal(*row, scaled) || inputFactor <= 0 ||
        !isAlmostEqual(inputFactor, shiftFactor, e.getType())) {
      whyNot = "the maximum in the exponent is not that of the exponentiated "
               "row";
      return std::nullopt;
    }
    input = scaled;
    factor *= inputFactor;
  }
  if (isBase2) {
    // log2(e) may be a factor of the scores that the maximum is taken of.
    if (factor == 1)
      while (dropConstantFactor(reader, input, factor))
        ;
    if (factor <= 0) {
      whyNot = "the scores have a negative factor, which their maximum has not";
      return std::nullopt;
    }
    if (factor == 1) {
      whyNot = "the exponential is to the base 2, without a factor log2(e)";
      return std::nullopt;
    }
    factor *= llvm::numbers::ln2;
    if (isAlmostEqual(factor, 1, e.getType()))
      factor = 1;
  }
  if (!isPositiveScale(factor, e.getType())) {
    whyNot = "the exponent has a negative factor, which the maximum does not, "
             "or one that is 0 or not finite";
    return std::nullopt;
  }
  return ShiftedExponential{input, factor, guard};
}

std::optional<Quotient> mlir::smx::matchQuotient(ElementReader &reader,
                                                 const Element &e) {
  Operation *op = reader.arithmetic(e);
  if (isa_and_nonnull<arith::DivFOp>(op))
    return Quotient{reader.operand(e, 0), reader.operand(e, 1)};
  if (!isa_and_nonnull<arith::MulFOp>(op))
    return std::nullopt;
  for (unsigned n : {1u, 0u}) {
    Element reciprocal = reader.operand(e, n);
    if (reader.stripTo<arith::DivFOp>(reciprocal) &&
        reader.constant(reader.operand(reciprocal, 0)) == 1.0)
      return Quotient{reader.operand(e, 1 - n), reader.operand(reciprocal, 1)};
  }
  return std::nullopt;
}

bool mlir::smx::dropZeroGuard(ElementReader &reader, Element &divisor) {
  Element e = reader.strip(divisor);
  Operation *op = reader.arithmetic(e);
  if (isa_and_nonnull<arith::MaximumFOp>(op))
    for (unsigned n : {0u, 1u}) {
      std::optional<double> bound = reader.constant(reader.operand(e, n));
      if (!bound || !(*bound > 0) || *bound > 1)
        continue;
      divisor = reader.operand(e, 1 - n);
      return true;
    }
  if (!isa_and_nonnull<arith::SelectOp>(op))
    return false;
  Element condition = reader.operand(e, 0);
  auto compare = reader.stripTo<arith::CmpFOp>(condition);
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ ||
      reader.constant(reader.operand(condition, 1)) != 0.0 ||
      !reader.equal(reader.operand(condition, 0), reader.operand(e, 2)))
    return false;
  std::optional<double> instead = reader.constant(reader.operand(e, 1));
  if (!instead || !std::isfinite(*instead) || *instead == 0)
    return false;
  divisor = reader.operand(e, 2);
  return true;
}
