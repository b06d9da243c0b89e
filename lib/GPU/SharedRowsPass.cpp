//===- SharedRowsPass.cpp - long rows, partly in shared memory ------------===//
//
// Where the threads of a block have more of a row than registers for it, the
// first piece of the tile stays in registers, and the others in shared memory.
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"
#include "LoneRows.h"
#include "RowPieces.h"
#include "smx/GPU/Passes.h"
#include "smx/IR/ElementBits.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SHAREDROWSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;
using mlir::smx::elementBits;

/// Reductions of all columns of the row that each warp makes of its own part,
/// of elements of at least `width` bits.
static int64_t countOfParts(KernelOp kernel, int64_t columns, int64_t width) {
  return llvm::count_if(
      kernel.getBody().front().getOps<ReduceOp>(), [&](ReduceOp reduce) {
        auto tile = cast<RankedTensorType>(reduce.getTile().getType());
        return tile.getNumElements() == columns &&
               tile.getDimSize(0) == int64_t(kernel.getWarps()) &&
               elementBits(tile) >= width;
      });
}

static int64_t countOfSums(KernelOp kernel) {
  return llvm::count_if(
      kernel.getBody().front().getOps<ReduceOp>(),
      [](ReduceOp reduce) { return reduce.getKind() == Combiner::Add; });
}

static bool hasExponentials(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<math::ExpOp, math::Exp2Op>(op) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

struct SharedRowsPass
    : mlir::smx::gpu::impl::SharedRowsPassBase<SharedRowsPass> {
  using SharedRowsPassBase::SharedRowsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    for (auto [name, value, least] :
         {std::tuple("bytes", int64_t(bytes), 1), {"states", states, 0}})
      if (value < least)
        return emitError(UnknownLoc::get(context))
               << "option '" << name << "' must be at least " << least
               << ", got " << value;
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    uniteEqualOps(kernel);
    SmallVector<LoadOp> loads;
    int64_t bits = 0;
    for (LoadOp load : kernel.getBody().front().getOps<LoadOp>()) {
      auto tile = cast<RankedTensorType>(load.getTile().getType());
      auto striped = dyn_cast_or_null<StripedAttr>(getLayout(tile));
      // What has a reading has a place.
      if (load.getReading() != Reading::Any || !striped ||
          tile.getDimSize(0) != 1 || striped.getRowThreads() != 1 ||
          load.getDims().back() < 0 || elementBits(tile) < 8 ||
          (!loads.empty() &&
           tile.getShape() !=
               cast<RankedTensorType>(loads.front().getTile().getType())
                   .getShape()))
        continue;
      loads.push_back(load);
      bits += getRegisterCount(tile) * elementBits(tile);
    }
    int64_t widest = 0;
    for (LoadOp load : loads)
      widest = std::max<int64_t>(widest, elementBits(load.getTile().getType()));
    int64_t room = mlir::smx::registerBytesOfRow(bits, widest == 64) / 8;
    // Of two that widen its elements the assembler keeps those of the first.
    int64_t columns =
        loads.empty() ? 0 : loads.front().getTile().getType().getNumElements();
    bool isNarrow = widest < 32;
    int64_t threads = kernel.getWarps() * ::smx::gpu::warpThreads;
    // A row that fills multiprocessors leaves none of their threads to others
    // that could compute while it arrives. Masks take the registers of a state.
    bool isAlone = kernel.getCluster() == mlir::smx::mostClusterBlocks &&
                   threads == mlir::smx::blockRowThreads;
    bool isMasked = llvm::any_of(
        loads, [](LoadOp load) { return !load.getValid().empty(); });
    int64_t mostStates = states ? int64_t(states)
                         : widest == 32 && isAlone && !isMasked ? 2
                                                                : 1;
    int64_t most = isNarrow && countOfParts(kernel, columns, 32) > 1
                       ? mlir::smx::widenedThreadBytes
                       : int64_t(bytes);
    if (room <= most)
      return;
    auto fits = [&](int64_t first) {
      return (room - first) * threads + mlir::smx::besidesRowBytes <=
             int64_t(kernel.getSharedLimit());
    };
    // Of wide elements the weights are kept as well, where there are any; f16
    // is widened by conversions, whose operands take registers. Where all warps
    // meet, more of a narrow row in shared memory is faster. One of a single
    // block that each warp sums a part of (softmax) would be spilled with more.
    bool isConverted = llvm::any_of(loads, [](LoadOp load) {
      return load.getTile().getType().getElementType().isF16();
    });
    bool isUnevenSum =
        loads.size() == 1 && countOfSums(kernel) == 1 && room % most != 0;
    // Rows with others before and behind them, as weights have not.
    bool areRows = loads.size() > 1 && llvm::all_of(loads, [](LoadOp load) {
                     return load.getOffsets().size() > 1;
                   });
    int64_t first = isNarrow && !isConverted ? most / 8 * 7 : most / 8 * 6;
    if (most < bytes)
      first = most;
    else if (isNarrow && countOfParts(kernel, columns, 1) == 0 &&
             fits(most / 2))
      first = most / 2;
    else if (isNarrow && kernel.getCluster() == 1 && fits(most / 8 * 5))
      first = most / 8 * 5;
    // Norms sum in f64: of more than 5 accesses ptxas computes all terms in
    // pairs of registers before it widens the first, and spills a few of 64. It
    // does so beside masks, where a row fills multiprocessors, and of one sum
    // (RMS norm) where a thread has no whole sets of 8 accesses.
    else if (widest == 32 &&
             (kernel.getCluster() == 1 ? isMasked || isUnevenSum
                                       : isAlone && loads.size() == 1) &&
             threads * int64_t(kernel.getMinBlocks()) >=
                 mlir::smx::blockRowThreads &&
             !hasExponentials(kernel) && fits(most / 8 * 5))
      first = most / 8 * 5;
    // Of two rows that end within an access a thread keeps one access of each,
    // if the rest fits: masks, and what is widened, take registers.
    if (isMasked && areRows)
      for (int64_t few : {most / 4, most / 2})
        if (fits(few)) {
          first = std::min(first, few);
          break;
        }
    auto convert = [&](int64_t bytesOfFirst, int64_t states) {
      if (!fits(bytesOfFirst))
        return false;
      RowPieces pieces(kernel, loads,
                       widest == 64 ? bytesOfFirst / 2 : bytesOfFirst, states);
      if (failed(pieces.run()))
        return false;
      if (isAlone && states > 1)
        kernel->setDiscardableAttr(loneRowsAttribute,
                                   UnitAttr::get(&getContext()));
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("SharedRows")
                                          .category("smx-gpu-shared-rows"))
          << "a row's tile in pieces, all but the first in shared memory: "
          << remark::metric("pieces", static_cast<int64_t>(pieces.count()));
      return true;
    };
    // Each state has a reference of its own.
    if (mostStates == 1 ||
        !convert(isNarrow ? first : most / 8 * 5, mostStates))
      convert(first, 1);
  }
};
} // namespace
