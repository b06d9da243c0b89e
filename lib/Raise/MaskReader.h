//===- MaskReader.h - conditions on positions -------------------*- C++ -*-===//
#ifndef SMX_RAISE_MASKREADER_H
#define SMX_RAISE_MASKREADER_H

#include "Attention.h"

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
  bool everyRowSeesAKey(const Band &band) const;

private:
  std::optional<Band> matchComparedPositions(Element e, bool visibleWhen);
  std::optional<Band> matchConstantMask(const Element &e, bool visibleWhen);
  bool isMatrix(const Element &e) const;

  ElementReader &reader;
  const ScorePositions &positions;
};

} // namespace mlir::smx

#endif // SMX_RAISE_MASKREADER_H
