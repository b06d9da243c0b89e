//===- ClusterExchange.h - values for all blocks of a cluster ---*- C++ -*-===//
//
// Values that every block of a cluster writes to the scratch of all of them. A
// meeting of the cluster would order all memory of its threads; instead each
// value says at an mbarrier of the block that it goes to that it is there. A
// barrier has one phase, and serves an op that is executed once; or, of one in
// a loop over rounds, two barriers and two scratches take turns. A block sends
// for round r + 2 when all blocks have sent for r + 1, before which all of
// their threads have met and so have read what came in round r.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_CLUSTEREXCHANGE_H
#define SMX_LIB_NVVM_CLUSTEREXCHANGE_H

#include "KernelLowering.h"

namespace mlir::smx {

/// The op has values for all blocks of the cluster of its kernel.
bool meetsInCluster(Operation *op);

/// Bytes that the op brings into the scratch of one block; none where an
/// element is not of 4 or 8 bytes, which alone can be announced.
std::optional<int64_t> exchangedBytes(Operation *op);

/// At the start of the kernel: makes its barriers, and says to the cluster that
/// the block has started. Whoever waits for the cluster then sees both.
void startExchanges(ThreadCode &code, const KernelPlan &plan,
                    gpu::KernelOp kernel);

/// Before `first`, the first op to meet in the cluster: waits until all blocks
/// have started, and says how many bytes are to come. Some may be there before
/// that is said: a phase does not end without this arrival.
void expectExchanges(ThreadCode &code, const KernelPlan &plan,
                     Operation *first);

/// 0 or 1 (i32), by turns: which barrier and scratch a repeated exchange has in
/// this round; null for others.
Value turnOfExchange(ThreadCode &code, const KernelPlan &plan, Operation *op);

/// Writes `value` to `address` of the block of that rank (i32), and announces
/// it at the barrier of `op`.
void sendToBlock(ThreadCode &code, const KernelPlan &plan, Operation *op,
                 Value value, Value address, Value rank);

/// Waits until all values of `op` are in the scratch of this block.
void awaitExchange(ThreadCode &code, const KernelPlan &plan, Operation *op);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_CLUSTEREXCHANGE_H
