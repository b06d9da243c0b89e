//===- MaskReader.cpp - conditions on positions, and bands ----------------===//

#include "MaskReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

std::optional<Choice> MaskReader::matchChoice(Element e) {
  e = reader.strip(e);
  Operation *op = reader.arithmetic(e);
  if (!op)
    return std::nullopt;
  if (isa<arith::SelectOp>(op)) {
    auto whenTrue = reader.constant(reader.operand(e, 1));
    auto whenFalse = reader.constant(reader.operand(e, 2));
    if (!whenTrue || !whenFalse)
      return std::nullopt;
    return Choice{reader.operand(e, 0), *whenTrue, *whenFalse};
  }
  bool isBoolean =
      op->getNumOperands() == 1 && reader.operand(e, 0).getType().isInteger(1);
  if (isBoolean && isa<arith::UIToFPOp, arith::ExtUIOp>(op))
    return Choice{reader.operand(e, 0), 1, 0};
  if (isBoolean && isa<arith::SIToFPOp, arith::ExtSIOp>(op))
    return Choice{reader.operand(e, 0), -1, 0};
  return std::nullopt;
}

/// The result of comparing two constants.
static bool compare(Operation *op, double lhs, double rhs) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APFloat(lhs),
                                    APFloat(rhs));
  auto integers = cast<arith::CmpIOp>(op);
  // An i1 is true or false here, and -1 or 0 to a signed comparison.
  unsigned width =
      getElementTypeOrSelf(integers.getLhs()).isInteger(1) ? 1 : 64;
  auto toInteger = [&](double value) {
    return APInt(width, (int64_t)value, /*isSigned=*/true,
                 /*implicitTrunc=*/true);
  };
  return arith::applyCmpPredicate(integers.getPredicate(), toInteger(lhs),
                                  toInteger(rhs));
}

void MaskReader::splitConjuncts(Element e, bool visibleWhen,
                                SmallVectorImpl<MaskCondition> &conjuncts) {
  MaskCondition whole{e, visibleWhen};
  e = reader.strip(e);
  if (std::optional<double> constant = reader.constant(e)) {
    if ((*constant != 0) != visibleWhen)
      conjuncts.push_back(whole);
    return;
  }
  Operation *op = reader.arithmetic(e);
  if (isa_and_nonnull<arith::XOrIOp>(op))
    for (unsigned n : {0u, 1u})
      if (auto constant = reader.constant(reader.operand(e, n)))
        return splitConjuncts(reader.operand(e, 1 - n),
                              visibleWhen != (*constant != 0), conjuncts);
  // And-ed with true, or-ed with false.
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op))
    for (unsigned n : {0u, 1u})
      if (reader.constant(reader.operand(e, n)) ==
          (isa<arith::AndIOp>(op) ? 1.0 : 0.0))
        return splitConjuncts(reader.operand(e, 1 - n), visibleWhen, conjuncts);
  if ((isa_and_nonnull<arith::AndIOp>(op) && visibleWhen) ||
      (isa_and_nonnull<arith::OrIOp>(op) && !visibleWhen)) {
    splitConjuncts(reader.operand(e, 0), visibleWhen, conjuncts);
    splitConjuncts(reader.operand(e, 1), visibleWhen, conjuncts);
    return;
  }
  // A choice that is never wanted on one side must not choose that side.
  if (isa_and_nonnull<arith::SelectOp>(op))
    for (unsigned unwanted : {1u, 2u}) {
      auto constant = reader.constant(reader.operand(e, unwanted));
      if (!constant || (*constant != 0) == visibleWhen)
        continue;
      splitConjuncts(reader.operand(e, 0), unwanted == 2, conjuncts);
      splitConjuncts(reader.operand(e, 3 - unwanted), visibleWhen, conjuncts);
      return;
    }
  if (isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(op)) {
    auto bound = reader.constant(reader.operand(e, 1));
    Element compared = reader.operand(e, 0);
    auto choice = matchChoice(compared);
    if (!choice && compared.getType().isInteger(1))
      choice = Choice{compared, 1, 0};
    if (bound && choice) {
      bool whenTrue = compare(op, choice->whenTrue, *bound);
      bool whenFalse = compare(op, choice->whenFalse, *bound);
      if (whenTrue != whenFalse)
        return splitConjuncts(choice->condition, whenTrue == visibleWhen,
                              conjuncts);
      if (whenTrue == visibleWhen)
        return;
    }
  }
  conjuncts.push_back(whole);
}

AffineExpr MaskReader::reachOf(Element e, bool visibleWhen) {
  auto compare = reader.stripTo<arith::CmpIOp>(e);
  if (!compare)
    return {};
  AffineExpr lhs = reader.affine(reader.operand(e, 0));
  AffineExpr rhs = reader.affine(reader.operand(e, 1));
  if (!lhs || !rhs)
    return {};
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!visibleWhen)
    predicate = arith::invertPredicate(predicate);
  return reader.getPositions().slack(predicate, lhs, rhs);
}

std::optional<Band> MaskReader::matchComparedPositions(Element e,
                                                       bool visibleWhen) {
  AffineExpr reach = reachOf(e, visibleWhen);
  if (!reach)
    return std::nullopt;
  const Positions &all = reader.getPositions();
  AffineExpr row = all.get(positions.row), key = all.get(positions.key);
  for (int64_t sign : {1, -1})
    if (auto bound = dyn_cast<AffineConstantExpr>(
            all.simplify(reach - (row - key) * sign))) {
      // Bands are added to positions.
      if (std::abs(bound.getValue()) >= maxDynamicExtent)
        return std::nullopt;
      // row - key + bound >= 0 bounds the keys to the right.
      if (sign > 0)
        return Band{std::nullopt, bound.getValue()};
      return Band{bound.getValue(), std::nullopt};
    }
  return std::nullopt;
}

/// Where in the matrix `e`, which is indexed by row and key alone, in this
/// order, the element of row and key 0 is; nothing if it is no such matrix, or
/// does not have all of both.
std::optional<MaskReader::Corner>
MaskReader::matrixCorner(const Element &e) const {
  const Positions &all = reader.getPositions();
  const unsigned expected[] = {positions.row, positions.key};
  SmallVector<int64_t> first, extents;
  auto shape = cast<RankedTensorType>(e.value.getType()).getShape();
  for (auto [index, extent] : llvm::zip(e.at, shape)) {
    if (extent == 1)
      continue;
    if (first.size() == 2)
      return std::nullopt;
    unsigned position = expected[first.size()];
    auto offset =
        dyn_cast<AffineConstantExpr>(all.simplify(index - all.get(position)));
    // An open extent is less than any.
    if (!offset || offset.getValue() < 0 || all.extent(position) < 0 ||
        offset.getValue() + all.extent(position) > extent)
      return std::nullopt;
    first.push_back(offset.getValue());
    extents.push_back(extent);
  }
  if (first.size() != 2)
    return std::nullopt;
  return Corner{first[0] * extents[1] + first[1], extents[1]};
}

/// The band of a boolean matrix, if it is exactly one.
static std::optional<Band> findBand(int64_t rows, int64_t keys,
                                    const BitVector &isVisible) {
  Band band;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t first = keys, last = -1;
    for (int64_t j = 0; j < keys; ++j)
      if (isVisible[i * keys + j]) {
        first = std::min(first, j);
        last = j;
      }
    if (last < 0)
      return std::nullopt;
    Band row;
    if (first > 0)
      row.left = i - first;
    if (last < keys - 1)
      row.right = last - i;
    // The widest that no row contradicts is enough: it is checked below.
    if (row.left && !band.left)
      band.left = row.left;
    if (row.right && !band.right)
      band.right = row.right;
  }
  if (band.isEmpty())
    return std::nullopt;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < keys; ++j) {
      bool inside = (!band.left || j >= i - *band.left) &&
                    (!band.right || j <= i + *band.right);
      if (inside != isVisible[i * keys + j])
        return std::nullopt;
    }
  return band;
}

/// Not by way of attributes: there may be millions.
static std::optional<double> numberAt(DenseElementsAttr data, int64_t n) {
  if (isa<FloatType>(data.getElementType()))
    return FloatAttr::getValueAsDouble(data.getValues<APFloat>()[n]);
  APInt value = data.getValues<APInt>()[n];
  if (value.getBitWidth() == 1)
    return value.isZero() ? 0 : 1;
  if (value.getSignificantBits() > 53)
    return std::nullopt;
  return double(value.getSExtValue());
}

/// A matrix that is constant, by rows: which keys a row sees.
std::optional<BitVector> MaskReader::readConstantMask(const Element &e,
                                                      bool visibleWhen) {
  Element leaf = reader.strip(e);
  Operation *comparison = reader.arithmetic(leaf);
  std::optional<double> bound = 0.0;
  if (isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(comparison)) {
    bound = reader.constant(reader.operand(leaf, 1));
    leaf = reader.strip(reader.operand(leaf, 0));
  } else if (comparison) {
    return std::nullopt;
  }
  DenseElementsAttr data;
  if (!leaf.isTensor() || !matchPattern(leaf.value, m_Constant(&data)) ||
      !bound)
    return std::nullopt;
  std::optional<Corner> corner = matrixCorner(leaf);
  if (!corner)
    return std::nullopt;
  const Positions &all = reader.getPositions();
  int64_t rows = all.extent(positions.row), keys = all.extent(positions.key);
  BitVector isVisible(rows * keys);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < keys; ++j) {
      std::optional<double> value =
          numberAt(data, corner->first + i * corner->pitch + j);
      if (!value)
        return std::nullopt;
      bool holds =
          comparison ? compare(comparison, *value, *bound) : *value != 0;
      isVisible[i * keys + j] = holds == visibleWhen;
    }
  return isVisible;
}

std::optional<Band> MaskReader::matchBand(const MaskCondition &condition) {
  if (auto band =
          matchComparedPositions(condition.condition, condition.visibleWhen))
    return band;
  const Positions &all = reader.getPositions();
  if (auto isVisible =
          readConstantMask(condition.condition, condition.visibleWhen))
    return findBand(all.extent(positions.row), all.extent(positions.key),
                    *isVisible);
  return std::nullopt;
}

bool MaskReader::everyRowSeesAKey(const Band &band,
                                  ArrayRef<Attribute> shapes) const {
  if (band.isEmpty() || (band.right && *band.right < 0))
    return false;
  int64_t rows = reader.getPositions().extent(positions.row);
  int64_t keys = reader.getPositions().extent(positions.key);
  bool isKnown = !ShapedType::isDynamic(rows) && !ShapedType::isDynamic(keys);
  if (shapes.empty())
    return !band.left || (isKnown && rows - 1 - *band.left <= keys - 1);
  // Each shape lets a row see the key on its diagonal, if there is one.
  return isKnown && llvm::any_of(anchors(), [&](auto anchor) {
           auto [side, offset] = anchor;
           return offset >= 0 && rows - 1 + offset < keys &&
                  (!band.left || -*band.left <= offset) &&
                  (!band.right || offset <= *band.right) &&
                  llvm::all_of(shapes, [side = side](Attribute shape) {
                    auto chunks = dyn_cast<ChunksAttr>(shape);
                    return side == (chunks
                                        ? chunks.getAnchor()
                                        : cast<PrefixAttr>(shape).getAnchor());
                  });
         });
}
