//===- ClusterExchange.cpp - values for all blocks of a cluster -----------===//

#include "ClusterExchange.h"
#include "Clusters.h"
#include "SharedBarriers.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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
    int64_t bytes = bytesOfElement(tile.getElementType());
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
      exchanges.push_back({bytes, *exchanged});
      bytes += barrierBytes;
    }
  });
  starts.find(kernel)->second = starts.find(first)->second = exchanges;
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

void sendToBlock(ThreadCode &code, const KernelPlan &plan, Operation *op,
                 Value value, Value address, Value rank) {
  int64_t bits = value.getType().getIntOrFloatBitWidth();
  value = LLVM::BitcastOp::create(code, code.getIntegerType(bits), value);
  sendAnnounced(code, value, address, code.shared(plan.barriers(op)), rank);
}

void awaitExchange(ThreadCode &code, const KernelPlan &plan, Operation *op) {
  waitForPhaseOfCluster(code, code.shared(plan.barriers(op)), code.i32(0));
}

} // namespace mlir::smx
