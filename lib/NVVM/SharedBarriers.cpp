//===- SharedBarriers.cpp - mbarriers and copies in flight ----------------===//

#include "SharedBarriers.h"
#include "Assembly.h"
#include "SharedPlace.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::smx;

/// An instruction that orders memory and gives no result. Addresses go in as 32
/// bits, which is all that a shared one has.
static void emitInstruction(ThreadCode &code, StringRef text,
                            StringRef constraints, ValueRange operands) {
  emitAssembly(code, TypeRange(), operands, text, constraints, Effects::Memory);
}

namespace {
/// The operand of an instruction on a barrier: a register and a constant, so
/// that the barriers of one stage share the register.
struct BarrierOperand {
  BarrierOperand(ThreadCode &code, Value address) {
    SharedPlace place(address);
    constant = place.constant;
    bits = code.addressBits(
        place.distance ? code.advance(place.base, place.distance) : place.base);
  }

  /// "[$operand+constant]"
  std::string text(int64_t operand) const {
    return llvm::formatv("[${0}+{1}]", operand, constant).str();
  }

  Value bits;
  int64_t constant;
};
} // namespace

void mlir::smx::initBarrier(ThreadCode &code, Value address, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(code, address, code.i32(arrivals), Value());
}

void mlir::smx::arrive(ThreadCode &code, Value address, Value predicate) {
  BarrierOperand barrier(code, address);
  std::string text = "mbarrier.arrive.shared.b64 state, " + barrier.text(0);
  if (predicate)
    emitInstruction(code, "{ .reg .b64 state; @$1 " + text + "; }", "r,b",
                    {barrier.bits, predicate});
  else
    emitInstruction(code, "{ .reg .b64 state; " + text + "; }", "r",
                    barrier.bits);
}

void mlir::smx::arriveInBlock(ThreadCode &code, Value address, Value rank,
                              Value predicate) {
  // Said in full, `.release.cluster`, ptxas puts a fence of all memory before
  // it. What has to be over are reads by the matrix unit, which were waited
  // for.
  emitInstruction(code,
                  "{ .reg .b32 theirs; "
                  "mapa.shared::cluster.u32 theirs, $0, $1; "
                  "@$2 mbarrier.arrive.shared::cluster.b64 _, [theirs]; }",
                  "r,r,b", {code.addressBits(address), rank, predicate});
}

void mlir::smx::arriveExpecting(ThreadCode &code, Value address,
                                int64_t bytes) {
  BarrierOperand barrier(code, address);
  emitInstruction(code,
                  "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 "
                  "state, " +
                      barrier.text(0) + ", $1; }",
                  "r,r", {barrier.bits, code.i32(bytes)});
}

void mlir::smx::copyTensor(ThreadCode &code, Value to, Value map,
                           ValueRange coordinates, Value barrier, Value ranks) {
  // Upstream's op has pointers of 64 bits that go by way of generic ones: of
  // the 32 registers of a role that fetches that takes some for each tile.
  SmallVector<Value> operands{code.addressBits(to), map,
                              code.addressBits(barrier)};
  std::string constraints = "r,l,r", box;
  for (Value at : coordinates) {
    box += (box.empty() ? "$" : ", $") + std::to_string(operands.size());
    constraints += ",r";
    operands.push_back(at);
  }
  std::string kind, mask;
  if (ranks) {
    kind = ".multicast::cluster";
    mask = ", $" + std::to_string(operands.size());
    constraints += ",h";
    operands.push_back(ranks);
  }
  emitInstruction(code,
                  llvm::formatv("cp.async.bulk.tensor.{0}d.shared::cluster."
                                "global.tile.mbarrier::complete_tx::bytes{1} "
                                "[$0], [$1, {{{2}}], [$2]{3};",
                                coordinates.size(), kind, box, mask)
                      .str(),
                  constraints, operands);
}

void mlir::smx::arriveAfterCopies(ThreadCode &code, Value address) {
  // `noinc`: the barrier counts every thread that copies from the start.
  emitInstruction(code, "cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", "r",
                  code.addressBits(address));
}

void mlir::smx::waitForPhase(ThreadCode &code, Value address, Value parity,
                             bool suspends) {
  BarrierOperand barrier(code, address);
  // Labels are local to the braces, so the text may occur many times.
  std::string text = ("{ .reg .pred done; again: mbarrier." +
                      StringRef(suspends ? "try_wait" : "test_wait") +
                      ".parity.shared.b64 done, " + barrier.text(0) +
                      ", $1; @!done bra again; }")
                         .str();
  emitInstruction(code, text, "r,r", {barrier.bits, parity});
}

void mlir::smx::publishBarriers(ThreadCode &code) {
  emitInstruction(code, "fence.mbarrier_init.release.cluster;", "", {});
}

void mlir::smx::sendAnnounced(ThreadCode &code, Value value, Value address,
                              Value barrier, Value rank) {
  bool isWord = value.getType().isInteger(32);
  std::string text =
      ("{ .reg .b32 place, barrier; "
       "mapa.shared::cluster.u32 place, $0, $3; "
       "mapa.shared::cluster.u32 barrier, $1, $3; "
       "st.async.shared::cluster.mbarrier::complete_tx::bytes." +
       StringRef(isWord ? "b32" : "b64") + " [place], $2, [barrier]; }")
          .str();
  emitInstruction(
      code, text, isWord ? "r,r,r,r" : "r,r,l,r",
      {code.addressBits(address), code.addressBits(barrier), value, rank});
}

void mlir::smx::waitForPhaseOfCluster(ThreadCode &code, Value address,
                                      Value parity) {
  emitInstruction(code,
                  "{ .reg .pred done; again: mbarrier.try_wait.parity.acquire."
                  "cluster.shared::cta.b64 done, [$0], $1; @!done bra again; }",
                  "r,r", {code.addressBits(address), parity});
}

void mlir::smx::waitForCopies(ThreadCode &code) {
  emitInstruction(code, "cp.async.wait_all;", "", {});
}

void mlir::smx::commitCopies(ThreadCode &code) {
  emitInstruction(code, "cp.async.commit_group;", "", {});
}

void mlir::smx::waitForCopies(ThreadCode &code, int64_t later) {
  emitInstruction(code, ("cp.async.wait_group " + Twine(later) + ";").str(), "",
                  {});
}

void mlir::smx::fenceWritesForEngine(ThreadCode &code) {
  emitInstruction(code, "fence.proxy.async.shared::cta;", "", {});
}
