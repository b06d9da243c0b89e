//===- Largest.cpp - the largest elements of a row ------------------------===//

#include "GlobalMemory.h"
#include "Program.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

/// Of each thread, no number beside its round of `span` columns is above what
/// it says.
static llvm::Error checkRounds(const Step &step, Group &group,
                               ArrayRef<Slot> elements) {
  auto op = cast<gpu::LargestOp>(step.op);
  const unsigned behind = 2 + op.getOffsets().size() + (op.getValid() ? 1 : 0);
  auto starts = getTile(step, group, behind);
  if (!starts)
    return starts.takeError();
  auto seconds = getTile(step, group, behind + 1);
  if (!seconds)
    return seconds.takeError();
  auto striped = cast<gpu::StripedAttr>(
      gpu::getLayout(cast<RankedTensorType>(op.getTile().getType())));
  for (auto [column, element] : llvm::enumerate(elements)) {
    const int64_t thread =
        column / striped.getVector() % striped.getColumnThreads();
    const int64_t start = (*starts)->elements[thread].i;
    const bool isOfRound =
        int64_t(column) >= start && int64_t(column) < start + op.getSpan();
    if (!isOfRound && element.f > (*seconds)->elements[thread].f)
      return errorAt(op, "says that thread " + Twine(thread) +
                             " has nothing larger beside its round, but "
                             "column " +
                             Twine(column) + " is");
  }
  return llvm::Error::success();
}

/// NaN first, and of equal elements the one of the lowest column.
static llvm::Error runLargest(const Step &step, Group &group) {
  auto op = cast<gpu::LargestOp>(step.op);
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  const int64_t rows = op.getTile().getType().getDimSize(0),
                count = op.getCount(), tiles = op.getValues().size();
  int64_t length = op.getTile().getType().getDimSize(1);
  std::vector<Slot> elements = (*tile)->elements;
  if (op.getMemory()) {
    // The maxima say where to look; who looks everywhere finds the same.
    const unsigned behindOffsets = 2 + op.getOffsets().size();
    length = op.getExtent();
    if (op.getValid())
      length = std::min(length, getInteger(step, group, behindOffsets));
    const int64_t shape[] = {1, length},
                  dims[] = {-1, int64_t(op.getOffsets().size()) - 1};
    WindowOperands operands{get<MemoryPtr>(step, group, 1), {}, {}, dims, shape,
                            int64_t(op.getAligned())};
    for (unsigned i = 0; i < op.getOffsets().size(); ++i)
      operands.offsets.push_back(getInteger(step, group, 2 + i));
    auto window = findWindow(op, "reads", operands);
    if (!window)
      return window.takeError();
    elements.resize(length);
    if (llvm::Error error =
            readWindow(op, *window, group, /*isFloat=*/true, length, elements))
      return error;
    if (op.getStarts())
      if (llvm::Error error = checkRounds(step, group, elements))
        return error;
  }
  // Of each row, in one tile.
  const int64_t width =
      op.getRanks() ? cast<RankedTensorType>(op.getValues().front().getType())
                          .getDimSize(1)
                    : 1;
  std::vector<std::shared_ptr<Tile>> results;
  for (int64_t i = 0; i < 2 * tiles; ++i)
    results.push_back(makeTile(rows * width));
  std::vector<int64_t> order(length);
  for (int64_t r = 0; r < rows; ++r) {
    const Slot *row = elements.data() + r * length;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + std::min(count, length),
                      order.end(), [&](int64_t a, int64_t b) {
                        const bool isNaN = std::isnan(row[a].f);
                        if (isNaN != std::isnan(row[b].f))
                          return isNaN;
                        if (isNaN || row[a].f == row[b].f)
                          return a < b;
                        return row[a].f > row[b].f;
                      });
    for (int64_t i = 0; i < tiles; ++i)
      for (int64_t column = 0; column < width; ++column) {
        const int64_t rank = std::min(i + column, count - 1);
        const bool isThere = rank < length;
        results[i]->elements[r * width + column] =
            isThere ? row[order[rank]] : floatSlot(0);
        results[tiles + i]->elements[r * width + column] =
            intSlot(isThere ? order[rank] : int64_t(op.getExtent()));
      }
  }
  for (auto [i, result] : llvm::enumerate(results))
    setResult(step, group, TilePtr(std::move(result)), i);
  group.machine.noteProgress();
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addLargest(HandlerTable &table) {
  table["smx_gpu.largest"] = runLargest;
}
