//===- NarrowFloats.cpp - floats of few bits in integer arithmetic --------===//
//
// f8E4M3FN has a sign, 4 bits of exponent with a bias of 7 and 3 of
// significand: its 7 bits under the sign, at the end of f32's exponent, are a
// number of f32 once the biases' difference is added to the exponent.
//
//===----------------------------------------------------------------------===//

#include "smx/CPU/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// Words of 32 bits and numbers of f32 in the shape of a value.
struct Words {
  Words(ImplicitLocOpBuilder &b, Value like) : b(b), like(like.getType()) {}

  Type of(Type element) const {
    auto vector = dyn_cast<VectorType>(like);
    return vector ? Type(vector.clone(element)) : element;
  }
  Type words() const { return of(b.getI32Type()); }
  Type single() const { return of(b.getF32Type()); }
  Value word(int64_t value) const {
    return constant(b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value number(float value) const { return constant(b.getF32FloatAttr(value)); }
  Value bitsOf(Value numbers) const {
    return arith::BitcastOp::create(b, words(), numbers);
  }
  Value numbersOf(Value bits) const {
    return arith::BitcastOp::create(b, single(), bits);
  }

private:
  Value constant(TypedAttr value) const {
    if (isa<VectorType>(like))
      value =
          DenseElementsAttr::get(cast<ShapedType>(of(value.getType())), value);
    return arith::ConstantOp::create(b, value);
  }

  ImplicitLocOpBuilder &b;
  Type like;
};
} // namespace

Value mlir::smx::widenF8E4M3FN(ImplicitLocOpBuilder &b, Value codes, Type to) {
  const Words w(b, codes);
  Type words = w.words();
  auto word = [&](int64_t value) { return w.word(value); };

  Value code = arith::ExtUIOp::create(b, words, codes);
  Value magnitude = arith::ShLIOp::create(
      b, arith::AndIOp::create(b, code, word(0x7f)), word(20));
  Value sign = arith::ShLIOp::create(
      b, arith::AndIOp::create(b, code, word(0x80)), word(24));
  // A normal number: the exponent's bias is 127 and not 7.
  Value normal = arith::AddIOp::create(b, magnitude, word(120LL << 23));
  // A denormal one is 2^-6 m/8. With 2^-6 as its exponent it reads
  // 2^-6 (1 + m/8): the difference from 2^-6 is exact, and 0 or normal.
  Value shifted =
      w.numbersOf(arith::AddIOp::create(b, magnitude, word(121LL << 23)));
  Value denormal =
      w.bitsOf(arith::SubFOp::create(b, shifted, w.number(0x1p-6f)));
  auto is = [&](arith::CmpIPredicate predicate, int64_t bound) -> Value {
    return arith::CmpIOp::create(b, predicate, magnitude, word(bound));
  };
  Value bits = arith::SelectOp::create(
      b, is(arith::CmpIPredicate::ult, 1LL << 23), denormal, normal);
  bits = arith::SelectOp::create(b, is(arith::CmpIPredicate::eq, 0x7fLL << 20),
                                 word(0x7fc00000), bits);
  bits = arith::OrIOp::create(b, bits, sign);

  // bf16 is the upper half of f32, and the lower one is 0.
  if (getElementTypeOrSelf(to).isBF16()) {
    Value upper = arith::TruncIOp::create(
        b, w.of(b.getI16Type()), arith::ShRUIOp::create(b, bits, word(16)));
    return arith::BitcastOp::create(b, to, upper);
  }
  Value result = w.numbersOf(bits);
  if (getElementTypeOrSelf(to).isF16())
    return arith::TruncFOp::create(b, to, result);
  if (getElementTypeOrSelf(to).isF64())
    return arith::ExtFOp::create(b, to, result);
  return result;
}

/// f64 as f32, rounded to odd where that is not exact, so that another rounding
/// of it is the only one that counts.
static Value roundToOdd(ImplicitLocOpBuilder &b, Value x) {
  const Words w(b, x);
  Value near = arith::TruncFOp::create(b, w.single(), x);
  Value back = arith::ExtFOp::create(b, x.getType(), near);
  Value word = w.bitsOf(near);
  Value isTooLong = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT,
                                          math::AbsFOp::create(b, back),
                                          math::AbsFOp::create(b, x));
  // The odd one of the two around x, of which an even one is the nearest.
  Value odd = arith::SelectOp::create(b, isTooLong,
                                      arith::SubIOp::create(b, word, w.word(1)),
                                      arith::OrIOp::create(b, word, w.word(1)));
  Value isEven = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, arith::AndIOp::create(b, word, w.word(1)),
      w.word(0));
  Value isInexact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, x);
  word = arith::SelectOp::create(b, arith::AndIOp::create(b, isEven, isInexact),
                                 odd, word);
  return w.numbersOf(word);
}

Value mlir::smx::narrowToF8E4M3FN(ImplicitLocOpBuilder &b, Value numbers) {
  const Words w(b, numbers);
  unsigned width =
      getElementTypeOrSelf(numbers.getType()).getIntOrFloatBitWidth();
  if (width < 32)
    numbers = arith::ExtFOp::create(b, w.single(), numbers);
  else if (width > 32)
    numbers = roundToOdd(b, numbers);
  Value bits = w.bitsOf(numbers);
  Value magnitude = arith::AndIOp::create(b, bits, w.word(0x7fffffff));
  // A normal code has 20 bits less: half of them are added, and one less where
  // the last bit that stays is 0.
  Value last = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, magnitude, w.word(20)), w.word(1));
  Value rounded = arith::AddIOp::create(
      b, arith::AddIOp::create(b, magnitude, w.word(0x7ffff)), last);
  Value normal = arith::SubIOp::create(
      b, arith::ShRUIOp::create(b, rounded, w.word(20)), w.word(120 << 3));
  // A denormal one is a multiple of 2^-9, which is the last bit of 2^14.
  Value shifted =
      arith::AddFOp::create(b, w.numbersOf(magnitude), w.number(0x1p14f));
  Value denormal =
      arith::SubIOp::create(b, w.bitsOf(shifted), w.bitsOf(w.number(0x1p14f)));
  auto is = [&](arith::CmpIPredicate predicate, Value x, int64_t bound) {
    return arith::CmpIOp::create(b, predicate, x, w.word(bound));
  };
  Value code = arith::SelectOp::create(
      b, is(arith::CmpIPredicate::ult, magnitude, 121LL << 23), denormal,
      normal);
  code = arith::SelectOp::create(b, is(arith::CmpIPredicate::ugt, code, 0x7e),
                                 w.word(0x7f), code);
  Value sign = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, bits, w.word(24)), w.word(0x80));
  return arith::TruncIOp::create(b, w.of(b.getI8Type()),
                                 arith::OrIOp::create(b, code, sign));
}

namespace {
/// f64 to bf16, for which LLVM calls a function that there is not.
struct NarrowF64ToBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isF64() ||
        !getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not from f64 to bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                 roundToOdd(b, op.getIn()));
    return success();
  }
};

struct NarrowToF8E4M3FN : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type to = op.getType();
    if (!isa<Float8E4M3FNType>(getElementTypeOrSelf(to)))
      return rewriter.notifyMatchFailure(op, "not to f8E4M3FN");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(
        op, to, narrowToF8E4M3FN(b, op.getIn()));
    return success();
  }
};

struct WidenF8E4M3FN : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    if (!isa<Float8E4M3FNType>(getElementTypeOrSelf(from)))
      return rewriter.notifyMatchFailure(op, "not from f8E4M3FN");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type bytes = b.getI8Type();
    if (auto vector = dyn_cast<VectorType>(from))
      bytes = vector.clone(bytes);
    Value codes = arith::BitcastOp::create(b, bytes, op.getIn());
    rewriter.replaceOp(op, widenF8E4M3FN(b, codes, op.getType()));
    return success();
  }
};
} // namespace

void mlir::smx::populateNarrowFloatPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowF64ToBF16, NarrowToF8E4M3FN, WidenF8E4M3FN>(
      patterns.getContext());
}
