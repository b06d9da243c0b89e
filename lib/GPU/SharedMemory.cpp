//===- SharedMemory.cpp - what a kernel's shared tiles take ---------------===//

#include "smx/GPU/SharedMemory.h"

using namespace mlir;
using namespace mlir::smx::gpu;

/// Bytes of shared memory of the kernel, if no channel were deeper than `depth`
/// and no tile had more than `rows` rows.
static int64_t sharedBytes(KernelOp kernel, int64_t depth, int64_t rows) {
  int64_t bytes = 0;
  auto add = [&](SharedType tile, int64_t count) {
    int64_t rowBytes = tile.getBytes() / tile.getShape()[0];
    bytes += llvm::alignTo(rowBytes * std::min(rows, tile.getShape()[0]),
                           sharedTileAlignment) *
             count;
  };
  for (Operation &op : kernel.getBody().getOps()) {
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      add(alloc.getShared().getType(), 1);
    } else if (auto make = dyn_cast<MakeChannelOp>(op)) {
      ChannelType channel = make.getChannel().getType();
      add(channel.getStageType(), std::min(depth, channel.getDepth()));
    }
  }
  return bytes;
}

static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

int64_t KernelOp::getSharedBytes() {
  return sharedBytes(*this, unlimited, unlimited);
}

/// The largest depth of all channels with which the kernel fits, or 0.
static int64_t fittingDepth(KernelOp kernel, int64_t limit) {
  int64_t deepest = 0;
  for (MakeChannelOp make : kernel.getBody().getOps<MakeChannelOp>())
    deepest = std::max(deepest, make.getChannel().getType().getDepth());
  while (--deepest > 0)
    if (sharedBytes(kernel, deepest, unlimited) <= limit)
      return deepest;
  return 0;
}

/// The largest row count of all tiles, a multiple of the 16 rows of a matrix
/// product, with which the kernel fits, or 0.
static int64_t fittingRows(KernelOp kernel, int64_t limit) {
  int64_t most = 0;
  for (Operation &op : kernel.getBody().getOps()) {
    if (auto alloc = dyn_cast<AllocOp>(op))
      most = std::max(most, alloc.getShared().getType().getShape()[0]);
    else if (auto make = dyn_cast<MakeChannelOp>(op))
      most = std::max(most, make.getChannel().getType().getShape()[0]);
  }
  // Bytes grow with rows: halve the range in which the answer lies.
  int64_t fits = 0, tooMany = llvm::divideCeil(most, 16);
  while (tooMany - fits > 1) {
    int64_t middle = (fits + tooMany) / 2;
    (sharedBytes(kernel, unlimited, 16 * middle) <= limit ? fits : tooMany) =
        middle;
  }
  return 16 * fits;
}

LogicalResult mlir::smx::gpu::fitsSharedMemory(KernelOp kernel, // K3
                                               int64_t limit, int64_t besides) {
  const int64_t needed = kernel.getSharedBytes() + besides;
  if (needed <= limit)
    return success();
  InFlightDiagnostic diagnostic = kernel.emitOpError("needs ")
                                  << needed << " bytes of shared memory";
  if (besides)
    diagnostic << " with barriers and scratch";
  diagnostic << ", the limit is " << limit;
  int64_t depth = fittingDepth(kernel, limit - besides);
  int64_t rows = fittingRows(kernel, limit - besides);
  if (depth)
    diagnostic << "; with depth = " << depth;
  if (rows)
    diagnostic << (depth ? ", or " : "; with ") << "tiles of at most " << rows
               << " rows or keys (tile-rows, tile-stream)";
  if (depth || rows)
    return diagnostic << ", it fits";
  return diagnostic << "; tiles of 16 rows do not fit either, they must be "
                       "narrower or fewer";
}
