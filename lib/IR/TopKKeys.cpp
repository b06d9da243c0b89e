//===- TopKKeys.cpp - scores that carry their places ----------------------===//

#include "smx/IR/TopKKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <string>

using namespace mlir;
using namespace mlir::smx;

static constexpr int64_t placeMask = (int64_t(1) << bitsOfPlace) - 1;
/// In the place of infinity.
static constexpr double mostScore = 0x1p200;

static Value integer(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}
static Value number(OpBuilder &b, Location loc, double value, Type type) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}
static Value bitsOf(OpBuilder &b, Location loc, Value x) {
  return arith::BitcastOp::create(b, loc, b.getI64Type(), x);
}
static Value isNegative(OpBuilder &b, Location loc, Value bits) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bits,
                               integer(b, loc, 0));
}
/// The place from the bits that hold it, and the other way round.
static Value complementUnless(OpBuilder &b, Location loc, Value negative,
                              Value place) {
  Value complement =
      arith::SubIOp::create(b, loc, integer(b, loc, placeMask), place);
  return arith::SelectOp::create(b, loc, negative, place, complement);
}

Value mlir::smx::buildKey(OpBuilder &b, Location loc, Value score,
                          Value place) {
  // -0 is equal to 0.
  score = arith::AddFOp::create(b, loc, score,
                                number(b, loc, 0.0, score.getType()));
  Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(), score);
  // A NaN is not above anything.
  Value least = number(b, loc, -mostScore, b.getF64Type());
  Value most = number(b, loc, mostScore, b.getF64Type());
  Value isAbove =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, wide, least);
  wide = arith::SelectOp::create(b, loc, isAbove, wide, least);
  Value isBelow =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, wide, most);
  Value bits =
      bitsOf(b, loc, arith::SelectOp::create(b, loc, isBelow, wide, most));
  Value whole = arith::IndexCastOp::create(b, loc, b.getI64Type(), place);
  Value low = complementUnless(b, loc, isNegative(b, loc, bits), whole);
  return arith::BitcastOp::create(b, loc, b.getF64Type(),
                                  arith::OrIOp::create(b, loc, bits, low));
}

static bool isInteger(Value value, int64_t expected) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) &&
         constant.getSExtValue() == expected;
}
static bool isConstant(Value value, double expected) {
  APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) &&
         constant.isExactlyValue(expected);
}
/// x of `select(x predicate bound, x, bound)`.
static Value matchLimited(Value value, arith::CmpFPredicate predicate,
                          double bound) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  if (!compare || compare.getPredicate() != predicate ||
      compare.getLhs() != select.getTrueValue() ||
      !isConstant(compare.getRhs(), bound) ||
      !isConstant(select.getFalseValue(), bound))
    return {};
  return compare.getLhs();
}

std::optional<KeyParts> mlir::smx::matchKey(Value key) {
  auto whole = key.getDefiningOp<arith::BitcastOp>();
  auto both =
      whole ? whole.getIn().getDefiningOp<arith::OrIOp>() : arith::OrIOp();
  auto bits = both ? both.getLhs().getDefiningOp<arith::BitcastOp>()
                   : arith::BitcastOp();
  auto low =
      both ? both.getRhs().getDefiningOp<arith::SelectOp>() : arith::SelectOp();
  if (!bits || !low)
    return std::nullopt;

  auto negative = low.getCondition().getDefiningOp<arith::CmpIOp>();
  auto complement = low.getFalseValue().getDefiningOp<arith::SubIOp>();
  auto place = low.getTrueValue().getDefiningOp<arith::IndexCastOp>();
  if (!negative || negative.getPredicate() != arith::CmpIPredicate::slt ||
      negative.getLhs() != bits || !isInteger(negative.getRhs(), 0) ||
      !complement || !isInteger(complement.getLhs(), placeMask) || !place ||
      complement.getRhs() != place)
    return std::nullopt;

  Value limited =
      matchLimited(bits.getIn(), arith::CmpFPredicate::OLT, mostScore);
  limited = limited
                ? matchLimited(limited, arith::CmpFPredicate::OGT, -mostScore)
                : Value();
  auto wide =
      limited ? limited.getDefiningOp<arith::ExtFOp>() : arith::ExtFOp();
  auto score =
      wide ? wide.getIn().getDefiningOp<arith::AddFOp>() : arith::AddFOp();
  if (!score || !isConstant(score.getRhs(), 0))
    return std::nullopt;
  return KeyParts{score.getLhs(), place.getIn()};
}

Value mlir::smx::scoreOfKey(OpBuilder &b, Location loc, Value key) {
  Value bits = arith::AndIOp::create(b, loc, bitsOf(b, loc, key),
                                     integer(b, loc, ~placeMask));
  return arith::BitcastOp::create(b, loc, b.getF64Type(), bits);
}

Value mlir::smx::placeOfKey(OpBuilder &b, Location loc, Value key) {
  Value bits = bitsOf(b, loc, key);
  Value low = arith::AndIOp::create(b, loc, bits, integer(b, loc, placeMask));
  return arith::SIToFPOp::create(
      b, loc, b.getF64Type(),
      complementUnless(b, loc, isNegative(b, loc, bits), low));
}

/// `bits` of `bits & mask`.
static Value matchMasked(Value value, int64_t mask) {
  auto masked = value.getDefiningOp<arith::AndIOp>();
  return masked && isInteger(masked.getRhs(), mask) ? masked.getLhs() : Value();
}
static Value matchBits(Value bits) {
  auto bitcast =
      bits ? bits.getDefiningOp<arith::BitcastOp>() : arith::BitcastOp();
  return bitcast ? bitcast.getIn() : Value();
}

Value mlir::smx::matchScoreOfKey(Value score) {
  Value bits = matchBits(score);
  return bits ? matchBits(matchMasked(bits, ~placeMask)) : Value();
}

Value mlir::smx::matchPlaceOfKey(Value place) {
  auto number = place.getDefiningOp<arith::SIToFPOp>();
  auto whole = number ? number.getIn().getDefiningOp<arith::SelectOp>()
                      : arith::SelectOp();
  auto negative = whole ? whole.getCondition().getDefiningOp<arith::CmpIOp>()
                        : arith::CmpIOp();
  auto complement = whole ? whole.getFalseValue().getDefiningOp<arith::SubIOp>()
                          : arith::SubIOp();
  if (!negative || negative.getPredicate() != arith::CmpIPredicate::slt ||
      !isInteger(negative.getRhs(), 0) || !complement ||
      !isInteger(complement.getLhs(), placeMask) ||
      complement.getRhs() != whole.getTrueValue())
    return {};
  Value bits = matchMasked(whole.getTrueValue(), placeMask);
  return bits && bits == negative.getLhs() ? matchBits(bits) : Value();
}

static StringRef nameOf(bool isProbability, int64_t rank) {
  static const auto names = [] {
    std::array<std::array<std::string, mostTopK>, 2> names;
    for (int64_t i = 0; i < mostTopK; ++i) {
      names[0][i] = "place_" + std::to_string(i);
      names[1][i] = "probability_" + std::to_string(i);
    }
    return names;
  }();
  return names[isProbability][rank];
}

StringRef mlir::smx::probabilityOfRank(int64_t rank) {
  return nameOf(/*isProbability=*/true, rank);
}
StringRef mlir::smx::placeOfRank(int64_t rank) {
  return nameOf(/*isProbability=*/false, rank);
}

std::optional<RankedQuantity> mlir::smx::rankOfQuantity(StringRef quantity) {
  RankedQuantity result;
  result.isProbability = quantity.consume_front("probability_");
  if (!result.isProbability && !quantity.consume_front("place_"))
    return std::nullopt;
  if (quantity.getAsInteger(10, result.rank))
    return std::nullopt;
  return result;
}
