//===- ExpandMathPass.cpp - exponentials as polynomials -------------------===//
//
// The minimax coefficients were computed with a Remez exchange on the relative
// error, the constant term (and for exp the linear one) held at exactly 1.
//
//===----------------------------------------------------------------------===//

#include "PowerOfTwo.h"

#include "smx/CPU/Exp2Polynomial.h"
#include "smx/CPU/NarrowFloats.h"
#include "smx/CPU/Passes.h"
#include "smx/IR/ScaledDifference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <cmath>

namespace mlir::smx {
#define GEN_PASS_DEF_SMXCPUEXPANDMATHPASS
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// 2^f on [-1/2, 1/2], for results of which 16 or 12 bits matter: relative
/// error 2.8e-6 and 1.0e-4.
static constexpr double exp2Short[] = {1.0, 0x1.62e12cp-1, 0x1.ec0378p-3,
                                       0x1.c9fc46p-5, 0x1.3a02ccp-7};
static constexpr double exp2Shortest[] = {1.0, 0x1.62f5fap-1, 0x1.f00c4cp-3,
                                          0x1.c2a218p-5};
/// The same in f64: 1.8e-17.
static constexpr double exp2Double[] = {1.0,
                                        0x1.62e42fefa39f3p-1,
                                        0x1.ebfbdff82c598p-3,
                                        0x1.c6b08d7048f31p-5,
                                        0x1.3b2ab6fba1e1cp-7,
                                        0x1.5d87fe7bbbe07p-10,
                                        0x1.4309130961163p-13,
                                        0x1.ffcbee3b0af8cp-17,
                                        0x1.62bfd49ed0adfp-20,
                                        0x1.b54167a0b9061p-24,
                                        0x1.e605f979c7a5dp-28,
                                        0x1.c0638527edf34p-32};

/// (e^r - 1 - r) / r^2 on [-ln 2 / 2, ln 2 / 2]; the relative error of e^r
/// is 3.1e-9 and 5.8e-22.
static constexpr double expSingle[] = {
    0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558f2p-5, 0x1.1239d4p-7, 0x1.6a244cp-10};
static constexpr double expDouble[] = {
    0x1.0000000000000p-1,  0x1.5555555555555p-3,  0x1.555555555555bp-5,
    0x1.11111111110ecp-7,  0x1.6c16c16c14278p-10, 0x1.a01a01a02c5e4p-13,
    0x1.a01a01b0aff1ep-16, 0x1.71de3a1420655p-19, 0x1.27e4c677b3ce5p-22,
    0x1.ae6521a1762e1p-26, 0x1.1f9348bcbbfe7p-29, 0x1.607cbb1c435d2p-33};

static constexpr double log2E = 0x1.71547652b82fep+0;
static constexpr double log2ELow = 0x1.777d0ffda0d24p-56;
/// ln 2 in two parts, per type: a multiple of the first is exact for every
/// exponent once fused.
static constexpr double ln2Single[] = {0x1.62e430p-1, -0x1.05c610p-29};
static constexpr double ln2Double[] = {0x1.62e42fefa39efp-1,
                                       0x1.abc9e3b398p-56};

/// The polynomial for 2^f; `bits`: how many of the result matter.
static ArrayRef<double> exp2Polynomial(const FloatMath &m, int64_t bits) {
  if (bits <= 12)
    return exp2Shortest;
  if (bits <= 16)
    return exp2Short;
  return m.isDouble() ? ArrayRef<double>(exp2Double)
                      : ArrayRef<double>(exp2Single);
}

static Value expandExp2(FloatMath &m, Value x, Subnormals subnormals,
                        int64_t bits) {
  Value argument = x;
  bool flushes = subnormals == Subnormals::Flush;
  double lowest = m.isDouble() ? -1022 : -126;
  double highest = m.isDouble() ? 1024 : 128;
  if (!m.scalesAnything())
    x = m.clamp(x, flushes ? lowest : lowest - (m.isDouble() ? 54 : 25),
                flushes ? highest : highest + 1);
  Value n = m.roundToInteger(x);
  Value f = m.sub(x, n);
  Value p = m.polynomial(f, exp2Polynomial(m, bits));
  Value result = m.scale(p, n, subnormals);
  if (!flushes || m.scalesAnything())
    return result;
  // Integer arithmetic on the exponent knows neither 0 nor NaN.
  Value isTiny = arith::CmpFOp::create(m.b, arith::CmpFPredicate::OLT, argument,
                                       m.constant(lowest));
  result = arith::SelectOp::create(m.b, isTiny, m.constant(0.0), result);
  Value isNaN =
      arith::CmpFOp::create(m.b, arith::CmpFPredicate::UNO, argument, argument);
  return arith::SelectOp::create(m.b, isNaN, argument, result);
}

/// Splits x = n ln 2 + r; returns e^r - 1 in two parts, r and the rest.
static std::pair<Value, Value> splitExp(FloatMath &m, Value x, Value &n) {
  ArrayRef<double> ln2 = m.isDouble() ? ln2Double : ln2Single;
  n = m.roundToInteger(m.mul(x, m.constant(log2E)));
  Value r = m.fma(n, m.constant(-ln2[0]), x);
  r = m.fma(n, m.constant(-ln2[1]), r);
  Value q = m.polynomial(r, m.isDouble() ? ArrayRef<double>(expDouble)
                                         : ArrayRef<double>(expSingle));
  return {r, m.mul(q, m.mul(r, r))};
}

static Value expandExp(FloatMath &m, Value x) {
  // Far outside, n ln 2 is no longer exact and the polynomial would overflow.
  x = m.isDouble() ? m.clamp(x, -746, 710) : m.clamp(x, -104.5, 89);
  Value n;
  auto [r, rest] = splitExp(m, x, n);
  Value p = m.add(m.constant(1.0), m.add(r, rest));
  return m.scale(p, n, Subnormals::Keep);
}

/// Sees through `exp(scale * (x - y))` when every step allows contraction.
static std::optional<ScaledDifference> contractedArgument(math::ExpOp op) {
  if (!arith::bitEnumContainsAll(op.getFastmath(),
                                 arith::FastMathFlags::contract))
    return std::nullopt;
  return matchScaledDifference(op.getOperand());
}

/// exp(scale (x - y)) = 2^f 2^n without rounding x - y. With L = scale log2(e)
/// and E + g = y L, E whole: f = (x L - (n + E)) - g, where the difference in
/// parentheses is a single multiply-add. Where |y| is large, x - y is exact
/// for every x whose exponential is not 0 or inf (Sterbenz), and y is
/// subtracted first.
static Value expandExpOfDifference(FloatMath &m,
                                   const ScaledDifference &argument) {
  double scale = argument.scale, high = scale * log2E, low;
  if (m.isDouble()) {
    low = std::fma(scale, log2E, -high) + scale * log2ELow;
  } else {
    double single = static_cast<float>(high);
    low = high - single;
    high = single;
  }
  // Half of this distance under- and overflows.
  double far = (m.isDouble() ? 2048 : 256) / scale;
  Value magnitude = math::AbsFOp::create(m.b, argument.y);
  Value isFar = arith::CmpFOp::create(m.b, arith::CmpFPredicate::OGE, magnitude,
                                      m.constant(far));
  Value zero = m.constant(0.0);
  Value origin = arith::SelectOp::create(m.b, isFar, argument.y, zero);
  Value near = arith::SelectOp::create(m.b, isFar, zero, argument.y);
  Value exponent = m.mul(near, m.constant(high));
  Value whole = m.roundToInteger(exponent);
  Value fraction =
      m.fma(near, m.constant(low), m.fma(near, m.constant(high), m.neg(whole)));

  Value d = m.clamp(m.sub(argument.x, origin), -2 * far, 2 * far);
  Value n = m.roundToInteger(m.fma(d, m.constant(high), m.neg(exponent)));
  Value f = m.add(m.fma(d, m.constant(high), m.neg(m.add(n, whole))),
                  m.fma(d, m.constant(low), m.neg(fraction)));
  Value p = m.polynomial(f, exp2Polynomial(m, /*bits=*/64));
  if (!m.scalesAnything())
    n = m.isDouble() ? m.clamp(n, -1100, 1100) : m.clamp(n, -160, 160);
  return m.scale(p, n, Subnormals::Keep);
}

/// tanh |x| = e / (e + 2) with e = e^(2|x|) - 1, exact near zero; |x| is
/// limited to where tanh rounds to 1.
static Value expandTanh(FloatMath &m, Value x) {
  Value magnitude = math::AbsFOp::create(m.b, x);
  magnitude = m.clamp(magnitude, 0.0, m.isDouble() ? 20.0 : 10.0);
  Value n;
  auto [r, rest] = splitExp(m, m.add(magnitude, magnitude), n);
  Value power = m.scale(m.constant(1.0), n, Subnormals::Flush);
  Value e = m.fma(power, m.add(r, rest), m.sub(power, m.constant(1.0)));
  Value result = arith::DivFOp::create(m.b, e, m.add(e, m.constant(2.0)));
  return math::CopySignOp::create(m.b, result, x);
}

namespace {
template <typename OpTy>
struct ExpandOp : OpRewritePattern<OpTy> {
  ExpandOp(MLIRContext *context, bool avx512)
      : OpRewritePattern<OpTy>(context), avx512(avx512) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto vector = dyn_cast<VectorType>(type);
    if (!isa<FloatType>(type) && !(vector && !vector.isScalable()))
      return rewriter.notifyMatchFailure(op, "not a float or fixed vector");
    Type element = getElementTypeOrSelf(type);
    if (!element.isF64() && !element.isF32() && !element.isF16() &&
        !element.isBF16())
      return rewriter.notifyMatchFailure(op, "no expansion for this float");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool isHalf = element.getIntOrFloatBitWidth() == 16;
    Type wide = type;
    Value x = op.getOperand();
    if (isHalf) {
      wide = vector ? Type(vector.clone(b.getF32Type())) : b.getF32Type();
      x = arith::ExtFOp::create(b, wide, x);
    }
    FloatMath m(b, wide, avx512);
    Value result;
    if constexpr (std::is_same_v<OpTy, math::Exp2Op>) {
      bool approximate = arith::bitEnumContainsAll(op.getFastmath(),
                                                   arith::FastMathFlags::afn);
      int64_t bits = 64;
      if (auto hint = op->template getAttrOfType<IntegerAttr>("result_bits"))
        bits = hint.getInt();
      result = expandExp2(
          m, x, approximate ? Subnormals::Flush : Subnormals::Keep, bits);
    } else if constexpr (std::is_same_v<OpTy, math::ExpOp>) {
      std::optional<ScaledDifference> argument = contractedArgument(op);
      result = argument && !isHalf ? expandExpOfDifference(m, *argument)
                                   : expandExp(m, x);
    } else {
      result = expandTanh(m, x);
    }
    if (isHalf)
      result = arith::TruncFOp::create(b, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  bool avx512;
};

/// |x| = inf, or from the least normal number to below inf: what LLVM tests as
/// a class of floats, MLIR lowers for isnan and isfinite alone.
template <typename OpTy>
struct ExpandClass : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = op.getOperand();
    const llvm::fltSemantics &semantics =
        cast<FloatType>(getElementTypeOrSelf(x)).getFloatSemantics();
    if (!APFloat::semanticsHasInf(semantics))
      return rewriter.notifyMatchFailure(op, "no infinity in the type");
    Value magnitude = math::AbsFOp::create(rewriter, loc, x);
    auto compare = [&](arith::CmpFPredicate predicate, const APFloat &limit) {
      TypedAttr value = rewriter.getFloatAttr(getElementTypeOrSelf(x), limit);
      if (auto vector = dyn_cast<VectorType>(x.getType()))
        value = DenseElementsAttr::get(vector, Attribute(value));
      return arith::CmpFOp::create(
                 rewriter, loc, predicate, magnitude,
                 arith::ConstantOp::create(rewriter, loc, value))
          .getResult();
    };
    APFloat infinity = APFloat::getInf(semantics);
    if constexpr (std::is_same_v<OpTy, math::IsInfOp>) {
      rewriter.replaceOp(op, compare(arith::CmpFPredicate::OEQ, infinity));
    } else {
      Value isFinite = compare(arith::CmpFPredicate::OLT, infinity);
      Value isLarge = compare(arith::CmpFPredicate::OGE,
                              APFloat::getSmallestNormalized(semantics));
      rewriter.replaceOpWithNewOp<arith::AndIOp>(op, isFinite, isLarge);
    }
    return success();
  }
};

struct SmxCPUExpandMathPass
    : smx::impl::SmxCPUExpandMathPassBase<SmxCPUExpandMathPass> {
  using SmxCPUExpandMathPassBase::SmxCPUExpandMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandOp<math::Exp2Op>, ExpandOp<math::ExpOp>,
                 ExpandOp<math::TanhOp>>(&getContext(), avx512);
    patterns.add<ExpandClass<math::IsInfOp>, ExpandClass<math::IsNormalOp>>(
        &getContext());
    populateNarrowFloatPatterns(patterns);
    // Whole powers: LLVM's powi takes no vector of exponents.
    math::populateExpansionPatterns(patterns, {"fpowi"});
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
