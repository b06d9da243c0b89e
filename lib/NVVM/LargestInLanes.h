//===- LargestInLanes.h - the largest elements of a row of lanes *- C++ -*-===//
#ifndef SMX_LIB_NVVM_LARGESTINLANES_H
#define SMX_LIB_NVVM_LARGESTINLANES_H

#include "KernelLowering.h"

namespace mlir::smx {

/// True where lanes of one warp hold each row; and what scratch these need.
bool isLargestInLanes(gpu::LargestOp op);
int64_t largestInLanesScratchBytes(gpu::LargestOp op);

void populateLargestInLanesPatterns(const TileTypeConverter &converter,
                                    const KernelPlan &plan,
                                    RewritePatternSet &patterns);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_LARGESTINLANES_H
