//===- Masks.cpp - which keys a score expression hides --------------------===//

#include "MaskReader.h"
#include "RowReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::smx;

/// True if adding or selecting `value` leaves nothing of an exponential:
/// e^-1e30 is 0 in every type, and so is that of a millionth of it.
static bool hides(double value, double scale) {
  return value <= -1e30 && value * scale <= -1e24;
}

bool mlir::smx::hidesAlone(const APFloat &value) {
  return hides(FloatAttr::getValueAsDouble(value), /*scale=*/1);
}

namespace {
/// One mask taken off: the rest, and the condition.
struct TakenMask {
  Element rest;
  Element condition;
  bool visibleWhen;
  double value;      ///< added or selected where it hides
  double factor = 1; ///< what it and the rest are multiplied by
  bool isInfinite() const { return std::isinf(value); }
};
} // namespace

/// Drops what a mask of nothing adds.
static void dropZeros(ElementReader &reader, Element &scores) {
  while (true) {
    Element e = reader.strip(scores);
    if (!isa_and_nonnull<arith::AddFOp>(reader.arithmetic(e)))
      return;
    bool isZero[] = {reader.constant(reader.operand(e, 0)) == 0.0,
                     reader.constant(reader.operand(e, 1)) == 0.0};
    if (!isZero[0] && !isZero[1])
      return;
    scores = reader.operand(e, isZero[0] ? 1 : 0);
  }
}

static std::optional<TakenMask>
takeMask(ElementReader &reader, MaskReader &masks, const Element &scores,
         double scale, function_ref<bool(const Element &)> isScore) {
  Element e = reader.strip(scores);
  Operation *op = reader.arithmetic(e);
  auto dependsOnScore = [&](const Element &part) {
    return reader.contains(part, isScore);
  };
  if (isa_and_nonnull<arith::SelectOp>(op)) {
    for (unsigned hidden : {1u, 2u}) {
      auto value = reader.constant(reader.operand(e, hidden));
      if (value && hides(*value, scale) &&
          !dependsOnScore(reader.operand(e, 0)))
        return TakenMask{reader.operand(e, 3 - hidden), reader.operand(e, 0),
                         /*visibleWhen=*/hidden == 2, *value};
    }
    return std::nullopt;
  }
  if (!isa_and_nonnull<arith::AddFOp>(op))
    return std::nullopt;
  for (unsigned n : {1u, 0u}) {
    Element addend = reader.operand(e, n);
    if (dependsOnScore(addend))
      continue;
    dropZeros(reader, addend);
    auto choice = masks.matchChoice(addend);
    if (choice && choice->whenTrue == 0 && hides(choice->whenFalse, scale))
      return TakenMask{reader.operand(e, 1 - n), choice->condition, true,
                       choice->whenFalse};
    if (choice && choice->whenFalse == 0 && hides(choice->whenTrue, scale))
      return TakenMask{reader.operand(e, 1 - n), choice->condition, false,
                       choice->whenTrue};
  }
  return std::nullopt;
}

/// The same of a mask of -inf that is multiplied together with the scores.
static std::optional<TakenMask>
takeScaledMask(ElementReader &reader, MaskReader &masks, Element scores,
               double scale, function_ref<bool(const Element &)> isScore) {
  double factor = 1;
  while (dropConstantFactor(reader, scores, factor))
    ;
  auto taken = takeMask(reader, masks, scores, scale * factor, isScore);
  if (!taken || !taken->isInfinite() || factor <= 0)
    return std::nullopt;
  taken->factor = factor;
  return taken;
}

/// True if `scores` are computed from more than the product, positions and
/// constants.
static bool readsOtherData(ElementReader &reader, const Element &scores,
                           function_ref<bool(const Element &)> isScore) {
  return reader.contains(scores, [&](const Element &e) {
    return !reader.arithmetic(e) && !isScore(e) && !reader.literal(e);
  });
}

/// True if `scores` are a function of the product and of positions in which
/// nothing is as low as what hides: what is added to them there is all that is
/// left.
static bool isFarAboveMasks(ElementReader &reader, const Element &scores,
                            function_ref<bool(const Element &)> isScore) {
  return !readsOtherData(reader, scores, isScore) &&
         !reader.contains(scores, [&](const Element &e) {
           std::optional<double> constant = reader.constant(e);
           return constant && !(std::abs(*constant) < 1e30);
         });
}

ScoreMask mlir::smx::takeMasks(ElementReader &reader,
                               const ScorePositions &positions, Element &scores,
                               double scale,
                               function_ref<bool(const Element &)> isScore) {
  MaskReader masks(reader, positions);
  ScoreMask result;
  Band band;
  bool hasFinite = false;
  double highestFinite = -std::numeric_limits<double>::infinity();
  // What had been taken in front of the first mask with a finite value.
  ScoreMask infinite;
  Band infiniteBand;
  Element infiniteRest;
  dropZeros(reader, scores);
  auto take = [&] {
    auto taken =
        takeMask(reader, masks, scores, scale * result.factor, isScore);
    return taken ? taken
                 : takeScaledMask(reader, masks, scores, scale * result.factor,
                                  isScore);
  };
  while (auto taken = take()) {
    dropZeros(reader, taken->rest);
    SmallVector<MaskCondition> conjuncts, others;
    masks.splitConjuncts(taken->condition, taken->visibleWhen, conjuncts);
    Band narrowed = band;
    SmallVector<Attribute> shapes = result.shapes;
    for (const MaskCondition &conjunct : conjuncts) {
      auto part = masks.matchBand(conjunct);
      Band tried = narrowed;
      if (part)
        tried.intersect(*part);
      if (part && !tried.isEmpty())
        narrowed = tried;
      else if (Attribute shape = masks.matchShape(conjunct))
        shapes.push_back(shape);
      else
        others.push_back(conjunct);
    }
    // A row that is hidden whole by a finite value is weighed evenly and not
    // masked, and so is one whose other keys are hidden by -inf. Where such a
    // row is possible the finite value stays in the score, which it replaces.
    bool isFinite = !taken->isInfinite();
    bool mayHideRows =
        isFinite && (!result.conditions.empty() ||
                     readsOtherData(reader, taken->rest, isScore));
    mayHideRows |=
        (isFinite || hasFinite) &&
        (!others.empty() || !masks.everyRowSeesAKey(narrowed, shapes));
    if (mayHideRows) {
      // What a mask outside of this one hides has to be far below what this
      // one hides: together they are all that a row of nothing else has.
      if (isFinite && isFarAboveMasks(reader, taken->rest, isScore) &&
          (!hasFinite ||
           hides(highestFinite - taken->value * result.factor, scale))) {
        result.finiteConditions = conjuncts;
        result.finiteValue = taken->value;
        scores = taken->rest;
      }
      break;
    }
    if (isFinite && !hasFinite) {
      infinite = result;
      infiniteBand = band;
      infiniteRest = scores;
    }
    hasFinite |= isFinite;
    if (isFinite)
      highestFinite = std::max(highestFinite, taken->value * result.factor);
    band = narrowed;
    result.shapes = std::move(shapes);
    llvm::append_range(result.conditions, others);
    result.factor *= taken->factor;
    scores = taken->rest;
  }
  // A row whose other scores are as low is not masked where the finite value
  // is: that stays where it was.
  if (hasFinite && !isFarAboveMasks(reader, scores, isScore)) {
    result = infinite;
    band = infiniteBand;
    scores = infiniteRest;
  }
  result.left = band.left;
  result.right = band.right;
  return result;
}

static MaskAttrInterface buildBand(MLIRContext *context, const ScoreMask &mask,
                                   int64_t rows, int64_t keys) {
  bool isBottomRight = mask.right && !ShapedType::isDynamic(rows) &&
                       !ShapedType::isDynamic(keys) && rows != keys &&
                       *mask.right == keys - rows;
  if (!isBottomRight)
    return BandAttr::get(context, Anchor::TopLeft, mask.left, mask.right);
  std::optional<int64_t> left = mask.left;
  if (left)
    *left += keys - rows;
  return BandAttr::get(context, Anchor::BottomRight, left, int64_t(0));
}

MaskAttrInterface mlir::smx::buildMask(MLIRContext *context,
                                       const ScoreMask &mask, int64_t rows,
                                       int64_t keys) {
  SmallVector<Attribute> masks = mask.shapes;
  if (mask.left || mask.right)
    masks.push_back(buildBand(context, mask, rows, keys));
  if (masks.size() > 1)
    return AllOfAttr::get(context, masks);
  return masks.empty() ? MaskAttrInterface()
                       : cast<MaskAttrInterface>(masks.front());
}
