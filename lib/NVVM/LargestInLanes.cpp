//===- LargestInLanes.cpp - the largest elements of a row of lanes --------===//

#include "LargestInLanes.h"

#include "LanesOfRow.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

bool isLargestInLanes(gpu::LargestOp op) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  int64_t threads =
      cast<gpu::StripedAttr>(gpu::getLayout(tile)).getColumnThreads();
  // A whole warp has more of a row than registers for keys of 64 bits.
  return !op.getMemory() &&
         (threads < warpThreads ||
          (threads == warpThreads && LaneKeys::areWords(tile)));
}

namespace {
struct LowerLargestInLanes : TilePattern<gpu::LargestOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::LargestOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isLargestInLanes(op))
      return failure();
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    int64_t threads =
        cast<gpu::StripedAttr>(gpu::getLayout(tile)).getColumnThreads();
    ThreadCode code(rewriter, op, plan);
    LaneKeys keys(code, tile);
    Value firstColumn = code.threadPart(tile).column;
    int64_t rows = gpu::getRegisterCount(op.getSliceType()),
            registers = gpu::getRegisterCount(tile) / rows;
    int64_t tiles = op.getValues().size();
    bool inLanes = bool(op.getRanks());
    int64_t perRow = inLanes ? gpu::getRegisterCount(cast<RankedTensorType>(
                                   op.getValues().front().getType())) /
                                   rows
                             : tiles;
    SmallVector<SmallVector<Value>> results(2 * tiles);
    for (int64_t row : llvm::seq(rows)) {
      SmallVector<Value> columns;
      for (int64_t i : llvm::seq(row * registers, (row + 1) * registers))
        columns.push_back(code.add(
            firstColumn, code.i32(gpu::getElement(tile, 0, i).column)));
      Value ofRowRegisters =
          code.getRegisters(adaptor.getTile(), row * registers, registers);
      LanesOfRow ofRow(
          code, keys, keys.of(ofRowRegisters, columns), threads, op.getCount(),
          LanesOfRow::placesFor(op.getCount(), registers, threads));
      for (auto [i, key] : llvm::enumerate(ofRow.find(perRow, inLanes))) {
        size_t number = inLanes ? 0 : i;
        results[number].push_back(keys.elementOf(key));
        results[tiles + number].push_back(keys.columnOf(key));
      }
    }
    rewriter.replaceOp(op, llvm::map_to_vector(results, [&](auto &registers) {
                         return code.fromRegisters(registers);
                       }));
    return success();
  }
};
} // namespace

void populateLargestInLanesPatterns(const TileTypeConverter &converter,
                                    const KernelPlan &plan,
                                    RewritePatternSet &patterns) {
  patterns.add<LowerLargestInLanes>(converter, plan, /*benefit=*/2);
}

} // namespace mlir::smx
