//===- Widening.cpp - numbers of 16 bits as f32 ---------------------------===//
//
// A register has two numbers of 16 bits. Which instructions widen them decides
// how many registers LLVM and ptxas take meanwhile.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::smx {

/// The tile that `value` is, in any form, if it is held apart.
static bool isHeldApart(Value value) {
  while (auto parts = value.getDefiningOp<gpu::PartsOp>())
    value = parts.getTile();
  auto hold = value.getDefiningOp<gpu::HoldOp>();
  return hold && hold.getApart();
}

/// The vector with two numbers of f32 for each word of two of 16 bits.
static Value
widenWords(ThreadCode &code, Value narrow,
           llvm::function_ref<std::pair<Value, Value>(Value pair)> widen) {
  SmallVector<Value> numbers;
  int64_t count = cast<VectorType>(narrow.getType()).getNumElements();
  for (int64_t i = 0; i < count; i += 2) {
    auto [low, high] = widen(code.getRegisters(narrow, i, 2));
    numbers.append({low, high});
  }
  return code.fromRegisters(numbers);
}

static Value wordOf(ThreadCode &code, Value pair) {
  return LLVM::BitcastOp::create(code, code.getI32Type(), pair);
}

/// A vector of such words.
static bool isOfWords(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getNumElements() % 2 == 0 &&
         vector.getElementTypeBitWidth() == 16;
}

static Value widened(ThreadCode &code, Value number) {
  return LLVM::FPExtOp::create(code, code.getF32Type(), number);
}

namespace {
/// Numbers of 16 bits that are held apart, as f32, from words whose bytes are
/// in another order: what is read of them is, to ptxas, nothing that there was.
///
///   bf16: (0, low), (0, high)     f16: (high, low), and each converted
struct LowerWideningApart : TilePattern<arith::ExtFOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = adaptor.getIn().getType();
    if (!isOfWords(from) || !getElementTypeOrSelf(op.getType()).isF32() ||
        !isHeldApart(op.getIn()))
      return rewriter.notifyMatchFailure(op, "not held apart");
    ThreadCode code(rewriter, op, plan);
    auto ofBF16 = [&](Value pair) {
      Value word = wordOf(code, pair),
            low = permuted(code, code.getF32Type(), word, "0x1044"),
            high = permuted(code, code.getF32Type(), word, "0x3244");
      return std::pair(low, high);
    };
    auto ofF16 = [&](Value pair) {
      Value swapped =
          permuted(code, code.getI32Type(), wordOf(code, pair), "0x1032");
      swapped = LLVM::BitcastOp::create(code, pair.getType(), swapped);
      Value low = widened(code, code.getRegister(swapped, 1)),
            high = widened(code, code.getRegister(swapped, 0));
      return std::pair(low, high);
    };
    bool isBF16 = getElementTypeOrSelf(from).isBF16();
    rewriter.replaceOp(op, isBF16 ? widenWords(code, adaptor.getIn(), ofBF16)
                                  : widenWords(code, adaptor.getIn(), ofF16));
    return success();
  }

private:
  /// Bytes of the word (0 to 3) and of 0 (4), lowest first from the right.
  /// LLVM would make of a permutation that it knows what it is equal to.
  static Value permuted(ThreadCode &code, Type type, Value word,
                        StringRef bytes) {
    return emitAssembly(code, type, word,
                        ("prmt.b32 $0, $1, 0, " + bytes + ";").str(),
                        type.isF32() ? "=f,r" : "=r,r", Effects::None);
  }
};

/// The upper one of a word of two numbers of bf16 as f32: its bits in place.
/// LLVM would take it out first. Where clusters hold rows, all registers are
/// taken, and it has to be left the choice: where the words' uses told instead,
/// softmax of rows from 131072 elements on was slower on an H200. But of 32
/// registers, which hold little of a row, none is left for a half of a word;
/// nor of those of columns of memory, of which blocks have fewer warps.
struct LowerWideningOfPairs : TilePattern<arith::ExtFOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = adaptor.getIn().getType();
    if (!isOfWords(from) || !getElementTypeOrSelf(from).isBF16() ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not from words of bf16 to f32");
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    ThreadCode code(rewriter, op, plan);
    constexpr int64_t fewRegisters = 32;
    auto striped =
        dyn_cast_or_null<gpu::StripedAttr>(gpu::getLayout(op.getType()));
    bool isRow = striped && striped.getRowThreads() == 1;
    if (function && isRow && code.team.launchRegisters > fewRegisters &&
        function->hasAttr(NVVM::NVVMDialect::getClusterDimAttrName()))
      return rewriter.notifyMatchFailure(op, "in a cluster");
    rewriter.replaceOp(
        op, widenWords(code, adaptor.getIn(), [&](Value pair) {
          Value low = widened(code, code.getRegister(pair, 0));
          Value high = LLVM::AndOp::create(code, wordOf(code, pair),
                                           code.i32(int32_t(0xffff0000)));
          high = LLVM::BitcastOp::create(code, code.getF32Type(), high);
          return std::pair(low, high);
        }));
    return success();
  }
};
} // namespace

void populateWideningPatterns(const TileTypeConverter &converter,
                              const KernelPlan &plan,
                              RewritePatternSet &patterns) {
  patterns.add<LowerWideningOfPairs>(converter, plan, /*benefit=*/2);
  patterns.add<LowerWideningApart>(converter, plan, /*benefit=*/3);
}

} // namespace mlir::smx
