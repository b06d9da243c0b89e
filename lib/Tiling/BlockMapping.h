//===- BlockMapping.h - loops over blocks of threads ------------*- C++ -*-===//
#ifndef SMX_LIB_TILING_BLOCKMAPPING_H
#define SMX_LIB_TILING_BLOCKMAPPING_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::smx {

/// Blocks are numbered along so many dimensions at most.
inline constexpr unsigned mostBlockDims =
    unsigned(mlir::gpu::MappingId::LinearDim9) -
    unsigned(mlir::gpu::MappingId::LinearDim0) + 1;

/// What gives the rounds of a loop of `count` dimensions to blocks of threads.
inline SmallVector<Attribute> blockMapping(MLIRContext *context,
                                           unsigned count) {
  SmallVector<Attribute> mapping;
  for (unsigned dim = 0; dim < count; ++dim)
    mapping.push_back(mlir::gpu::GPUBlockMappingAttr::get(
        context, *mlir::gpu::symbolizeMappingId(
                     unsigned(mlir::gpu::MappingId::LinearDim0) + dim)));
  return mapping;
}

} // namespace mlir::smx

#endif // SMX_LIB_TILING_BLOCKMAPPING_H
