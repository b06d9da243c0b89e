//===- ReadOncePass.cpp - rows pass the cache of a multiprocessor ---------===//

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/IR/Matchers.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_READONCEPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// Elements of a tile of one row, spread over threads; 0 of any other.
static int64_t elementsOfRow(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(type));
  return striped && type.getDimSize(0) == 1 && striped.getRowThreads() == 1
             ? type.getNumElements()
             : 0;
}

/// False for what all blocks read, wherever their rows are.
static bool isOfOneBlock(LoadOp load) {
  if (load.getReading() != Reading::Any || load.getAgain())
    return false;
  for (auto [dim, offset] : llvm::enumerate(load.getOffsets()))
    if (!llvm::is_contained(load.getDims(), int64_t(dim)) &&
        !matchPattern(offset, m_Constant()))
      return true;
  return false;
}

namespace {
struct ReadOncePass : mlir::smx::gpu::impl::ReadOncePassBase<ReadOncePass> {
  void runOnOperation() override {
    SmallVector<LoadOp> rows;
    int64_t written = 0;
    bool isReread = false;
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        if (isOfOneBlock(load) && elementsOfRow(load.getTile()) != 0)
          rows.push_back(load);
      } else if (auto store = dyn_cast<StoreOp>(op)) {
        auto type = cast<RankedTensorType>(store.getTile().getType());
        written = std::max(written, type.getNumElements());
      } else if (isa<LargestOp, CopyOp, PutOp>(op)) {
        isReread = true;
      }
    });
    for (LoadOp row : rows)
      if (!isReread && elementsOfRow(row.getTile()) > written)
        row.setReading(Reading::Once);
  }
};
} // namespace
