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
    auto from = dyn_cast<VectorType>(adaptor.getIn().getType());
    if (!from || from.getNumElements() % 2 ||
        from.getElementTypeBitWidth() != 16 ||
        !getElementTypeOrSelf(op.getType()).isF32() || !isHeldApart(op.getIn()))
      return rewriter.notifyMatchFailure(op, "not held apart");
    ThreadCode code(rewriter, op, plan);
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < from.getNumElements(); i += 2) {
      Value word = LLVM::BitcastOp::create(
          code, code.getI32Type(), code.getRegisters(adaptor.getIn(), i, 2));
      if (from.getElementType().isBF16()) {
        numbers.push_back(permuted(code, code.getF32Type(), word, "0x1044"));
        numbers.push_back(permuted(code, code.getF32Type(), word, "0x3244"));
        continue;
      }
      Value swapped = LLVM::BitcastOp::create(
          code, VectorType::get(2, from.getElementType()),
          permuted(code, code.getI32Type(), word, "0x1032"));
      for (int64_t half : {1, 0})
        numbers.push_back(LLVM::FPExtOp::create(
            code, code.getF32Type(), code.getRegister(swapped, half)));
    }
    rewriter.replaceOp(op, code.fromRegisters(numbers));
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
/// registers, which hold little of a row, none is left for a half of a word.
struct LowerWideningOfPairs : TilePattern<arith::ExtFOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto from = dyn_cast<VectorType>(adaptor.getIn().getType());
    if (!from || from.getNumElements() % 2 || !from.getElementType().isBF16() ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not from words of bf16 to f32");
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    ThreadCode code(rewriter, op, plan);
    constexpr int64_t fewRegisters = 32;
    if (function && code.team.launchRegisters > fewRegisters &&
        function->hasAttr(NVVM::NVVMDialect::getClusterDimAttrName()))
      return rewriter.notifyMatchFailure(op, "in a cluster");
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < from.getNumElements(); i += 2) {
      Value pair = code.getRegisters(adaptor.getIn(), i, 2);
      numbers.push_back(LLVM::FPExtOp::create(code, code.getF32Type(),
                                              code.getRegister(pair, 0)));
      Value word = LLVM::BitcastOp::create(code, code.getI32Type(), pair);
      Value upper =
          LLVM::AndOp::create(code, word, code.i32(int32_t(0xffff0000)));
      numbers.push_back(
          LLVM::BitcastOp::create(code, code.getF32Type(), upper));
    }
    rewriter.replaceOp(op, code.fromRegisters(numbers));
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
