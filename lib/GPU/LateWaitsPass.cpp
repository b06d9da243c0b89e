//===- LateWaitsPass.cpp - weights are computed under both products -------===//

#include "LoopRegisters.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_LATEWAITSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// The wait of a round for its second product, and where its result is needed.
class LateWait {
public:
  static std::optional<LateWait> match(scf::ForOp loop);
  /// Registers of a thread for tiles, if the wait is late.
  int64_t countRegisters();
  void move();
  Location getLoc() { return wait.getLoc(); }

private:
  bool isOnlyArithmetic();

  scf::ForOp loop;
  WaitOp wait;
  /// The first op that reads the sum.
  Operation *reader;
  /// The wait, and what it gives back.
  SmallVector<Operation *> moved;
};
} // namespace

std::optional<LateWait> LateWait::match(scf::ForOp loop) {
  auto waits = llvm::to_vector(loop.getBody()->getOps<WaitOp>());
  if (waits.size() != 2 || waits[0].getPending() != 1 ||
      waits[1].getPending() != 0 || waits[1]->use_empty())
    return std::nullopt;
  LateWait found;
  found.loop = loop;
  found.wait = waits[1];
  found.moved.push_back(found.wait);
  Operation *next = found.wait->getNextNode();
  for (; isa<ReleaseOp>(next); next = next->getNextNode())
    found.moved.push_back(next);
  found.reader = loop.getBody()->getTerminator();
  for (Operation *user : found.wait->getUsers()) {
    Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
    if (here->isBeforeInBlock(found.reader))
      found.reader = here;
  }
  if (found.reader == next || !found.isOnlyArithmetic())
    return std::nullopt;
  return found;
}

/// A turn that is kept would be kept for longer, and what is fetched next would
/// come later.
bool LateWait::isOnlyArithmetic() {
  for (Operation *op = moved.back()->getNextNode(); op != reader;
       op = op->getNextNode()) {
    WalkResult walk = op->walk([](Operation *inner) {
      bool isFree = isa<AnyOp, LoadOp, GatherOp, ReadOp>(inner) ||
                    inner->getNumRegions() != 0 || isMemoryEffectFree(inner);
      return isFree ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return false;
  }
  return true;
}

/// True for numbers of places alone: whoever needs them makes them again, and
/// no register holds them until then.
static bool isMadeAgain(Value value) {
  if (registersOf(value.getType()) == 0)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<PositionOp, BroadcastOp, tensor::SplatOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return llvm::all_of(op->getOperands(), isMadeAgain);
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(op->getOperands(), isMadeAgain);
}

int64_t LateWait::countRegisters() {
  int64_t count = registersOfRounds(loop);
  auto add = [&](Value value) { count += registersOf(value.getType()); };
  auto isNeededLater = [&](Operation *user) {
    Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
    return !here->isBeforeInBlock(reader);
  };
  for (Operation &op : *loop.getBody()) {
    if (isa<LoadOp, GatherOp>(op) && op.isBeforeInBlock(wait))
      add(op.getResult(0));
    if (!wait->isBeforeInBlock(&op) || !op.isBeforeInBlock(reader))
      continue;
    // What a branch asks, and what is handed on to it.
    op.walk([&](PartialReduceOp reduced) { add(reduced.getResult()); });
    for (Value result : op.getResults())
      if (!isa<PartialReduceOp>(op) && !isMadeAgain(result) &&
          llvm::any_of(result.getUsers(), isNeededLater))
        add(result);
  }
  return count;
}

void LateWait::move() {
  for (Operation *op : moved)
    op->moveBefore(reader);
}

namespace {
struct LateWaitsPass : mlir::smx::gpu::impl::LateWaitsPassBase<LateWaitsPass> {
  using LateWaitsPassBase::LateWaitsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(context, {{"reserve", reserve}});
  }

  void runOnOperation() override {
    getOperation().walk([&](RoleOp role) {
      role.walk([&](scf::ForOp loop) {
        if (std::optional<LateWait> late = LateWait::match(loop))
          visit(role, *late);
      });
    });
  }

  void visit(RoleOp role, LateWait &late) {
    auto options =
        remark::RemarkOpts::name("LateWait").category("smx-gpu-late-waits");
    int64_t needed = late.countRegisters();
    int64_t room = int64_t(role.getRegisters()) - reserve;
    if (needed > room) {
      remark::missed(late.getLoc(), options)
          << "no room for new weights beside both products: "
          << remark::metric("needed", needed) << remark::metric("room", room);
      return;
    }
    remark::passed(late.getLoc(), options)
        << "weights are computed while both products are under way: "
        << remark::metric("registers", needed);
    late.move();
  }
};
} // namespace
