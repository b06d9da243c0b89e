//===- Largest.h - the largest elements of a row ----------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_LARGEST_H
#define SMX_LIB_NVVM_LARGEST_H

#include "KernelLowering.h"

namespace mlir::smx {

/// How the threads of a row share the work, and their scratch memory.
struct LargestPlan {
  explicit LargestPlan(gpu::LargestOp op) : count(op.getValues().size()) {
    auto layout = cast<gpu::StripedAttr>(
        gpu::getLayout(cast<RankedTensorType>(op.getTile().getType())));
    threads = layout.getColumnThreads();
    rows = layout.getRowThreads();
    if (warps() > 1)
      while (together < ::smx::gpu::warpThreads &&
             threads / (2 * together) >= 2 * count)
        together *= 2;
  }

  /// Results; threads of a row, and rows that threads have at a time.
  int64_t count, threads, rows;
  /// Lanes whose elements are one set.
  int64_t together = 1;

  int64_t warps() const { return threads / ::smx::gpu::warpThreads; }
  int64_t sets() const { return threads / together; }
  /// There is a bound.
  bool isScreened() const { return sets() >= count; }
  /// Of the list: room for some equal elements.
  int64_t candidates() const {
    return llvm::alignTo(8 * count, 2 * ::smx::gpu::warpThreads);
  }

  // Bytes from the start of a row's scratch.
  int64_t maxima() const { return 16; } // the number of candidates is before
  int64_t list() const { return maxima() + llvm::alignTo(4 * sets(), 16); }
  int64_t exchanged() const { return list() + 8 * candidates(); }
  int64_t results() const {
    return exchanged() + llvm::alignTo(8 * warps(), 16);
  }
  int64_t bytes() const { return results() + llvm::alignTo(8 * count, 16); }
  int64_t allBytes() const { return rows * bytes(); }
};

/// Scratch of an smx_gpu.largest; 0 for other ops.
int64_t largestScratchBytes(Operation *op);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_LARGEST_H
