//===- MaskShapes.cpp - chunks, and causal masks with a prefix ------------===//

#include "MaskReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::smx;

SmallVector<std::pair<Anchor, int64_t>> MaskReader::anchors() const {
  SmallVector<std::pair<Anchor, int64_t>> result{{Anchor::TopLeft, 0}};
  int64_t rows = reader.getPositions().extent(positions.row);
  int64_t keys = reader.getPositions().extent(positions.key);
  if (!ShapedType::isDynamic(rows) && !ShapedType::isDynamic(keys) &&
      rows != keys)
    result.emplace_back(Anchor::BottomRight, keys - rows);
  return result;
}

/// floor((row + offset) / size) = floor(key / size).
Attribute MaskReader::matchChunks(Element e, bool visibleWhen) {
  auto compare = reader.stripTo<arith::CmpIOp>(e);
  if (!compare ||
      compare.getPredicate() !=
          (visibleWhen ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne))
    return {};
  AffineExpr lhs = reader.affine(reader.operand(e, 0));
  AffineExpr rhs = reader.affine(reader.operand(e, 1));
  if (!lhs || !rhs)
    return {};
  const Positions &all = reader.getPositions();
  AffineExpr row = all.get(positions.row), key = all.get(positions.key);
  AffineExpr difference = all.simplify(lhs - rhs);
  std::optional<int64_t> size;
  difference.walk([&](AffineExpr part) {
    if (part.getKind() == AffineExprKind::FloorDiv)
      if (auto divisor = dyn_cast<AffineConstantExpr>(
              cast<AffineBinaryOpExpr>(part).getRHS()))
        size = divisor.getValue();
  });
  if (!size)
    return {};
  for (auto [anchor, offset] : anchors()) {
    AffineExpr expected = (row + offset).floorDiv(*size) - key.floorDiv(*size);
    for (AffineExpr sum : {difference - expected, difference + expected})
      if (all.simplify(sum) == all.constant(0))
        return ChunksAttr::get(all.getContext(), anchor, *size);
  }
  return {};
}

std::optional<int64_t>
MaskReader::matchFirstKeys(const MaskCondition &condition) {
  AffineExpr reach = reachOf(condition.condition, condition.visibleWhen);
  if (!reach)
    return std::nullopt;
  const Positions &all = reader.getPositions();
  // last - key >= 0.
  auto last = dyn_cast<AffineConstantExpr>(
      all.simplify(reach + all.get(positions.key)));
  if (!last || last.getValue() < 0 || last.getValue() >= maxDynamicExtent)
    return std::nullopt;
  return last.getValue() + 1;
}

/// key < length, or causal.
Attribute MaskReader::matchPrefix(Element e, bool visibleWhen) {
  // What is hidden is so by both.
  SmallVector<MaskCondition> hidden;
  splitConjuncts(e, !visibleWhen, hidden);
  if (hidden.size() != 2)
    return {};
  for (MaskCondition &part : hidden)
    part.visibleWhen = !part.visibleWhen;
  for (unsigned n : {0u, 1u}) {
    std::optional<int64_t> length = matchFirstKeys(hidden[n]);
    std::optional<Band> band = matchBand(hidden[1 - n]);
    if (!length || !band || band->left || !band->right)
      continue;
    for (auto [anchor, offset] : anchors())
      if (*band->right == offset)
        return PrefixAttr::get(reader.getPositions().getContext(), anchor,
                               *length);
  }
  return {};
}

/// A constant matrix that is one of the shapes that its corners suggest.
Attribute MaskReader::findShape(const BitVector &isVisible) const {
  const Positions &all = reader.getPositions();
  int64_t rows = all.extent(positions.row), keys = all.extent(positions.key);
  auto isAll = [&](function_ref<bool(int64_t, int64_t)> expected) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < keys; ++j)
        if (expected(i, j) != isVisible[i * keys + j])
          return false;
    return true;
  };
  // Of the first row: what it sees first, in one run.
  int64_t seen = isVisible.find_first_unset_in(0, keys);
  if (seen <= 0)
    return {};
  for (auto [anchor, offset] : anchors()) {
    if (isAll([seen, offset = offset](int64_t i, int64_t j) {
          return j < seen || j <= i + offset;
        }))
      return PrefixAttr::get(all.getContext(), anchor, seen);
    if (isAll([seen, offset = offset](int64_t i, int64_t j) {
          return llvm::divideFloorSigned(i + offset, seen) == j / seen;
        }))
      return ChunksAttr::get(all.getContext(), anchor, seen);
  }
  return {};
}

Attribute MaskReader::matchShape(const MaskCondition &condition) {
  if (auto isVisible =
          readConstantMask(condition.condition, condition.visibleWhen))
    return findShape(*isVisible);
  if (Attribute chunks =
          matchChunks(condition.condition, condition.visibleWhen))
    return chunks;
  return matchPrefix(condition.condition, condition.visibleWhen);
}
