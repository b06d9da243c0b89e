//===- RereadRowsPass.cpp - long rows that are read again -----------------===//
//
// With 32 registers a thread, all threads of a multiprocessor are there, and a
// row of a block stays in its caches while the block computes with it.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "RowPieces.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/ElementBits.h"
#include "smx/IR/OptionBounds.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_REREADROWSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;
using mlir::smx::elementBits;

static RankedTensorType tileOf(LoadOp load) {
  return cast<RankedTensorType>(load.getTile().getType());
}

/// A row that is loaded by all threads.
static bool isRow(LoadOp load) {
  auto striped = dyn_cast_or_null<StripedAttr>(getLayout(tileOf(load)));
  return striped && tileOf(load).getDimSize(0) == 1 &&
         striped.getRowThreads() == 1 && load.getDims().back() >= 0;
}

/// All of a row, as many accesses of each thread.
static bool isWhole(LoadOp load) {
  RankedTensorType tile = tileOf(load);
  auto striped = cast<StripedAttr>(getLayout(tile));
  return load.getValid().empty() && !load.getAgain() &&
         elementBits(tile) >= 8 &&
         tile.getDimSize(1) %
                 (striped.getColumnThreads() * striped.getVector()) ==
             0;
}

namespace {

struct RereadRowsPass
    : mlir::smx::gpu::impl::RereadRowsPassBase<RereadRowsPass> {
  using RereadRowsPassBase::RereadRowsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(context,
                                   {{"elements", elements, /*least=*/1}});
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t threads = kernel.getWarps() * ::smx::gpu::warpThreads;
    if (threads * int64_t(kernel.getMinBlocks()) !=
        ::mlir::smx::multiprocessorThreads)
      return;
    uniteEqualOps(kernel);
    SmallVector<LoadOp> loads;
    bool isLong = false, hasForm = true;
    for (LoadOp load : kernel.getBody().front().getOps<LoadOp>()) {
      if (!isRow(load))
        continue;
      RankedTensorType tile = tileOf(load);
      bool isLongRow = getRegisterCount(tile) > elements;
      isLong |= isLongRow;
      if (isWhole(load) &&
          (loads.empty() ||
           tile.getShape() == tileOf(loads.front()).getShape()))
        loads.push_back(load);
      else
        hasForm &= !isLongRow;
    }
    if (!isLong)
      return;
    auto options =
        remark::RemarkOpts::name("RereadRows").category("smx-gpu-reread-rows");
    if (hasForm) {
      int64_t bits = 0;
      for (LoadOp load : loads)
        bits += elements * elementBits(tileOf(load));
      RowPieces pieces(kernel, loads, bits / 8, /*states=*/1,
                       RowPieces::Rest::InMemory);
      if (succeeded(pieces.run())) {
        remark::passed(kernel.getLoc(), options)
            << "pieces of a row, all but the first read again from the cache: "
            << remark::metric("pieces", static_cast<int64_t>(pieces.count()));
        return;
      }
    }
    // Twice as many registers do for all of it.
    if (kernel.getMinBlocks() > 1)
      kernel.setMinBlocks(kernel.getMinBlocks() / 2);
    remark::missed(kernel.getLoc(), options)
        << "an op has no form on pieces of a row: it is not read again";
  }
};

} // namespace
