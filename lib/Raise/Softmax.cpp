//===- Softmax.cpp - exp(x - max) / sum(exp(x - max)) ---------------------===//

#include "RowReductions.h"
#include "Rows.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::smx;

static bool containsExponential(ElementReader &reader, const Element &e) {
  return reader.contains(e, [&](const Element &part) {
    return isa_and_nonnull<math::ExpOp, math::Exp2Op, math::PowFOp>(
        reader.arithmetic(part));
  });
}

namespace {
struct SoftmaxMatch {
  Element input;
  int64_t axis;
  double scale;
  bool isZeroWhereMasked;
};
} // namespace

/// True if `scores` are -inf where `condition` does not hold.
static bool areHiddenWithout(ElementReader &reader, Element scores,
                             const Element &condition) {
  if (!reader.stripTo<arith::SelectOp>(scores))
    return false;
  std::optional<double> hidden = reader.constant(reader.operand(scores, 2));
  return hidden && std::isinf(*hidden) && *hidden < 0 &&
         reader.equal(reader.operand(scores, 0), condition);
}

static std::optional<SoftmaxMatch>
matchSoftmax(RowRoot &root, const Quotient &quotient, std::string &whyNot) {
  ElementReader &reader = root.reader;
  Element divisor = quotient.divisor;
  bool hasZeroGuard = dropZeroGuard(reader, divisor);
  whyNot = "the divisor is not a sum along one axis of the result";
  for (int64_t axis = root.getType().getRank() - 1; axis >= 0; --axis) {
    AffineExpr position = root.positions.get(axis);
    RowExtent extent = root.extent(axis);
    std::optional<Element> summed =
        matchRowSum(reader, divisor, position, extent);
    if (!summed)
      continue;
    // Exponentials of -inf may be left out of the sum: they are 0, or NaN in a
    // row of nothing else, which is NaN with them and without.
    Element terms = *summed;
    std::optional<Element> condition;
    if (!reader.equal(terms, quotient.dividend) &&
        reader.stripTo<arith::SelectOp>(terms) &&
        reader.constant(reader.operand(terms, 2)) == 0.0) {
      condition = reader.operand(terms, 0);
      terms = reader.operand(terms, 1);
    }
    std::string unlike =
        "the divisor is not the sum of the exponentials that are divided";
    if (!reader.equal(terms, quotient.dividend)) {
      whyNot = unlike;
      continue;
    }
    std::optional<ShiftedExponential> exponential =
        matchShiftedExponential(reader, quotient.dividend, position, extent,
                                whyNot, MaximumGuard::MinusInfinity);
    if (exponential && condition &&
        !areHiddenWithout(reader, exponential->input, *condition)) {
      whyNot = unlike;
      continue;
    }
    // Without a guard of the maximum a masked row is NaN before it is summed.
    if (exponential)
      return SoftmaxMatch{exponential->input, axis, exponential->scale,
                          hasZeroGuard &&
                              exponential->guard != MaximumGuard::None};
  }
  return std::nullopt;
}

bool mlir::smx::raiseSoftmax(RewriterBase &rewriter, SharedRows &shared,
                             Operation *op) {
  RowRoot root(op);
  ElementReader &reader = root.reader;
  std::optional<Quotient> quotient = quotientOf(root);
  if (!quotient || !reader.contains(quotient->divisor, isReduction) ||
      !containsExponential(reader, quotient->dividend))
    return false;

  std::string whyNot;
  std::optional<SoftmaxMatch> match = matchSoftmax(root, *quotient, whyNot);
  if (!match) {
    shared.explain(op, "smx.softmax", whyNot);
    return false;
  }
  rewriter.setInsertionPoint(op);
  auto row = takeRow(rewriter, shared, reader, match->input,
                     root.positions.getAll(), op, "smx.softmax");
  if (!row)
    return false;
  auto softmax = SoftmaxOp::create(
      rewriter, op->getLoc(), root.getType(), row->tensor,
      rewriter.getI64IntegerAttr(match->axis),
      rewriter.getF64FloatAttr(match->scale),
      maskedRowOf(op->getContext(), match->isZeroWhereMasked));
  rewriter.replaceAllUsesWith(op->getResult(0), softmax.getResult());
  eraseUnused(rewriter, row->cluster);
  absorbConversions(rewriter, softmax);
  remarkRaised(softmax);
  return true;
}

bool mlir::smx::raiseLinalgSoftmax(RewriterBase &rewriter,
                                   linalg::SoftmaxOp op) {
  if (!op.hasPureTensorSemantics()) {
    remarkNotRaised(op, "smx.softmax", "it works on buffers, not on tensors");
    return false;
  }
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  Type result = elementOf(op->getResult(0));
  if (!isStoredFloat(result) || !isStoredFloat(elementOf(op.getInput()))) {
    remarkNotRaised(op, "smx.softmax",
                    "its elements are not f64, f32, f16, bf16 or of 8 bits");
    return false;
  }
  if (!isTypeOfResults(result)) {
    remarkNotRaised(op, "smx.softmax", "its result has fewer than 16 bits");
    return false;
  }
  rewriter.setInsertionPoint(op);
  auto softmax = SoftmaxOp::create(
      rewriter, op.getLoc(), op->getResult(0).getType(), op.getInput(),
      rewriter.getI64IntegerAttr(op.getDimension()),
      rewriter.getF64FloatAttr(1.0), /*masked_row=*/nullptr);
  rewriter.replaceOp(op, softmax.getResult());
  absorbConversions(rewriter, softmax);
  remarkRaised(softmax);
  return true;
}

//===----------------------------------------------------------------------===//
// What stands around a softmax
//===----------------------------------------------------------------------===//

void mlir::smx::absorbConversions(RewriterBase &rewriter, Operation *rowOp) {
  Value result = rowOp->getResult(0);
  auto shape = [](Value v) {
    return cast<RankedTensorType>(v.getType()).getShape();
  };
  if (result.hasOneUse()) {
    Positions positions(rowOp->getContext(), shape(result));
    ElementReader reader(positions);
    OpOperand &use = *result.use_begin();
    Operation *copy = use.getOwner();
    auto at = reader.stepForward(use, positions.getAll());
    if (at && *at == positions.getAll()) {
      rewriter.modifyOpInPlace(
          rowOp, [&] { result.setType(copy->getResult(0).getType()); });
      rewriter.replaceOp(copy, result);
    }
  }
  Value input = rowOp->getOperand(0);
  // A double-precision softmax of narrower scores is not computed in f32.
  if (getAccumulatorType(getElementTypeOrSelf(input.getType())).isF64())
    return;
  Positions positions(rowOp->getContext(), shape(input));
  ElementReader reader(positions);
  Element wide = reader.peel(reader.identityElement(input));
  if (!isa_and_nonnull<arith::ExtFOp>(reader.arithmetic(wide)) ||
      !isStoredFloat(reader.operand(wide, 0).getType()))
    return;
  if (Value narrow =
          findTensor(reader, reader.operand(wide, 0), positions.getAll()))
    rewriter.modifyOpInPlace(rowOp, [&] { rowOp->setOperand(0, narrow); });
}

bool mlir::smx::dropShift(RewriterBase &rewriter, SoftmaxOp op) {
  Positions positions(op.getContext(), op.getInput().getType().getShape());
  ElementReader reader(positions);
  Element input = reader.identityElement(op.getInput());
  if (!reader.stripTo<arith::SubFOp>(input))
    return false;
  Element row = reader.operand(input, 0);
  unsigned axis = op.getAxis();
  auto shifted = matchRowMaximum(
      reader, reader.operand(input, 1), positions.get(axis),
      {positions.extent(axis), {{op.getInput(), int64_t(axis)}}});
  if (!shifted || !reader.equal(*shifted, row))
    return false;
  Value tensor = findTensor(reader, row, positions.getAll());
  if (!tensor)
    return false;
  rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(tensor); });
  absorbConversions(rewriter, op);
  return true;
}

bool mlir::smx::absorbScale(RewriterBase &rewriter, SoftmaxOp op) {
  Positions positions(op.getContext(), op.getInput().getType().getShape());
  ElementReader reader(positions);
  Element input = reader.identityElement(op.getInput());
  double factor = op.getScale().convertToDouble();
  if (!op.getInput().hasOneUse() ||
      !dropConstantFactor(reader, input, factor) ||
      !isPositiveScale(factor, op.getInput().getType().getElementType()))
    return false;
  Value unscaled = findTensor(reader, input, positions.getAll());
  // What is computed in f64 is not to be read from a narrower tensor.
  if (!unscaled ||
      getAccumulatorType(getElementTypeOrSelf(unscaled.getType())) !=
          getAccumulatorType(op.getInput().getType().getElementType()))
    return false;
  rewriter.modifyOpInPlace(op, [&] {
    op.getInputMutable().assign(unscaled);
    op.setScaleAttr(rewriter.getF64FloatAttr(factor));
  });
  return true;
}
