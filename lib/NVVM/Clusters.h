//===- Clusters.h - blocks that meet ----------------------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_CLUSTERS_H
#define SMX_LIB_NVVM_CLUSTERS_H

#include "KernelLowering.h"

namespace mlir::smx {

/// Scratch of an smx_gpu.cluster_reduce; 0 for other ops.
int64_t clusterScratchBytes(Operation *op);

/// Scratch of an smx_gpu.collect; 0 for other ops.
int64_t collectScratchBytes(Operation *op);

/// The address in the block of that rank (i32) of what is at `address` here.
Value inBlockOfCluster(ImplicitLocOpBuilder &b, Value address, Value rank);

/// All threads of the cluster meet, and see each other's shared memory.
void meetInCluster(ImplicitLocOpBuilder &b);

/// Meets in the cluster if another use of the scratch of `op` may not be over
/// in all blocks.
void awaitScratchOfCluster(ThreadCode &code, const KernelPlan &plan,
                           Operation *op);

/// Waits until all threads of the cluster have arrived.
void waitForCluster(ImplicitLocOpBuilder &b);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_CLUSTERS_H
