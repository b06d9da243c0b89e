//===- ClusterExchange.cpp - values for all blocks of a cluster -----------===//

#include "ClusterExchange.h"
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

ArrayRef<Operation *> KernelPlan::exchangesOf(Operation *kernel) const {
  auto found = exchanges.find(kernel);
  return found == exchanges.end() ? ArrayRef<Operation *>()
                                  : ArrayRef(found->second);
}

bool KernelPlan::isExchange(Operation *op) const {
  return isa<gpu::ClusterReduceOp, gpu::CollectOp>(op) &&
         barrierOffsets.contains(op);
}

void KernelPlan::addExchanges(gpu::KernelOp kernel, int64_t &bytes) {
  if (!startsCluster(kernel))
    return;
  kernel.walk([&](Operation *op) {
    if (!meetsInCluster(op) || !exchangedBytes(op))
      return;
    bytes = llvm::alignTo(bytes, barrierBytes);
    barrierOffsets[op] = bytes;
    bytes += barrierBytes;
    exchanges[kernel].push_back(op);
  });
}

void startExchanges(ThreadCode &code, const KernelPlan &plan,
                    gpu::KernelOp kernel) {
  ArrayRef<Operation *> exchanges = plan.exchangesOf(kernel);
  if (!exchanges.empty()) {
    Value isFirst = LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq,
                                         code.thread(), code.i32(0));
    code.when(isFirst, [&] {
      for (Operation *op : exchanges)
        initBarrier(code, code.shared(plan.barriers(op)), /*arrivals=*/1);
      publishBarriers(code);
      for (Operation *op : exchanges)
        arriveExpecting(code, code.shared(plan.barriers(op)),
                        *exchangedBytes(op));
    });
  }
  NVVM::ClusterArriveRelaxedOp::create(code, code.getUnitAttr());
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
