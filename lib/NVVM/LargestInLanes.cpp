//===- LargestInLanes.cpp - the largest elements of a row of lanes --------===//

#include "LargestInLanes.h"

#include "CutRow.h"
#include "SelectedRow.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

static int64_t lanesOf(RankedTensorType tile) {
  return cast<gpu::StripedAttr>(gpu::getLayout(tile)).getColumnThreads();
}

bool isLargestInLanes(gpu::LargestOp op) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  int64_t threads = lanesOf(tile);
  // A whole warp has more of a row than registers for keys of 64 bits.
  return !op.getMemory() &&
         (threads < warpThreads ||
          (threads == warpThreads &&
           (LaneKeys::areWords(tile) || SelectedRow::finds(op))));
}

int64_t largestInLanesScratchBytes(gpu::LargestOp op) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  int64_t rows = tile.getDimSize(0);
  if (SelectedRow::finds(op))
    return rows * SelectedRow::bytesOf(tile, op.getCount());
  return CutRow::finds(op) ? rows * CutRow::bytesOf(tile) : 0;
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
    ThreadCode code(rewriter, op, plan);
    ThreadCoordinate first = code.threadPart(tile);
    int64_t rows = gpu::getRegisterCount(op.getSliceType()),
            registers = gpu::getRegisterCount(tile) / rows;
    int64_t tiles = op.getValues().size(), count = op.getCount();
    bool inLanes = bool(op.getRanks());
    int64_t perRow = inLanes ? gpu::getRegisterCount(cast<RankedTensorType>(
                                   op.getValues().front().getType())) /
                                   rows
                             : tiles;
    auto registersOf = [&](int64_t row) {
      return code.getRegisters(adaptor.getTile(), row * registers, registers);
    };
    // All rows of a thread have the same ones.
    SmallVector<Value> columns;
    for (int64_t i : llvm::seq(registers))
      columns.push_back(
          code.add(first.column, code.i32(gpu::getElement(tile, 0, i).column)));
    SmallVector<LargestOfRowInLanes> found;
    int64_t bytes = largestInLanesScratchBytes(op) / tile.getDimSize(0);
    if (bytes != 0 && !plan.isScratchFree(op))
      code.groupBarrier();
    auto memoryOf = [&](int64_t row) {
      int64_t behindFirst = gpu::getElement(tile, 0, row * registers).row;
      Value number = code.add(first.row, code.i32(behindFirst));
      return code.advance(code.scratch(plan, op),
                          code.mul(number, code.i32(bytes)));
    };
    if (SelectedRow::finds(op)) {
      for (int64_t row : llvm::seq(rows))
        found.push_back(SelectedRow(code, tile, memoryOf(row), columns, count)
                            .find(registersOf(row), perRow, inLanes));
    } else if (CutRow::finds(op)) {
      SmallVector<CutRow> cutRows;
      for (int64_t row : llvm::seq(rows)) {
        cutRows.emplace_back(code, tile, memoryOf(row), columns, count);
        cutRows.back().store(registersOf(row));
      }
      code.warpBarrier();
      for (auto [row, cutRow] : llvm::enumerate(cutRows))
        found.push_back(cutRow.find(registersOf(row), perRow, inLanes));
    } else {
      LaneKeys keys(code, tile);
      int64_t places = LanesOfRow::placesFor(count, registers, lanesOf(tile));
      for (int64_t row : llvm::seq(rows)) {
        LanesOfRow ofRow(code, keys, keys.of(registersOf(row), columns),
                         lanesOf(tile), count, places);
        LargestOfRowInLanes &ofKeys = found.emplace_back();
        for (Value key : ofRow.find(perRow, inLanes)) {
          ofKeys.elements.push_back(keys.elementOf(key));
          ofKeys.columns.push_back(keys.columnOf(key));
        }
      }
    }
    SmallVector<SmallVector<Value>> results(2 * tiles);
    for (const LargestOfRowInLanes &ofRow : found)
      for (int64_t i : llvm::seq(perRow)) {
        int64_t number = inLanes ? 0 : i;
        results[number].push_back(ofRow.elements[i]);
        results[tiles + number].push_back(ofRow.columns[i]);
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
