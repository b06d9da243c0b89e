//===- ExpandMathPass.cpp - math by the instructions of the GPU -----------===//

#include "RegisterMath.h"

#include "smx/NVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXNVVMEXPANDMATHPASS
#include "smx/NVVM/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// log2 e less its value in single precision.
static constexpr double log2ELowSingle = 0x1.4ae0cp-26;
static constexpr double ln2 = 0x1.62e42fefa39efp-1;

static bool isApproximate(arith::FastMathFlags flags) {
  return arith::bitEnumContainsAll(flags, arith::FastMathFlags::afn);
}

namespace {
/// Expands an op on f32 or f64; no value: the op is expanded elsewhere.
template <typename OpTy>
struct ExpandFloat : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  virtual Value expand(RegisterMath &m, OpTy op) const = 0;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const final {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "goes through f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RegisterMath m{b, op.getType()};
    Value result = expand(m, op);
    if (!result)
      return rewriter.notifyMatchFailure(op, "expanded elsewhere");
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// ex2.approx is right to 2 ulp; without .ftz below the normal range too.
struct ExpandExp2 : ExpandFloat<math::Exp2Op> {
  using ExpandFloat::ExpandFloat;
  Value expand(RegisterMath &m, math::Exp2Op op) const override {
    if (m.isDouble())
      return {};
    return m.apply(isApproximate(op.getFastmath())
                       ? "llvm.nvvm.ex2.approx.ftz.f32"
                       : "llvm.nvvm.ex2.approx.f32",
                   op.getOperand());
  }
};

/// e^x = 2^t + 2^t r ln 2, where t is x log2(e) as it rounds and r the rest, at
/// most 2^-17: what is left out is below 2^-34. x is limited to where the
/// result is 0 or inf anyway, so that the rest of an infinite t is no NaN; the
/// upper limit is the first number with an infinite power, and its rest is
/// positive.
struct ExpandExp : ExpandFloat<math::ExpOp> {
  using ExpandFloat::ExpandFloat;
  Value expand(RegisterMath &m, math::ExpOp op) const override {
    if (m.isDouble())
      return {};
    if (arith::bitEnumContainsAll(op.getFastmath(),
                                  arith::FastMathFlags::contract)) {
      auto bits = op->getAttrOfType<IntegerAttr>("result_bits");
      if (Value result = expandExpOfDifference(m, op.getOperand(),
                                               bits ? bits.getInt() : 24))
        return result;
    }
    Value x = op.getOperand(), factor = m.constant(log2E);
    if (isApproximate(op.getFastmath()))
      return m.apply("llvm.nvvm.ex2.approx.ftz.f32", m.mul(x, factor));
    x = arith::MaximumFOp::create(m.b, x, m.constant(-105.0));
    x = arith::MinimumFOp::create(m.b, x, m.constant(0x1.62e43p6));
    Value t = m.mul(x, factor);
    Value negative = arith::NegFOp::create(m.b, t);
    Value rest =
        m.fma(x, m.constant(log2ELowSingle), m.fma(x, factor, negative));
    Value power = m.apply("llvm.nvvm.ex2.approx.f32", t);
    return m.fma(power, m.mul(rest, m.constant(ln2)), power);
  }
};
} // namespace

/// lg2.approx is right to 2^-22 absolutely: not enough near 1.
static Value approximateLog2(RegisterMath &m, Value x) {
  return m.apply("llvm.nvvm.lg2.approx.ftz.f", x);
}

namespace {
struct ExpandLog2 : ExpandFloat<math::Log2Op> {
  using ExpandFloat::ExpandFloat;
  Value expand(RegisterMath &m, math::Log2Op op) const override {
    return isApproximate(op.getFastmath()) && !m.isDouble()
               ? approximateLog2(m, op.getOperand())
               : expandLog2(m, op.getOperand());
  }
};

struct ExpandLog : ExpandFloat<math::LogOp> {
  using ExpandFloat::ExpandFloat;
  Value expand(RegisterMath &m, math::LogOp op) const override {
    return isApproximate(op.getFastmath()) && !m.isDouble()
               ? m.mul(approximateLog2(m, op.getOperand()), m.constant(ln2))
               : expandLog(m, op.getOperand());
  }
};

struct ExpandLog10 : ExpandFloat<math::Log10Op> {
  using ExpandFloat::ExpandFloat;
  Value expand(RegisterMath &m, math::Log10Op op) const override {
    constexpr double log10E = 0x1.bcb7b1526e50ep-2;
    return m.mul(expandLog(m, op.getOperand()), m.constant(log10E));
  }
};

struct ExpandLog1p : ExpandFloat<math::Log1pOp> {
  using ExpandFloat::ExpandFloat;
  Value expand(RegisterMath &m, math::Log1pOp op) const override {
    return expandLog1p(m, op.getOperand());
  }
};

/// rsqrt.approx has a relative error below 2^-22.9.
struct ExpandRsqrt : ExpandFloat<math::RsqrtOp> {
  using ExpandFloat::ExpandFloat;
  Value expand(RegisterMath &m, math::RsqrtOp op) const override {
    if (m.isDouble())
      return m.div(m.constant(1.0), math::SqrtOp::create(m.b, op.getOperand()));
    return m.apply(isApproximate(op.getFastmath())
                       ? "llvm.nvvm.rsqrt.approx.ftz.f"
                       : "llvm.nvvm.rsqrt.approx.f",
                   op.getOperand());
  }
};

/// tanh |x| = 1 - 2 / (e^(2|x|) + 1), which loses what is below 2^-23: where
/// the result is small, an odd polynomial instead. Approximately, no result is
/// farther off than that, and the first form is all there is.
struct ExpandTanh : ExpandFloat<math::TanhOp> {
  using ExpandFloat::ExpandFloat;
  Value expand(RegisterMath &m, math::TanhOp op) const override {
    if (m.isDouble())
      return {};
    Value x = op.getOperand(), one = m.constant(1.0);
    auto farFromZero = [&](Value x) {
      Value power = m.apply("llvm.nvvm.ex2.approx.ftz.f32",
                            m.mul(x, m.constant(2 * log2E)));
      Value inverse = m.apply("llvm.nvvm.rcp.approx.ftz.f", m.add(power, one));
      return m.fma(m.constant(-2.0), inverse, one);
    };
    if (isApproximate(op.getFastmath()))
      return farFromZero(x);
    // Right to 2^-28 below 0.55.
    static constexpr double series[] = {
        -0x1.55555471a392dp-2, 0x1.110fea519bc49p-3, -0x1.b9a04438a91b4p-5,
        0x1.5d220ddccb54cp-6, -0x1.b1353866cfc6fp-8};
    Value magnitude = math::AbsFOp::create(m.b, x);
    Value square = m.mul(x, x);
    Value near = m.fma(m.mul(square, m.polynomial(square, series)), x, x);
    Value far = math::CopySignOp::create(m.b, farFromZero(magnitude), x);
    // NaN is far.
    Value isNear = m.compare(arith::CmpFPredicate::OLT, magnitude, 0.55);
    return m.select(isNear, near, far);
  }
};
} // namespace

/// What LLVM selects for NVPTX without a library, or smx-cpu-expand-math
/// expands.
static bool isLowered(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<math::ExpOp, math::Exp2Op, math::TanhOp, math::FPowIOp>(op))
    return true;
  if (isa<math::SqrtOp>(op))
    return element.isF32() || element.isF64();
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RoundOp, math::TruncOp>(op);
}

namespace {
struct SmxNVVMExpandMathPass
    : mlir::smx::impl::SmxNVVMExpandMathPassBase<SmxNVVMExpandMathPass> {
  using SmxNVVMExpandMathPassBase::SmxNVVMExpandMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp2, ExpandExp, ExpandLog2, ExpandLog, ExpandLog10,
                 ExpandLog1p, ExpandRsqrt, ExpandTanh>(&getContext(),
                                                       /*benefit=*/2);
    // Through f32, and by polynomials: what the GPU has no instruction for.
    auto isPolynomial = [](StringRef name) {
      return llvm::is_contained({"math.erf", "math.sin", "math.cos",
                                 "math.atan", "math.atan2", "math.expm1",
                                 "math.cbrt", "math.asin", "math.acos"},
                                name);
    };
    auto isThroughSingle = [&](StringRef name) {
      return isPolynomial(name) ||
             llvm::is_contained({"math.rsqrt", "math.sqrt", "math.powf",
                                 "math.log", "math.log2", "math.log10",
                                 "math.log1p"},
                                name);
    };
    populateMathF32ExpansionPatterns(patterns, isThroughSingle);
    populateMathPolynomialApproximationPatterns(patterns, isPolynomial);
    math::populateExpansionPatterns(patterns, {"powf", "sinh", "cosh", "tan"});
    // What is no maths would only be looked at, over and over.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
        ops.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
          isLowered(op))
        return;
      op->emitOpError() << "on " << getElementTypeOrSelf(op->getResult(0))
                        << " has neither an instruction nor an expansion for "
                           "the GPU; f32 may have one";
      signalPassFailure();
    });
  }
};
} // namespace
