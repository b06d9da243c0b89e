//===- KeysFirstPass.cpp - keys are fetched in front of rows --------------===//

#include "LoopPair.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_KEYSFIRSTPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// The puts in front of `rounds` in a walk over tiles, all that the walk does
/// there.
static SmallVector<PutOp> putsBefore(scf::ForOp rounds) {
  SmallVector<PutOp> puts;
  for (Operation &op : *rounds->getBlock()) {
    if (&op == rounds)
      return puts;
    if (auto put = dyn_cast<PutOp>(op))
      puts.push_back(put);
    else if (!isMemoryEffectFree(&op))
      return {};
  }
  return {};
}

/// The puts of a round: keys, then values.
static SmallVector<PutOp, 2> putsOf(scf::ForOp rounds) {
  SmallVector<PutOp, 2> puts;
  for (Operation &op : rounds.getBody()->without_terminator()) {
    if (auto put = dyn_cast<PutOp>(op))
      puts.push_back(put);
    else if (!isMemoryEffectFree(&op))
      return {};
  }
  return puts;
}

/// True if one of `first` goes into a channel that `others` go into, too: an
/// only round of whole tiles stands in front of the loop over those that are
/// cut, and its keys and values come before theirs.
static bool shareChannels(ArrayRef<PutOp> first, ArrayRef<PutOp> others) {
  return llvm::any_of(first, [&](PutOp put) {
    return llvm::any_of(others, [&](PutOp other) {
      return put.getChannel() == other.getChannel();
    });
  });
}

/// The rows of a tile are put in the first round, behind its keys.
static void putRowsBehindKeys(scf::ForOp rounds, PutOp values,
                              ArrayRef<PutOp> rows) {
  OpBuilder builder(values);
  Location loc = rounds.getLoc();
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            rounds.getInductionVar(), rounds.getLowerBound());
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  for (PutOp put : rows)
    put->moveBefore(branch.thenYield());
}

namespace {
struct KeysFirstPass : mlir::smx::gpu::impl::KeysFirstPassBase<KeysFirstPass> {
  using KeysFirstPassBase::KeysFirstPassBase;

  void runOnOperation() override {
    getOperation().walk([&](RoleOp role) {
      SmallVector<scf::ForOp> walks(role.getBody().getOps<scf::ForOp>());
      if (walks.size() != 1)
        return;
      SmallVector<scf::ForOp> loops(walks[0].getBody()->getOps<scf::ForOp>());
      if (loops.size() != 1 || !hasRounds(loops[0]))
        return;
      SmallVector<PutOp> rows = putsBefore(loops[0]);
      SmallVector<PutOp, 2> puts = putsOf(loops[0]);
      if (rows.empty() || puts.size() != 2 || shareChannels(rows, puts))
        return;
      remark::passed(
          role.getLoc(),
          remark::RemarkOpts::name("KeysFirst").category("smx-gpu-keys-first"))
          << "the first keys of a tile are fetched before its rows";
      putRowsBehindKeys(loops[0], puts[1], rows);
    });
  }
};
} // namespace
