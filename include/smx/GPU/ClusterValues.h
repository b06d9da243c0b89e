//===- ClusterValues.h - numbers in each block of a cluster -----*- C++ -*-===//
#ifndef SMX_GPU_CLUSTERVALUES_H
#define SMX_GPU_CLUSTERVALUES_H

#include "mlir/IR/Value.h"

#include <optional>

namespace mlir::smx::gpu {

/// What an index is in block `rank` of a cluster, if nothing else decides it.
std::optional<int64_t> valueInBlock(Value value, int64_t rank);

/// The least and the greatest of what it is in any of so many blocks.
std::optional<std::pair<int64_t, int64_t>> rangeInBlocks(Value value,
                                                         int64_t blocks);

} // namespace mlir::smx::gpu

#endif // SMX_GPU_CLUSTERVALUES_H
