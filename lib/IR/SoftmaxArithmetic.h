//===- SoftmaxArithmetic.h - scalar arithmetic of (m, l, acc) ---*- C++ -*-===//
#ifndef SMX_LIB_IR_SOFTMAXARITHMETIC_H
#define SMX_LIB_IR_SOFTMAXARITHMETIC_H

#include "TileArithmetic.h"
#include "smx/IR/ScaledDifference.h"
#include "smx/IR/Smx.h"
#include "smx/IR/StateReaders.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

namespace mlir::smx {

/// On an update: how many bits of the weights of scores in half precision
/// matter to their sum, where that is not `bitsOfSum`. For algebras that have
/// softmax as a part.
constexpr StringLiteral bitsOfSumAttribute = "smx.bits_of_sum";

/// On an update that is a part of another algebra's: behind the states it gives
/// the guarded reference of (m', l'), and unless (m, l) is the identity that of
/// it.
constexpr StringLiteral givesReferencesAttribute = "smx.gives_references";

/// The state's own arithmetic, in its base and with its scale.
struct SoftmaxArithmetic {
  SoftmaxAlgebraAttr algebra;
  FloatType type;

  bool isBase2() const { return algebra.getBase() == ExpBase::Exp2; }
  Value times(ScalarMath m, Value x, double factor) const {
    return factor == 1.0 ? x : m.mul(x, m.constant(factor, type));
  }
  /// In base 2 the state is kept scaled: what a score is multiplied by to be
  /// comparable with the running maximum.
  double base2Factor() const {
    return algebra.getScaleValue() * llvm::numbers::log2e;
  }
  Value comparable(ScalarMath m, Value score) const {
    return isBase2() ? times(m, score, base2Factor()) : score;
  }
  /// A maximum as a reference, or -inf, as of a row in which nothing is
  /// visible: a weight is exp2(s c - fl(m c)), and of a large negative number
  /// what the rounding of m c takes away may be a power that is 0 or inf. Masks
  /// hide rows by such numbers; those that are powers of two round nothing.
  Value referenceOf(ScalarMath m, Value maximum) const {
    Value reference = comparable(m, maximum);
    if (!isBase2())
      return reference;
    // 2^100 of as many as there are is finite.
    constexpr double mostOff = 100;
    Value rounding =
        m.fma(maximum, m.constant(base2Factor(), type), m.neg(reference));
    Value isCoarse = m.greater(m.abs(rounding), m.constant(mostOff, type));
    Value hidden = m.select(isCoarse, m.neg(infinity(m)), reference);
    return m.select(m.greater(reference, m.constant(0.0, type)), reference,
                    hidden);
  }
  /// The same for a state with an accumulator, where c may be another factor
  /// for each row: 2^k, which rounds nothing, the next one that is not below c.
  ///
  ///   r = m c, or m 2^k if |m c| is above 2^28 (in f32)
  ///   weight = exp2(s c - r), or exp2(s 2^k - r) if |r| is above 2^28
  ///
  /// Beyond 2^28 scores that are not the same are 16 powers of two and more
  /// apart: by either factor a row is the average of its largest ones. r never
  /// falls as m grows. Nearer, weights are off by what r rounds, a factor of
  /// 2^8 at most, for which f16 has room.
  Value exactReferenceOf(ScalarMath m, Value maximum) const {
    Value reference = comparable(m, maximum);
    if (!isBase2())
      return reference;
    return m.select(isCoarse(m, reference), times(m, maximum, coarseFactor()),
                    reference);
  }
  /// What scores are multiplied by for a weight relative to `reference`. Only
  /// in base 2.
  Value factorFor(ScalarMath m, Value reference) const {
    return m.select(isCoarse(m, reference), m.constant(coarseFactor(), type),
                    m.constant(base2Factor(), type));
  }
  Value isCoarse(ScalarMath m, Value reference) const {
    unsigned precision = APFloat::semanticsPrecision(type.getFloatSemantics());
    return isBeyond(m, reference, std::ldexp(1.0, precision + 4));
  }
  /// |x| > limit, by two comparisons: `guarded` takes |x| of the same
  /// reference, which would otherwise be kept from the loop over tiles to the
  /// finish.
  Value isBeyond(ScalarMath m, Value x, double limit) const {
    return arith::OrIOp::create(m.b, m.loc,
                                m.greater(x, m.constant(limit, type)),
                                m.greater(m.constant(-limit, type), x));
  }
  double coarseFactor() const {
    return std::exp2(std::ceil(std::log2(base2Factor())));
  }
  /// An exact reference in units of the natural logarithm: the maximum times
  /// the scale. Of a coarse one that takes one rounding.
  Value naturalOfExact(ScalarMath m, Value reference) const {
    if (!isBase2())
      return natural(m, reference);
    Value ofCoarse =
        times(m, reference, algebra.getScaleValue() / coarseFactor());
    return m.select(isCoarse(m, reference), ofCoarse, natural(m, reference));
  }
  /// (r + k, l 2^-k) is the same state as (r, l). With k = round(log2 l)
  /// neither logarithm is large where their sum is small, whatever r leads by.
  /// Only in base 2; as they are where l has no logarithm or r may be coarse.
  std::pair<Value, Value> normalized(ScalarMath m, Value reference,
                                     Value sum) const {
    unsigned precision = APFloat::semanticsPrecision(type.getFloatSemantics());
    Value toWhole = m.constant(std::ldexp(1.5, precision - 1), type);
    Value power = times(m, m.log(sum), llvm::numbers::log2e);
    Value whole = m.sub(m.add(power, toWhole), toWhole);
    Value isLarge = arith::OrIOp::create(
        m.b, m.loc, isBeyond(m, power, std::ldexp(1.0, precision - 4)),
        isBeyond(m, reference, std::ldexp(1.0, precision + 3)));
    whole = m.select(isLarge, m.constant(0.0, type), whole);
    return {m.add(reference, whole), m.mul(sum, m.exp2(m.neg(whole)))};
  }
  /// The reference of a score that is given with its scale, in the units of
  /// `exactReferenceOf` if the state's own references are.
  Value referenceOfSink(ScalarMath m, Value sink, bool isExact) const {
    if (!isBase2())
      return times(m, sink, 1.0 / algebra.getScaleValue());
    Value reference = times(m, sink, llvm::numbers::log2e);
    if (!isExact)
      return reference;
    Value coarse = times(m, sink, coarseFactor() / algebra.getScaleValue());
    return m.select(isCoarse(m, reference), coarse, reference);
  }
  /// The next reference: the maximum of both, or still `reference` where that
  /// is at most `slack` powers of two behind; one that moves again goes about
  /// `lead` powers of two beyond `score`. A NaN in `score` is dropped.
  ///
  ///   n = |r| > 2^28 or s > 2^26 ? s : ((s + 12) + C) - (C - lead)
  ///   r' = s > r + slack ? n : r
  ///
  /// C = 3 2^27 rounds references to multiples of 32 (in f32), so that rows
  /// whose maxima are close have the same one, and move in the same round
  /// again: s is above a multiple of 32 by 8 then, the slack, and all that is
  /// above it by 4 to 36 has the same n. Coarse references, of which -inf is
  /// one, have no lead: the next one may have another factor, chosen by where
  /// it is.
  Value follow(ScalarMath m, Value score, Value reference, double slack,
               double lead) const {
    if (slack == 0)
      return m.max(score, reference);
    Value limit = m.add(reference, m.constant(slack, type));
    Value next = score;
    if (lead != 0) {
      unsigned precision =
          APFloat::semanticsPrecision(type.getFloatSemantics());
      double most = std::ldexp(1.0, precision + 2), toSteps = 6 * most;
      constexpr double shift = 12;
      Value steps = m.add(m.add(score, m.constant(shift, type)),
                          m.constant(toSteps, type));
      Value ahead = m.add(steps, m.constant(lead - toSteps, type));
      Value isAlone = arith::OrIOp::create(
          m.b, m.loc, m.greater(score, m.constant(most, type)),
          isCoarse(m, reference));
      next = m.select(isAlone, score, ahead);
    }
    return m.select(m.greater(score, limit), next, reference);
  }
  /// exp(scale * (x - y)), where the scale comes last: differences of near
  /// scores are exact, and a score that is finite does not overflow. Rounding
  /// x - y alone would cost |x - y|/2 units in the last place, so the
  /// difference may be contracted into the exponential like a product into a
  /// sum; a back end that does so never rounds it.
  Value expOfDifference(ScalarMath m, Value x, Value y) const {
    Value exponent =
        buildScaledDifference(m.b, m.loc, {x, y, algebra.getScaleValue()});
    return math::ExpOp::create(m.b, m.loc, exponent,
                               arith::FastMathFlags::contract);
  }
  static bool isHalf(Type scoreType) {
    return scoreType.getIntOrFloatBitWidth() == 16;
  }
  /// The exponential of the distance of a score, given in `scoreType`, from the
  /// reference; in base 2 one fma and one exp2. Of a score in half precision
  /// only the leading `bits` bits are asked for.
  Value weight(ScalarMath m, Value s, Value reference, Type scoreType,
               int bits) const {
    if (isBase2())
      return weight(m, s, reference, m.constant(base2Factor(), type));
    if (!isHalf(scoreType))
      return expOfDifference(m, s, reference);
    return m.exp2(times(m, m.sub(s, reference), base2Factor()), bits);
  }
  /// The same in base 2, by another factor of scores.
  Value weight(ScalarMath m, Value s, Value reference, Value factor) const {
    return m.exp2(m.fma(s, factor, m.neg(reference)));
  }
  /// How many bits of a weight matter to a sum of them, and to an element of
  /// `resultType`: a few more than it has.
  static constexpr int bitsOfSum = 16;
  static int bitsFor(Type resultType) {
    return resultType.isBF16() ? 12 : resultType.isF16() ? 16 : 24;
  }
  /// A row of precise scores may be 4 units in the last place off, and a long
  /// one more (see lib/Reference/Compare.cpp). Where it has one reference, the
  /// result alone is rounded beside a weight, which may take 3.
  static constexpr int bitsOfLongRow = bitsOfRough;
  /// Bits of weights of which only the logarithm of their sum l is asked for,
  /// where arithmetic takes the time:
  /// e^d by one product is off by at most |d| 2^-22.4, where d, the product and
  /// its factor all round. l, with e^0 among N weights, is off by at most ln N
  /// times that:
  ///
  ///   p = e^d / l,  |d| = -ln p - ln l,  sum p |d| = H(p) - ln l <= ln N
  static constexpr int bitsOfLogarithm = bitsOfProduct;
  /// Bits of weights of f32 scores that a narrower result is made of: by that
  /// product p is off by 2^-16 at most, a hundredth of what bf16 rounds by; in
  /// f16 it is 0 from |d| = 17 on.
  static constexpr int bitsOfNarrow = bitsOfProduct;
  /// True for weights in f32, to their last bits.
  bool isPrecise(Type scoreType) const {
    return !isBase2() && type.isF32() && !isHalf(scoreType);
  }
  /// True for scores of a row that is long enough for that to be faster, whose
  /// dimension of a tile is `stream`.
  bool isLongRow(Value scores, AffineMap map, unsigned stream) const {
    constexpr int64_t longRow = 2048;
    auto tile = cast<RankedTensorType>(scores.getType());
    std::optional<unsigned> dim =
        map.getResultPosition(getAffineDimExpr(stream, map.getContext()));
    return isPrecise(tile.getElementType()) && dim &&
           !tile.isDynamicDim(*dim) && tile.getDimSize(*dim) >= longRow;
  }
  /// The weight of a score that masks may hide, those that `seen` are of: -0 if
  /// one does, or for any score of -inf if they are not known. A weight that is
  /// 0 by its score is +0, and a NaN of its value counts.
  Value maskedWeight(ScalarMath m, Value s, Value weight,
                     ValueRange seen) const {
    Value mark = m.constant(-0.0, type);
    if (seen.empty())
      return m.select(m.equal(s, m.neg(infinity(m))), mark, weight);
    for (Value isSeen : seen)
      weight = m.select(isSeen, weight, mark);
    return weight;
  }
  /// The maximum of scores of which the lowest number stands for -inf.
  Value withoutLowest(ScalarMath m, Value maximum) const {
    double lowest =
        APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true)
            .convertToDouble();
    return m.select(m.equal(maximum, m.constant(lowest, type)),
                    m.neg(infinity(m)), maximum);
  }
  /// What a sum that was taken relative to `maximum` is multiplied by to be
  /// relative to `reference`.
  Value rescale(ScalarMath m, Value maximum, Value reference) const {
    return isBase2() ? m.exp2(m.sub(maximum, reference))
                     : expOfDifference(m, maximum, reference);
  }
  /// The same for a sum that may come in parts, as one of each thread. In base
  /// 2 at most 1: a maximum of +inf, whose reference is 0, leaves the sum as it
  /// is. The whole of it is +inf then, but a part may be 0, which an infinite
  /// factor would make NaN.
  Value rescaleParts(ScalarMath m, Value maximum, Value reference) const {
    if (!isBase2())
      return rescale(m, maximum, reference);
    Value distance = m.sub(maximum, reference);
    return m.exp2(m.min(distance, m.constant(0.0, type)));
  }
  /// The type in which the weights of one tile are added up: a precise f32 sum
  /// would otherwise round once for every element of a row.
  FloatType sumType(Type scoreType) const {
    return isBase2() || isHalf(scoreType) ? type
                                          : Float64Type::get(type.getContext());
  }
  /// The number of the state that loops carry in f64, if one is added up so.
  std::optional<unsigned> doubleSum(Type scoreType) const {
    return sumType(scoreType) == type ? std::nullopt
                                      : std::optional<unsigned>(1);
  }
  /// The sum of no weights, in that type, in the shape of `like`.
  Value zeroSum(OpBuilder &b, Location loc, Value like, Type scoreType) const {
    FloatType wide = sumType(scoreType);
    Value zero = ScalarMath{b, loc}.constant(0.0, wide);
    return linalg::FillOp::create(b, loc, zero, emptyLike(b, loc, like, wide))
        .getResult(0);
  }
  /// A maximum, or a difference from one, in units of the natural logarithm.
  Value natural(ScalarMath m, Value maximum) const {
    return times(m, maximum,
                 isBase2() ? llvm::numbers::ln2 : algebra.getScaleValue());
  }
  /// The distance of a score from the maximum in those units. With a scale
  /// below 1 the halves are subtracted: the difference itself may overflow
  /// where the scaled one does not.
  Value naturalDistance(ScalarMath m, Value score, Value maximum) const {
    double scale = algebra.getScaleValue();
    if (isBase2() || scale >= 1.0)
      return natural(m, m.sub(score, maximum));
    Value half = m.constant(0.5, type);
    Value distance = m.sub(m.mul(score, half), m.mul(maximum, half));
    return times(m, distance, 2 * scale);
  }
  /// `weight` (> 0) times the distance of a score as it is. No step overflows
  /// where the result does not, and in base 2 the product with the scale is not
  /// rounded, as in the weights.
  Value weightedDistance(ScalarMath m, Value score, Value maximum,
                         double weight) const {
    if (isBase2()) {
      Value powers =
          m.fma(score, m.constant(base2Factor(), type), m.neg(maximum));
      return times(m, powers, llvm::numbers::ln2 * weight);
    }
    double factor = algebra.getScaleValue() * weight;
    if (factor >= 1.0)
      return times(m, m.sub(score, maximum), factor);
    Value half = m.constant(0.5, type);
    Value distance = m.sub(m.mul(score, half), m.mul(maximum, half));
    return times(m, distance, 2 * factor);
  }
  Value infinity(ScalarMath m) const {
    return m.constant(std::numeric_limits<double>::infinity(), type);
  }
  /// The maximum, or 0 where it is infinite: inf - inf must not become NaN. A
  /// row with +inf in it then has the sum inf, one with NaN the sum NaN, and
  /// one without anything visible the sum 0.
  Value guarded(ScalarMath m, Value maximum) const {
    Value isInfinite = m.equal(m.abs(maximum), infinity(m));
    return m.select(isInfinite, m.constant(0.0, type), maximum);
  }
  /// NaN for a sum of inf: +inf in a row makes the whole row NaN, as IEEE has
  /// it for inf/inf.
  Value nanIfInfinite(ScalarMath m, Value sum, Value value) const {
    Value nan = m.constant(std::numeric_limits<double>::quiet_NaN(), type);
    return m.select(m.equal(sum, infinity(m)), nan, value);
  }
  /// 1/sum as h and what h lacks, for l = fl(sum) and h near 1/l:
  ///
  ///   1/sum = h + h (1 - h l - h (sum - l)) + ..,   what follows is h 2^-42
  std::pair<Value, Value> exactReciprocal(ScalarMath m, Value sum) const {
    Value rounded = m.cast(sum, type);
    Value inverse = reciprocal(m, rounded, arith::FastMathFlags::afn);
    Value left = m.fma(inverse, m.neg(rounded), m.constant(1.0, type));
    if (sum.getType() != type) {
      Value gained = m.sub(m.cast(rounded, sum.getType()), sum);
      left = m.fma(inverse, m.cast(gained, type), left);
    }
    return {inverse, m.mul(left, inverse)};
  }
  /// weight/sum, rounded once, from 1/sum and what that lacks.
  Value quotient(ScalarMath m, Value weight, Value reciprocal,
                 Value rest) const {
    return m.fma(weight, reciprocal, m.mul(weight, rest));
  }
  /// 1/l; 0 for a row in which nothing is visible, if that is to give 0. With
  /// `afn` it may be a few units in the last place off.
  Value
  reciprocal(ScalarMath m, Value sum,
             arith::FastMathFlags flags = arith::FastMathFlags::none) const {
    Value inverse =
        arith::DivFOp::create(m.b, m.loc, m.constant(1.0, type), sum, flags);
    inverse = nanIfInfinite(m, sum, inverse);
    if (algebra.getMaskedRow() == MaskedRow::NaN)
      return inverse;
    Value zero = m.constant(0.0, type);
    return m.select(m.equal(sum, zero), zero, inverse);
  }
};

/// True if `finish` gives the weights of the tile that `update`, which made its
/// state, has added last.
inline bool isWeightsOfTile(FinishOp finish, UpdateOp update) {
  return finish.getQuantity() == "weights" &&
         finish.getInputs()[0] == update.getInputs()[0] &&
         finish.getStates()[0] == update.getResults()[0] &&
         finish.getMaps()[finish.getStates().size()] ==
             finish.getMaps().getValue().back();
}

/// The first two states, which are softmax's, of an update by parts whose first
/// two inputs are theirs; if asked for with both references behind them.
SmallVector<Value> expandPartsOfSoftmax(OpBuilder &builder,
                                        SoftmaxAlgebraAttr softmax,
                                        UpdateOperands &update,
                                        bool givesReferences = false);

inline SoftmaxArithmetic arithmeticOf(SoftmaxAlgebraAttr algebra, Value state) {
  return {algebra, cast<FloatType>(getElementTypeOrSelf(state.getType()))};
}

} // namespace mlir::smx

#endif // SMX_LIB_IR_SOFTMAXARITHMETIC_H
