//===- Clusters.h - blocks that meet ----------------------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_CLUSTERS_H
#define SMX_LIB_NVVM_CLUSTERS_H

#include "KernelLowering.h"

namespace mlir::smx {

/// Scratch of an smx_gpu.cluster_reduce; 0 for other ops.
int64_t clusterScratchBytes(Operation *op);

/// The two halves of a meeting of all threads of the cluster.
void arriveInCluster(ImplicitLocOpBuilder &b);
void waitForCluster(ImplicitLocOpBuilder &b);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_CLUSTERS_H
