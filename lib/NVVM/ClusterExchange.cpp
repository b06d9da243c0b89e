//===- ClusterExchange.cpp - values for all blocks of a cluster -----------===//

#include "ClusterExchange.h"
#include "Clusters.h"
#include "SharedBarriers.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

/// An mbarrier.
static constexpr int64_t barrierBytes = 8;

bool meetsInCluster(Operation *op) {
  if (isa<gpu::ClusterReduceOp>(op))
    return true;
  auto collect = dyn_cast<gpu::CollectOp>(op);
  return collect && collect.getBlocks() > 1;
}

std::optional<int64_t> exchangedBytes(Operation *op) {
  int64_t values = 0;
  for (Value operand : op->getOperands()) {
    auto tile = cast<RankedTensorType>(operand.getType());
    int64_t bytes = elementBytes(tile.getElementType());
    if (bytes != 4 && bytes != 8)
      return std::nullopt;
    values += tile.getNumElements() * bytes;
  }
  return values * op->getParentOfType<gpu::KernelOp>().getCluster();
}

ArrayRef<Exchange> KernelPlan::exchangesOf(Operation *start) const {
  return starts.find(start)->second;
}

bool KernelPlan::isExchange(Operation *op) const {
  return isa<gpu::ClusterReduceOp, gpu::CollectOp>(op) &&
         barrierOffsets.contains(op);
}

void KernelPlan::addExchanges(gpu::KernelOp kernel, int64_t &bytes) {
  if (!startsCluster(kernel))
    return;
  Operation *first = nullptr;
  SmallVector<Exchange, 2> exchanges;
  kernel.walk([&](Operation *op) {
    if (startsCluster(op) && op != kernel)
      first = op;
    if (!meetsInCluster(op))
      return;
    if (std::optional<int64_t> exchanged = exchangedBytes(op)) {
      bytes = llvm::alignTo(bytes, barrierBytes);
      barrierOffsets[op] = bytes;
      for (int64_t turn = 0; turn < (bytesOfRound(op) ? 2 : 1); ++turn) {
        exchanges.push_back({bytes, *exchanged});
        bytes += barrierBytes;
      }
    }
  });
  starts.find(kernel)->second = exchanges;
  if (first)
    starts.find(first)->second = exchanges;
}

/// What the first thread of the block executes, if there are exchanges.
static void whenFirst(ThreadCode &code, ArrayRef<Exchange> exchanges,
                      function_ref<void()> makes) {
  if (exchanges.empty())
    return;
  code.when(LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, code.thread(),
                                 code.i32(0)),
            makes);
}

void startExchanges(ThreadCode &code, const KernelPlan &plan,
                    gpu::KernelOp kernel) {
  ArrayRef<Exchange> exchanges = plan.exchangesOf(kernel);
  whenFirst(code, exchanges, [&] {
    for (Exchange exchange : exchanges)
      initBarrier(code, code.shared(exchange.barrier), /*arrivals=*/1);
    publishBarriers(code);
  });
  NVVM::ClusterArriveRelaxedOp::create(code, code.getUnitAttr());
  bool repeats = false;
  kernel.walk([&](Operation *op) { repeats |= plan.bytesOfRound(op) != 0; });
  if (repeats)
    expectExchanges(code, plan, kernel);
}

void expectExchanges(ThreadCode &code, const KernelPlan &plan,
                     Operation *first) {
  waitForCluster(code);
  ArrayRef<Exchange> exchanges = plan.exchangesOf(first);
  whenFirst(code, exchanges, [&] {
    for (Exchange exchange : exchanges)
      arriveExpecting(code, code.shared(exchange.barrier), exchange.bytes);
  });
}

/// The round's number, in the loop that the op is repeated by.
static Value roundOf(ThreadCode &code) {
  Operation *parent = code.getInsertionBlock()->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    loop = parent->getParentOfType<scf::ForOp>();
  Value round = loop.getInductionVar();
  return LLVM::TruncOp::create(code, code.getI32Type(), round);
}

Value turnOfExchange(ThreadCode &code, const KernelPlan &plan, Operation *op) {
  if (!plan.bytesOfRound(op))
    return {};
  return LLVM::AndOp::create(code, roundOf(code), code.i32(1));
}

static Value barrierOf(ThreadCode &code, const KernelPlan &plan,
                       Operation *op) {
  Value barrier = code.shared(plan.barriers(op));
  if (Value turn = turnOfExchange(code, plan, op))
    barrier = code.advance(barrier, code.mul(turn, code.i32(barrierBytes)));
  return barrier;
}

void sendToBlock(ThreadCode &code, const KernelPlan &plan, Operation *op,
                 Value value, Value address, Value rank) {
  int64_t bits = 8 * elementBytes(value.getType());
  if (auto side = dyn_cast<VectorType>(value.getType()))
    bits *= side.getNumElements();
  value = LLVM::BitcastOp::create(code, code.getIntegerType(bits), value);
  sendAnnounced(code, value, address, barrierOf(code, plan, op), rank);
}

void awaitExchange(ThreadCode &code, const KernelPlan &plan, Operation *op) {
  Value parity = code.i32(0);
  if (plan.bytesOfRound(op))
    parity = LLVM::AndOp::create(
        code, LLVM::LShrOp::create(code, roundOf(code), code.i32(1)),
        code.i32(1));
  Value barrier = barrierOf(code, plan, op);
  waitForPhaseOfCluster(code, barrier, parity);
  // For the round after the next one, to which nobody comes before this block
  // has been in the next one.
  if (plan.bytesOfRound(op))
    code.when(LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, code.thread(),
                                   code.i32(0)),
              [&] { arriveExpecting(code, barrier, plan.bytesOfRound(op)); });
}

} // namespace mlir::smx
