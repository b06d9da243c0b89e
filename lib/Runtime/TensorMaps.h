//===- TensorMaps.h - maps of the arguments of a launch ---------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_TENSORMAPS_H
#define SMX_LIB_RUNTIME_TENSORMAPS_H

#include "smx/CUDA/TensorMap.h"
#include "smx/NVVM/TensorMapUse.h"

namespace smx {

/// The map that a kernel uses of a memref at `address`, whose offset, sizes and
/// strides (in elements) are `layout`. An error names the argument.
llvm::Expected<cuda::TensorMap>
encodeTensorMap(const cuda::Device &device, const mlir::smx::TensorMapUse &use,
                uint64_t address, llvm::ArrayRef<int64_t> layout);

} // namespace smx

#endif // SMX_LIB_RUNTIME_TENSORMAPS_H
