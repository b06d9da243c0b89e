//===- Elementwise.cpp - constants and arithmetic on tiles ----------------===//
//
// Arithmetic on tiles becomes the same arithmetic on the vectors of registers.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "ThreadAddresses.h"

#include "smx/CPU/NarrowFloats.h"
#include "smx/NVVM/Chip.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx {

namespace {
struct LowerConstant : ConvertOpToLLVMPattern<arith::ConstantOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "not a scalar or register tile");
    Attribute value = op.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = splat.getSplatValue<Attribute>();
    else if (isa<ElementsAttr>(value))
      return op.emitOpError()
             << "expected a register tile with one value in all places";
    if (auto integer = dyn_cast<IntegerAttr>(value))
      value = rewriter.getIntegerAttr(getElementTypeOrSelf(type),
                                      integer.getValue());
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, value);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast<TypedAttr>(value));
    return success();
  }
};

struct LowerTileSplat : ConvertOpToLLVMPattern<tensor::SplatOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tensor::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<VectorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!type)
      return rewriter.notifyMatchFailure(op, "not a register tile");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value zero = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(0));
    Value one = LLVM::InsertElementOp::create(
        b, LLVM::PoisonOp::create(b, type), adaptor.getInput(), zero);
    SmallVector<int32_t> lanes(type.getNumElements(), 0);
    rewriter.replaceOpWithNewOp<LLVM::ShuffleVectorOp>(op, one, one, lanes);
    return success();
  }
};

/// An op of arith or math on the converted types. It stays what it is, so that
/// math can be expanded on vectors afterwards.
struct RebuildOnRegisters : ConversionPattern {
  RebuildOnRegisters(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::ConstantOp>(op))
      return rewriter.notifyMatchFailure(op, "not arithmetic");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "no type for the registers");
    Operation *rebuilt =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                        types, op->getAttrs());
    rewriter.replaceOp(op, rebuilt);
    return success();
  }
};
} // namespace

/// Two numbers of f8E4M3FN as two of f16, by one instruction.
static Value widenPair(ThreadCode &code, Value pair) {
  Value word = LLVM::BitcastOp::create(code, code.getI16Type(), pair);
  Value halves =
      emitAssembly(code, code.getI32Type(), word, "cvt.rn.f16x2.e4m3x2 $0, $1;",
                   "=r,h", Effects::None);
  return LLVM::BitcastOp::create(code, VectorType::get(2, code.getF16Type()),
                                 halves);
}

namespace {
/// Tiles of f8E4M3FN are integers here.
struct LowerNarrowExtension : TilePattern<arith::ExtFOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<Float8E4M3FNType>(getElementTypeOrSelf(op.getIn().getType())))
      return rewriter.notifyMatchFailure(op, "not from f8E4M3FN");
    Type to = getTypeConverter()->convertType(op.getType());
    Value codes = adaptor.getIn();
    auto vector = dyn_cast<VectorType>(codes.getType());
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (!chipOf(op).widensF8() || !vector || vector.getNumElements() % 2) {
      rewriter.replaceOp(op, widenF8E4M3FN(b, codes, to));
      return success();
    }
    ThreadCode code(rewriter, op, plan);
    SmallVector<Value> halves;
    for (int64_t i = 0; i < vector.getNumElements(); i += 2)
      halves.push_back(widenPair(code, code.getRegisters(codes, i, 2)));
    Value result = code.fromVectors(halves);
    // Both have all numbers of f8E4M3FN: by way of f32 to bf16.
    Type single = vector.clone(b.getF32Type());
    if (result.getType() != to && getElementTypeOrSelf(to).isBF16())
      result = arith::TruncFOp::create(
          b, to, arith::ExtFOp::create(b, single, result));
    else if (result.getType() != to)
      result = arith::ExtFOp::create(b, to, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// In integer arithmetic: the instruction gives the largest number for what is
/// too large.
struct LowerNarrowTruncation : TilePattern<arith::TruncFOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<Float8E4M3FNType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "not to f8E4M3FN");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, narrowToF8E4M3FN(b, adaptor.getIn()));
    return success();
  }
};

/// What a branch gives as words of two numbers of 16 bits. LLVM would convert
/// what comes from both sides behind them, and what one side needs there: until
/// then it takes twice as many registers, and no exponential hides it.
struct LowerNarrowingInBranch : TilePattern<arith::TruncFOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    auto from = dyn_cast<VectorType>(adaptor.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!branch || branch.getNumResults() == 0 || !from ||
        !from.getElementType().isF32() || from.getNumElements() % 2 ||
        !(to.isF16() || to.isBF16()))
      return rewriter.notifyMatchFailure(op, "not to words, or in no branch");
    ThreadCode code(rewriter, op, plan);
    auto pair = VectorType::get(2, to);
    SmallVector<Value> pairs;
    for (int64_t i = 0; i < from.getNumElements(); i += 2) {
      Value low = code.getRegister(adaptor.getIn(), i),
            high = code.getRegister(adaptor.getIn(), i + 1);
      Value word = emitAssembly(code, code.getI32Type(), {high, low},
                                to.isF16() ? "cvt.rn.f16x2.f32 $0, $1, $2;"
                                           : "cvt.rn.bf16x2.f32 $0, $1, $2;",
                                "=r,f,f", Effects::Order);
      pairs.push_back(LLVM::BitcastOp::create(code, pair, word));
    }
    rewriter.replaceOp(op, code.fromVectors(pairs));
    return success();
  }
};

/// A constant instead of some numbers of 16 bits: two are a word, of which the
/// halves are never registers of their own.
struct LowerNarrowSelect : TilePattern<arith::SelectOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(adaptor.getTrueValue().getType());
    if (!type || type.getNumElements() % 2 ||
        type.getElementTypeBitWidth() != 16 ||
        !matchPattern(op.getFalseValue(), m_Constant()) ||
        !isa<VectorType>(adaptor.getCondition().getType()))
      return rewriter.notifyMatchFailure(op, "not of words");
    ThreadCode code(rewriter, op, plan);
    auto wordOf = [&](Value tile, int64_t i) -> Value {
      return LLVM::BitcastOp::create(code, code.getI32Type(),
                                     code.getRegisters(tile, i, 2));
    };
    auto bitsWhere = [&](int64_t i, int32_t bits) -> Value {
      return LLVM::SelectOp::create(code,
                                    code.getRegister(adaptor.getCondition(), i),
                                    code.i32(bits), code.i32(0));
    };
    SmallVector<Value> pairs;
    for (int64_t i = 0; i < type.getNumElements(); i += 2) {
      Value kept = LLVM::OrOp::create(code, bitsWhere(i, 0x0000ffff),
                                      bitsWhere(i + 1, 0xffff0000));
      Value rest = LLVM::XOrOp::create(code, kept, code.i32(-1));
      Value word = LLVM::OrOp::create(
          code,
          LLVM::AndOp::create(code, wordOf(adaptor.getTrueValue(), i), kept),
          LLVM::AndOp::create(code, wordOf(adaptor.getFalseValue(), i), rest));
      pairs.push_back(LLVM::BitcastOp::create(
          code, VectorType::get(2, type.getElementType()), word));
    }
    rewriter.replaceOp(op, code.fromVectors(pairs));
    return success();
  }
};

/// index is i64 from here on: the cast to another width is one between
/// integers.
template <typename OpTy, typename Widen>
struct LowerIndexCast : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  using OpAdaptor = typename OpTy::Adaptor;

  LogicalResult
  matchAndRewrite(OpTy op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    Value in = adaptor.getIn();
    unsigned from = getElementTypeOrSelf(in).getIntOrFloatBitWidth(),
             to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (from == to)
      rewriter.replaceOp(op, in);
    else if (from < to)
      rewriter.replaceOpWithNewOp<Widen>(op, type, in);
    else
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, in);
    return success();
  }
};
} // namespace

void populateElementwisePatterns(const TileTypeConverter &converter,
                                 const KernelPlan &plan,
                                 RewritePatternSet &patterns) {
  patterns.add<LowerNarrowExtension, LowerNarrowTruncation,
               LowerNarrowingInBranch, LowerNarrowSelect>(converter, plan,
                                                          /*benefit=*/2);
  patterns.add<RebuildOnRegisters>(converter, patterns.getContext());
  patterns
      .add<LowerConstant, LowerIndexCast<arith::IndexCastOp, arith::ExtSIOp>,
           LowerIndexCast<arith::IndexCastUIOp, arith::ExtUIOp>>(converter,
                                                                 /*benefit=*/2);
  patterns.add<LowerTileSplat>(converter);
}

} // namespace mlir::smx
