//===- RereadRowsPass.cpp - long rows that are read again -----------------===//
//
// With 32 registers a thread, all threads of a multiprocessor are there, and a
// row of a block stays in its caches while the block computes with it.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "RowPieces.h"
#include "smx/GPU/Passes.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_REREADROWSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

/// A whole row that is loaded by all threads, as many accesses of each.
static bool isWholeRow(LoadOp load) {
  auto tile = cast<RankedTensorType>(load.getTile().getType());
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(tile));
  return striped && tile.getDimSize(0) == 1 && striped.getRowThreads() == 1 &&
         load.getDims().back() >= 0 && load.getValid().empty() &&
         !load.getAgain() && tile.getElementTypeBitWidth() >= 8 &&
         tile.getDimSize(1) %
                 (striped.getColumnThreads() * striped.getVector()) ==
             0;
}

namespace {

struct RereadRowsPass
    : mlir::smx::gpu::impl::RereadRowsPassBase<RereadRowsPass> {
  using RereadRowsPassBase::RereadRowsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (bytes >= 1)
      return success();
    return emitError(UnknownLoc::get(context))
           << "option 'bytes' must be at least 1, got " << int64_t(bytes);
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t threads = kernel.getWarps() * ::smx::gpu::warpThreads;
    if (threads * int64_t(kernel.getMinBlocks()) !=
        ::mlir::smx::multiprocessorThreads)
      return;
    uniteEqualOps(kernel);
    SmallVector<LoadOp> loads;
    int64_t bits = 0;
    for (LoadOp load : kernel.getBody().front().getOps<LoadOp>()) {
      auto tile = cast<RankedTensorType>(load.getTile().getType());
      if (!isWholeRow(load) ||
          (!loads.empty() &&
           tile.getShape() !=
               cast<RankedTensorType>(loads.front().getTile().getType())
                   .getShape()))
        continue;
      loads.push_back(load);
      bits = std::max<int64_t>(bits, getRegisterCount(tile) *
                                         tile.getElementTypeBitWidth());
    }
    if (bits <= bytes * 8)
      return;
    RowPieces pieces(kernel, loads, bytes * loads.size(), /*states=*/1,
                     RowPieces::Rest::InMemory);
    auto options =
        remark::RemarkOpts::name("RereadRows").category("smx-gpu-reread-rows");
    if (failed(pieces.run())) {
      // Twice as many registers do for all of it.
      if (kernel.getMinBlocks() > 1)
        kernel.setMinBlocks(kernel.getMinBlocks() / 2);
      remark::missed(kernel.getLoc(), options)
          << "an op has no form on pieces of a row: it is not read again";
      return;
    }
    remark::passed(kernel.getLoc(), options)
        << "pieces of a row, all but the first read again from the cache: "
        << remark::metric("pieces", static_cast<int64_t>(pieces.count()));
  }
};

} // namespace
