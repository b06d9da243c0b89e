//===- NarrowFloats.cpp - floats of 8 bits in integer arithmetic ----------===//
//
// f8E4M3FN has a sign, 4 bits of exponent with a bias of 7 and 3 of
// significand: its 7 bits under the sign, at the end of f32's exponent, are a
// number of f32 once the biases' difference is added to the exponent.
//
//===----------------------------------------------------------------------===//

#include "smx/CPU/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::smx;

Value mlir::smx::widenF8E4M3FN(ImplicitLocOpBuilder &b, Value codes, Type to) {
  auto like = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(codes.getType());
    return vector ? Type(vector.clone(element)) : element;
  };
  Type words = like(b.getI32Type()), single = like(b.getF32Type());
  auto constant = [&](TypedAttr value, Type type) -> Value {
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, value);
    return arith::ConstantOp::create(b, value);
  };
  auto word = [&](int64_t value) {
    return constant(b.getI32IntegerAttr(static_cast<int32_t>(value)), words);
  };

  Value code = arith::ExtUIOp::create(b, words, codes);
  Value magnitude = arith::ShLIOp::create(
      b, arith::AndIOp::create(b, code, word(0x7f)), word(20));
  Value sign = arith::ShLIOp::create(
      b, arith::AndIOp::create(b, code, word(0x80)), word(24));
  // A normal number: the exponent's bias is 127 and not 7.
  Value normal = arith::AddIOp::create(b, magnitude, word(120LL << 23));
  // A denormal one is 2^-6 m/8. With 2^-6 as its exponent it reads
  // 2^-6 (1 + m/8): the difference from 2^-6 is exact, and 0 or normal.
  Value shifted = arith::BitcastOp::create(
      b, single, arith::AddIOp::create(b, magnitude, word(121LL << 23)));
  Value denormal = arith::BitcastOp::create(
      b, words,
      arith::SubFOp::create(b, shifted,
                            constant(b.getF32FloatAttr(0x1p-6f), single)));
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
        b, like(b.getI16Type()), arith::ShRUIOp::create(b, bits, word(16)));
    return arith::BitcastOp::create(b, to, upper);
  }
  Value result = arith::BitcastOp::create(b, single, bits);
  if (getElementTypeOrSelf(to).isF16())
    return arith::TruncFOp::create(b, to, result);
  if (getElementTypeOrSelf(to).isF64())
    return arith::ExtFOp::create(b, to, result);
  return result;
}

namespace {
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
  patterns.add<WidenF8E4M3FN>(patterns.getContext());
}
