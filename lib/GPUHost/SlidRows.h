//===- SlidRows.h - tiles whose rows are slid -------------------*- C++ -*-===//
#ifndef SMX_LIB_GPUHOST_SLIDROWS_H
#define SMX_LIB_GPUHOST_SLIDROWS_H

#include "GlobalMemory.h"

namespace mlir::smx::gpuhost {

/// A load or store with a slide. Fails where a row is slid by as many columns
/// as the layout's vectors have, or more.
llvm::Error runSlidLoad(gpu::LoadOp op, const Step &step, Group &group);
llvm::Error runSlidStore(gpu::StoreOp op, const Tile &tile, const Step &step,
                         Group &group);

} // namespace mlir::smx::gpuhost

#endif // SMX_LIB_GPUHOST_SLIDROWS_H
