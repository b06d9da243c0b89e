//===- ExpandMathPass.cpp - math by the instructions of the GPU -----------===//

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

static constexpr double log2E = 0x1.71547652b82fep+0;
/// log2 e less its value in single precision.
static constexpr double log2ELowSingle = 0x1.4ae0cp-26;
static constexpr double ln2 = 0x1.62e42fefa39efp-1;

static bool isApproximate(arith::FastMathFlags flags) {
  return arith::bitEnumContainsAll(flags, arith::FastMathFlags::afn);
}

namespace {
/// f32 arithmetic on a scalar or vector at the builder's insertion point.
struct SingleMath {
  ImplicitLocOpBuilder &b;
  Type type;

  Value constant(double value) {
    TypedAttr attr = b.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, attr);
  }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  /// An instruction of one operand, element by element.
  Value apply(StringRef intrinsic, Value x) {
    auto name = b.getStringAttr(intrinsic);
    auto call = [&](Value element) {
      return LLVM::CallIntrinsicOp::create(b, b.getF32Type(), name, element)
          .getResult(0);
    };
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return call(x);
    Value result = LLVM::PoisonOp::create(b, type);
    for (int64_t i : llvm::seq(vector.getNumElements())) {
      Value at = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(i));
      Value element = LLVM::ExtractElementOp::create(b, x, at);
      result = LLVM::InsertElementOp::create(b, result, call(element), at);
    }
    return result;
  }
};

/// Expands an op on f32 with `expand`.
template <typename OpTy>
struct ExpandSingle : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  virtual Value expand(SingleMath &m, OpTy op) const = 0;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const final {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SingleMath m{b, op.getType()};
    Value result = expand(m, op);
    if (!result)
      return rewriter.notifyMatchFailure(op, "expanded elsewhere");
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// ex2.approx is right to 2 ulp; without .ftz below the normal range too.
struct ExpandExp2 : ExpandSingle<math::Exp2Op> {
  using ExpandSingle::ExpandSingle;
  Value expand(SingleMath &m, math::Exp2Op op) const override {
    return m.apply(isApproximate(op.getFastmath())
                       ? "llvm.nvvm.ex2.approx.ftz.f32"
                       : "llvm.nvvm.ex2.approx.f32",
                   op.getOperand());
  }
};

/// e^x = 2^t (1 + r ln 2), where t is x log2(e) as it rounds and r the rest,
/// at most 2^-17: what is left out is below 2^-34. x is limited to where the
/// result is 0 or inf anyway, so that the rest of an infinite t is no NaN.
struct ExpandExp : ExpandSingle<math::ExpOp> {
  using ExpandSingle::ExpandSingle;
  Value expand(SingleMath &m, math::ExpOp op) const override {
    if (arith::bitEnumContainsAll(op.getFastmath(),
                                  arith::FastMathFlags::contract))
      return {};
    Value x = op.getOperand(), factor = m.constant(log2E);
    if (isApproximate(op.getFastmath()))
      return m.apply("llvm.nvvm.ex2.approx.ftz.f32", m.mul(x, factor));
    x = arith::MaximumFOp::create(m.b, x, m.constant(-105));
    x = arith::MinimumFOp::create(m.b, x, m.constant(90));
    Value t = m.mul(x, factor);
    Value negative = arith::NegFOp::create(m.b, t);
    Value rest =
        m.fma(x, m.constant(log2ELowSingle), m.fma(x, factor, negative));
    Value power = m.apply("llvm.nvvm.ex2.approx.f32", t);
    return m.mul(power, m.fma(rest, m.constant(ln2), m.constant(1.0)));
  }
};

/// lg2.approx is right to 2^-22 absolutely: not enough near 1.
struct ExpandLog2 : ExpandSingle<math::Log2Op> {
  using ExpandSingle::ExpandSingle;
  Value expand(SingleMath &m, math::Log2Op op) const override {
    if (!isApproximate(op.getFastmath()))
      return {};
    return m.apply("llvm.nvvm.lg2.approx.ftz.f", op.getOperand());
  }
};

struct ExpandLog : ExpandSingle<math::LogOp> {
  using ExpandSingle::ExpandSingle;
  Value expand(SingleMath &m, math::LogOp op) const override {
    if (!isApproximate(op.getFastmath()))
      return {};
    return m.mul(m.apply("llvm.nvvm.lg2.approx.ftz.f", op.getOperand()),
                 m.constant(ln2));
  }
};

/// rsqrt.approx has a relative error below 2^-22.9.
struct ExpandRsqrt : ExpandSingle<math::RsqrtOp> {
  using ExpandSingle::ExpandSingle;
  Value expand(SingleMath &m, math::RsqrtOp op) const override {
    return m.apply(isApproximate(op.getFastmath())
                       ? "llvm.nvvm.rsqrt.approx.ftz.f"
                       : "llvm.nvvm.rsqrt.approx.f",
                   op.getOperand());
  }
};

/// What LLVM selects for NVPTX without a library, or smx-cpu-expand-math
/// expands.
bool isLowered(Operation *op) {
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

struct SmxNVVMExpandMathPass
    : smx::impl::SmxNVVMExpandMathPassBase<SmxNVVMExpandMathPass> {
  using SmxNVVMExpandMathPassBase::SmxNVVMExpandMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp2, ExpandExp, ExpandLog2, ExpandLog, ExpandRsqrt>(
        &getContext(), /*benefit=*/2);
    // Through f32, and by polynomials: what the GPU has no instruction for.
    auto isPolynomial = [](StringRef name) {
      return llvm::is_contained({"math.log", "math.log2", "math.log1p",
                                 "math.erf", "math.sin", "math.cos",
                                 "math.atan", "math.atan2", "math.expm1",
                                 "math.cbrt", "math.asin", "math.acos"},
                                name);
    };
    auto isThroughSingle = [&](StringRef name) {
      return isPolynomial(name) ||
             llvm::is_contained({"math.rsqrt", "math.sqrt", "math.powf"}, name);
    };
    populateMathF32ExpansionPatterns(patterns, isThroughSingle);
    populateMathPolynomialApproximationPatterns(patterns, isPolynomial);
    math::populateExpansionPatterns(
        patterns, {"powf", "rsqrt", "sinh", "cosh", "tan", "log10"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
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
