//===- AssertionsPass.cpp - what happens when an assertion fails ----------===//

#include "smx/CPU/AssertionFailed.h"
#include "smx/CPU/Passes.h"
#include "smx/IR/SourcePlace.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXCPUASSERTIONSPASS
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;

/// "file:line:column: 'cf.assert' fails: message", as the evaluator says.
static std::string textOf(cf::AssertOp assertion) {
  std::string text = smx::placed(assertion.getLoc(),
                                 "'" + assertion->getName().getStringRef() +
                                     "' fails: " + assertion.getMsg());
  // The end of a string of C.
  text.push_back('\0');
  return text;
}

namespace {
struct AssertionsPass : smx::impl::SmxCPUAssertionsPassBase<AssertionsPass> {
  using SmxCPUAssertionsPassBase::SmxCPUAssertionsPassBase;

  void runOnOperation() override {
    SmallVector<cf::AssertOp> assertions;
    getOperation().walk(
        [&](cf::AssertOp assertion) { assertions.push_back(assertion); });
    if (assertions.empty())
      return;
    IRRewriter b(&getContext());
    FailureOr<LLVM::LLVMFuncOp> failed =
        LLVM::lookupOrCreateFn(b, getOperation(), smx::assertionFailedName,
                               {LLVM::LLVMPointerType::get(&getContext())},
                               LLVM::LLVMVoidType::get(&getContext()));
    if (llvm::failed(failed))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (cf::AssertOp assertion : assertions)
      lower(b, assertion, *failed, symbols);
  }

  static void lower(IRRewriter &b, cf::AssertOp assertion,
                    LLVM::LLVMFuncOp failed, SymbolTable &symbols) {
    Location loc = assertion.getLoc();
    std::string text = textOf(assertion);
    b.setInsertionPointToStart(failed->getBlock());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
    auto message = LLVM::GlobalOp::create(
        b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
        "assertion_text", b.getStringAttr(text));
    symbols.insert(message);

    Block *before = assertion->getBlock();
    Block *after = b.splitBlock(before, std::next(assertion->getIterator()));
    b.createBlock(after);
    Value address = LLVM::AddressOfOp::create(b, loc, message);
    LLVM::CallOp::create(b, loc, failed, address);
    LLVM::UnreachableOp::create(b, loc);
    Block *otherwise = b.getInsertionBlock();
    b.setInsertionPoint(assertion);
    b.replaceOpWithNewOp<cf::CondBranchOp>(assertion, assertion.getArg(), after,
                                           otherwise);
  }
};
} // namespace
