//===- MaskedRowGuard.cpp - 0 in the place of rows that are masked --------===//

#include "RowReductions.h"
#include "Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// The condition under which a softmax is replaced by 0.
struct Guard {
  ElementReader &reader;
  AffineExpr axis;
  RowExtent extent;
  Element scores, weight; ///< one element each of input and result

  /// True if `e` says that all scores of the row are -inf; with `inverted`,
  /// that not all of them are.
  bool saysRowIsMasked(Element e, bool inverted);

private:
  void dropNot(Element &e, bool &inverted);
  bool saysWeightIsNaN(const Element &comparison);
  bool comparesMaximum(const Element &comparison);
  bool comparesEach(const Element &e, bool inverted);
  bool hasAddend(Element sum, const Element &addend);
};
} // namespace

void Guard::dropNot(Element &e, bool &inverted) {
  while (reader.stripTo<arith::XOrIOp>(e)) {
    if (reader.constant(reader.operand(e, 1)) != 1.0)
      return;
    e = reader.operand(e, 0);
    inverted = !inverted;
  }
}

/// `w != w`, where `w` is the weight: all of a row are NaN or none.
bool Guard::saysWeightIsNaN(const Element &comparison) {
  Operation *op = reader.arithmetic(comparison);
  auto compare = dyn_cast_or_null<arith::CmpFOp>(op);
  if (compare && compare.getPredicate() != arith::CmpFPredicate::UNE &&
      compare.getPredicate() != arith::CmpFPredicate::UNO)
    return false;
  if (!compare && !isa_and_nonnull<math::IsNaNOp>(op))
    return false;
  return llvm::all_of(llvm::seq(op->getNumOperands()), [&](unsigned n) {
    return reader.strip(reader.operand(comparison, n)) == weight;
  });
}

/// True if `addend`, or the same in all of its elements, is added in `sum`.
bool Guard::hasAddend(Element sum, const Element &addend) {
  if (reader.equal(sum, addend))
    return true;
  return reader.stripTo<arith::AddFOp>(sum) &&
         (hasAddend(reader.operand(sum, 0), addend) ||
          hasAddend(reader.operand(sum, 1), addend));
}

static bool comparesWithMinusInfinity(ElementReader &reader,
                                      const Element &comparison,
                                      arith::CmpFPredicate predicate) {
  auto compare = dyn_cast_or_null<arith::CmpFOp>(reader.arithmetic(comparison));
  if (!compare || compare.getPredicate() != predicate)
    return false;
  std::optional<double> bound = reader.constant(reader.operand(comparison, 1));
  return bound && std::isinf(*bound) && *bound < 0;
}

/// The maximum of the scores, or of a mask that is added to them, is -inf.
bool Guard::comparesMaximum(const Element &comparison) {
  if (!comparesWithMinusInfinity(reader, comparison, arith::CmpFPredicate::OEQ))
    return false;
  auto reduction =
      matchRowReduction(reader, reader.operand(comparison, 0), axis);
  // One from the lowest finite number is not -inf.
  return reduction && reduction->combiner == Combiner::Max &&
         !std::isfinite(reduction->start) && reduction->extent == extent &&
         hasAddend(scores, reduction->input);
}

/// All are -inf, or not any is not.
bool Guard::comparesEach(const Element &e, bool inverted) {
  auto reduction = matchRowReduction(reader, e, axis);
  if (!reduction ||
      reduction->combiner != (inverted ? Combiner::Or : Combiner::And) ||
      !(reduction->extent == extent))
    return false;
  Element element = reduction->input;
  dropNot(element, inverted);
  element = reader.strip(element);
  return comparesWithMinusInfinity(reader, element,
                                   inverted ? arith::CmpFPredicate::UNE
                                            : arith::CmpFPredicate::OEQ) &&
         reader.equal(reader.operand(element, 0), scores);
}

bool Guard::saysRowIsMasked(Element e, bool inverted) {
  dropNot(e, inverted);
  e = reader.strip(e);
  if (!inverted && (saysWeightIsNaN(e) || comparesMaximum(e)))
    return true;
  return comparesEach(e, inverted);
}

bool mlir::smx::raiseMaskedRowGuard(RewriterBase &rewriter, Operation *op) {
  RowRoot root(op);
  ElementReader &reader = root.reader;
  Element e = root.result;
  if (!reader.stripTo<arith::SelectOp>(e) || !root.computes(e))
    return false;
  for (bool inverted : {false, true}) {
    Element kept = reader.strip(reader.operand(e, inverted ? 1 : 2));
    auto softmax = kept.value.getDefiningOp<SoftmaxOp>();
    if (!softmax || kept.at != reader.identityElement(softmax.getResult()).at ||
        softmax.getScale().isNegative() ||
        reader.constant(reader.operand(e, inverted ? 2 : 1)) != 0.0)
      continue;
    Guard guard{reader, root.positions.get(softmax.getAxis()),
                root.extent(softmax.getAxis()),
                reader.identityElement(softmax.getInput()), kept};
    if (!guard.saysRowIsMasked(reader.operand(e, 0), inverted))
      continue;
    auto cluster = opsBetween(softmax.getInput(), op);
    if (escapes(cluster, OpSet(cluster.begin(), cluster.end()), {op}))
      return false;
    rewriter.setInsertionPoint(op);
    auto guarded = SoftmaxOp::create(
        rewriter, softmax.getLoc(), root.getType(), softmax.getInput(),
        softmax.getAxisAttr(), softmax.getScaleAttr(),
        MaskedRowAttr::get(op->getContext(), MaskedRow::Zero));
    rewriter.replaceAllUsesWith(op->getResult(0), guarded.getResult());
    eraseUnused(rewriter, cluster);
    absorbConversions(rewriter, guarded);
    return true;
  }
  return false;
}
