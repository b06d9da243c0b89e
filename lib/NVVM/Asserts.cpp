//===- Asserts.cpp - conditions that stop a kernel ------------------------===//
//
// A call of the driver's `__assertfail`, as `assert` in CUDA C: it prints the
// text and where it stands, and the launch fails.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::smx {

/// A pointer to `text`, which ends with a zero, in the module of `op`.
static Value stringConstant(ThreadCode &code, Operation *op, StringRef name,
                            StringRef text) {
  auto device = op->getParentOfType<mlir::gpu::GPUModuleOp>();
  auto pointer = LLVM::LLVMPointerType::get(code.getContext());
  std::string content = text.str();
  content.push_back('\0');
  auto attribute = code.getStringAttr(content);
  LLVM::GlobalOp global;
  unsigned count = 0;
  for (auto other : device.getOps<LLVM::GlobalOp>()) {
    if (!other.getSymName().starts_with(name))
      continue;
    ++count;
    if (other.getValueAttr() == attribute)
      global = other;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(code);
    code.setInsertionPointToStart(device.getBody());
    global = LLVM::GlobalOp::create(
        code, LLVM::LLVMArrayType::get(code.getI8Type(), content.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        (name + "_" + Twine(count)).str(), attribute);
  }
  return LLVM::AddressOfOp::create(code, pointer, global.getSymName());
}

static LLVM::LLVMFuncOp assertFail(ThreadCode &code, Operation *op) {
  constexpr StringLiteral name = "__assertfail";
  auto device = op->getParentOfType<mlir::gpu::GPUModuleOp>();
  if (auto known = device.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(code);
  code.setInsertionPointToStart(device.getBody());
  Type text = LLVM::LLVMPointerType::get(code.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(code.getContext()),
      {text, text, code.getI32Type(), text, code.getI64Type()});
  return LLVM::LLVMFuncOp::create(code, name, type);
}

namespace {
struct LowerAssert : TilePattern<gpu::AssertOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    auto tile = cast<RankedTensorType>(op.getHolds().getType());
    Value holds = code.getRegister(adaptor.getHolds(), 0);
    for (int64_t i : llvm::seq<int64_t>(1, gpu::getRegisterCount(tile)))
      holds = LLVM::AndOp::create(code, holds,
                                  code.getRegister(adaptor.getHolds(), i));
    Value one = LLVM::ConstantOp::create(code, code.getI1Type(), 1);
    auto place = op.getLoc()->findInstanceOf<FileLineColLoc>();
    code.when(LLVM::XOrOp::create(code, holds, one), [&] {
      LLVM::CallOp::create(
          code, assertFail(code, op),
          ValueRange{
              stringConstant(code, op, "assert_message", op.getMessage()),
              stringConstant(code, op, "assert_file",
                             place ? place.getFilename().getValue()
                                   : StringRef("<unknown>")),
              code.i32(place ? place.getLine() : 0),
              stringConstant(
                  code, op, "assert_function",
                  op->getParentOfType<FunctionOpInterface>().getName()),
              code.i64(/*bytes of a character*/ 1)});
    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateAssertPatterns(const TileTypeConverter &converter,
                            const KernelPlan &plan,
                            RewritePatternSet &patterns) {
  patterns.add<LowerAssert>(converter, plan);
}

} // namespace mlir::smx
