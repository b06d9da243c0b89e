//===- SharedBarriers.cpp - mbarriers and copies in flight ----------------===//

#include "SharedBarriers.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::smx;

/// An instruction that orders memory and gives no result. Addresses go in as 32
/// bits, which is all that a shared one has.
static void emitInstruction(ThreadCode &code, StringRef text,
                            StringRef constraints, ValueRange operands) {
  LLVM::InlineAsmOp::create(
      code, TypeRange(), operands, text,
      constraints.empty() ? "~{memory}" : (constraints + ",~{memory}").str(),
      /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
}

static Value addressBits(ThreadCode &code, Value address) {
  return LLVM::PtrToIntOp::create(code, code.getI32Type(), address);
}

void mlir::smx::initBarrier(ThreadCode &code, Value address, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(code, address, code.i32(arrivals), Value());
}

void mlir::smx::arrive(ThreadCode &code, Value address, Value predicate) {
  Value bits = addressBits(code, address);
  if (predicate)
    emitInstruction(code,
                    "{ .reg .b64 state; "
                    "@$1 mbarrier.arrive.shared.b64 state, [$0]; }",
                    "r,b", {bits, predicate});
  else
    emitInstruction(code,
                    "{ .reg .b64 state; "
                    "mbarrier.arrive.shared.b64 state, [$0]; }",
                    "r", bits);
}

void mlir::smx::arriveExpecting(ThreadCode &code, Value address,
                                int64_t bytes) {
  emitInstruction(code,
                  "{ .reg .b64 state; "
                  "mbarrier.arrive.expect_tx.shared.b64 state, [$0], $1; }",
                  "r,r", {addressBits(code, address), code.i32(bytes)});
}

void mlir::smx::arriveAfterCopies(ThreadCode &code, Value address) {
  // `noinc`: the barrier counts every thread that copies from the start.
  emitInstruction(code, "cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", "r",
                  addressBits(code, address));
}

void mlir::smx::waitForPhase(ThreadCode &code, Value address, Value parity,
                             bool suspends) {
  // Labels are local to the braces, so the text may occur many times.
  std::string text = ("{ .reg .pred done; again: mbarrier." +
                      StringRef(suspends ? "try_wait" : "test_wait") +
                      ".parity.shared.b64 done, [$0], $1; @!done bra again; }")
                         .str();
  emitInstruction(code, text, "r,r", {addressBits(code, address), parity});
}

void mlir::smx::waitForCopies(ThreadCode &code) {
  emitInstruction(code, "cp.async.wait_all;", "", {});
}

void mlir::smx::warpBarrier(ThreadCode &code) {
  NVVM::SyncWarpOp::create(code, code.i32(-1));
}
