//===- HeldTiles.cpp - registers that nothing is known of any more --------===//
//
// Of an instruction that takes and gives the registers, LLVM knows nothing:
// what it computed from the operands does not serve for the results.
//
//===----------------------------------------------------------------------===//

#include "HeldTiles.h"
#include "Assembly.h"

namespace mlir::smx {

/// The words of 32 bits through an empty instruction.
static Value throughNothing(ThreadCode &code, Value words) {
  int64_t count = cast<VectorType>(words.getType()).getNumElements();
  SmallVector<Value> operands;
  std::string results, tied;
  for (int64_t i : llvm::seq(count)) {
    operands.push_back(code.getRegister(words, i));
    results += "=r,";
    tied += (i ? "," : "") + std::to_string(i);
  }
  SmallVector<Type> types(count, code.getI32Type());
  return code.fromRegisters(emitAssembly(code, types, operands, /*text=*/"",
                                         results + tied, Effects::Order));
}

Value holdElements(ThreadCode &code, Value elements) {
  auto type = cast<VectorType>(elements.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  auto words = VectorType::get(bits / 32, code.getI32Type());
  Value held =
      throughNothing(code, LLVM::BitcastOp::create(code, words, elements));
  return LLVM::BitcastOp::create(code, type, held);
}

namespace {
struct LowerHold : TilePattern<gpu::HoldOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::HoldOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    Value tile = adaptor.getTile();
    if (isa<gpu::SharedType>(op.getTile().getType())) {
      // What is read of it again is read by volatile accesses.
      rewriter.replaceOp(op, tile);
      return success();
    }
    auto type = cast<VectorType>(tile.getType());
    int64_t width = type.getElementTypeBitWidth(),
            bits = type.getNumElements() * width;
    if (width < 8 || bits % 32 != 0) {
      rewriter.replaceOp(op, tile);
      return success();
    }
    rewriter.replaceOp(op, holdElements(code, tile));
    return success();
  }
};
} // namespace

void populateHoldPatterns(const TileTypeConverter &converter,
                          const KernelPlan &plan, RewritePatternSet &patterns) {
  patterns.add<LowerHold>(converter, plan);
}

} // namespace mlir::smx
