//===- RowMaximum.cpp - maxima of rows, guarded or not --------------------===//

#include "RowReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::smx;

/// The `m` of `select(|m| == inf, 0, m)`, or of `select(|m| != inf, m, 0)`, or
/// the same of `m` and -inf: a NaN reaches the sum in either case.
static std::optional<Element>
dropInfinityGuard(ElementReader &reader, Element e, MaximumGuard &guard) {
  if (!reader.stripTo<arith::SelectOp>(e))
    return std::nullopt;
  Element condition = reader.operand(e, 0);
  auto compare = reader.stripTo<arith::CmpFOp>(condition);
  if (!compare)
    return std::nullopt;
  arith::CmpFPredicate predicate = compare.getPredicate();
  bool keepsWhenTrue = predicate == arith::CmpFPredicate::ONE ||
                       predicate == arith::CmpFPredicate::UNE ||
                       predicate == arith::CmpFPredicate::OGT;
  if (!keepsWhenTrue && predicate != arith::CmpFPredicate::OEQ)
    return std::nullopt;
  Element maximum = reader.operand(e, keepsWhenTrue ? 1 : 2);
  if (reader.constant(reader.operand(e, keepsWhenTrue ? 2 : 1)) != 0.0)
    return std::nullopt;
  std::optional<double> infinity =
      reader.constant(reader.operand(condition, 1));
  Element magnitude = reader.operand(condition, 0);
  if (!infinity || !std::isinf(*infinity))
    return std::nullopt;
  guard = *infinity > 0 ? MaximumGuard::Infinity : MaximumGuard::MinusInfinity;
  if (*infinity > 0 && (predicate == arith::CmpFPredicate::OGT ||
                        !reader.stripTo<math::AbsFOp>(magnitude)))
    return std::nullopt;
  Element guarded =
      *infinity > 0 ? reader.operand(magnitude, 0) : reader.strip(magnitude);
  return reader.equal(guarded, maximum) ? std::optional(maximum) : std::nullopt;
}

/// The `m` of `max(m, -inf)`, which is how a maximum of no elements is spelled;
/// `lowest` is set to what is in the place of -inf.
static std::optional<Element> dropLowerClamp(ElementReader &reader, Element e,
                                             double &lowest) {
  e = reader.strip(e);
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(
          reader.arithmetic(e)))
    return std::nullopt;
  for (unsigned n : {0u, 1u}) {
    std::optional<double> bound = reader.constant(reader.operand(e, n));
    if (bound && isLowest(*bound, e.getType())) {
      lowest = *bound;
      return reader.operand(e, 1 - n);
    }
  }
  return std::nullopt;
}

std::optional<Element> mlir::smx::matchRowMaximum(ElementReader &reader,
                                                  Element e, AffineExpr axis,
                                                  const RowExtent &extent,
                                                  MaximumGuard allowed,
                                                  MaximumGuard *found) {
  auto guard = MaximumGuard::None;
  if (std::optional<Element> maximum = dropInfinityGuard(reader, e, guard)) {
    if (guard > allowed)
      return std::nullopt;
    e = *maximum;
  }
  double bound = -std::numeric_limits<double>::infinity();
  if (std::optional<Element> maximum = dropLowerClamp(reader, e, bound))
    e = *maximum;
  auto row = matchRow(reader, e, axis, extent, Combiner::Max);
  if (!row)
    return std::nullopt;
  // A finite number in the place of -inf guards as 0 does: exp(-inf - m) = 0.
  if (std::isfinite(std::max(bound, row->start)))
    guard = std::max(guard, MaximumGuard::MinusInfinity);
  if (found)
    *found = guard;
  return row->input;
}
