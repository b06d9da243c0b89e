//===- MaskReader.h - conditions on positions -------------------*- C++ -*-===//
#ifndef SMX_RAISE_MASKREADER_H
#define SMX_RAISE_MASKREADER_H

#include "Attention.h"

#include "llvm/ADT/BitVector.h"

namespace mlir::smx {

/// `condition ? whenTrue : whenFalse`.
struct Choice {
  Element condition;
  double whenTrue, whenFalse;
};

/// A band: i - left <= j <= i + right.
struct Band {
  std::optional<int64_t> left, right;
  void intersect(const Band &other) {
    auto tighten = [](std::optional<int64_t> &side, std::optional<int64_t> by) {
      if (by)
        side = side ? std::min(*side, *by) : *by;
    };
    tighten(left, other.left);
    tighten(right, other.right);
  }
  bool isEmpty() const { return left && right && *left < -*right; }
};

class MaskReader {
public:
  MaskReader(ElementReader &reader, const ScorePositions &positions)
      : reader(reader), positions(positions) {}
  std::optional<Choice> matchChoice(Element e);
  /// Splits into conditions that all have to hold.
  void splitConjuncts(Element e, bool visibleWhen,
                      SmallVectorImpl<MaskCondition> &conjuncts);
  std::optional<Band> matchBand(const MaskCondition &condition);
  /// `#smx.chunks` or `#smx.prefix`; null if `condition` is neither.
  Attribute matchShape(const MaskCondition &condition);
  bool everyRowSeesAKey(const Band &band, ArrayRef<Attribute> shapes) const;

private:
  /// What is not negative exactly where the comparison `e` is `visibleWhen`, in
  /// terms of positions; null if it is none of them.
  AffineExpr reachOf(Element e, bool visibleWhen);
  /// By how much a row's diagonal is shifted: by nothing, or, where that is
  /// known and another one, so that the last row's ends at the last key.
  SmallVector<std::pair<Anchor, int64_t>> anchors() const;
  Attribute matchChunks(Element e, bool visibleWhen);
  Attribute matchPrefix(Element e, bool visibleWhen);
  /// The number of keys that every row sees by `condition` and no others.
  std::optional<int64_t> matchFirstKeys(const MaskCondition &condition);
  std::optional<Band> matchComparedPositions(Element e, bool visibleWhen);
  std::optional<BitVector> readConstantMask(const Element &e, bool visibleWhen);
  Attribute findShape(const BitVector &isVisible) const;
  struct Corner {
    int64_t first, pitch;
  };
  std::optional<Corner> matrixCorner(const Element &e) const;

  ElementReader &reader;
  const ScorePositions &positions;
};

} // namespace mlir::smx

#endif // SMX_RAISE_MASKREADER_H
