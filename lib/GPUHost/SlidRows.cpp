//===- SlidRows.cpp - tiles whose rows are slid ---------------------------===//

#include "SlidRows.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

/// Of row `r` of a tile, the columns from `lead` on, as a window of one row.
using AccessOfRow =
    llvm::function_ref<llvm::Error(int64_t r, int64_t lead, const Window &)>;

/// Calls `access` for each row of which something is in memory. `slides` says
/// how many columns further back a row is than `tile` says, below `vector`.
static llvm::Error forSlidRows(Operation *op, StringRef does,
                               const WindowOperands &tile,
                               ArrayRef<Slot> slides, int64_t vector,
                               AccessOfRow access) {
  const int64_t rowDim = tile.dims[0], columnDim = tile.dims[1];
  const int64_t end = tile.offsets[columnDim] + tile.valid[1];
  for (int64_t r = 0; r < std::min(tile.shape[0], tile.valid[0]); ++r) {
    const int64_t slide = slides[r].i;
    if (slide < 0 || slide >= vector)
      return errorAt(op, does + " row " + Twine(r) + " slid by " +
                             Twine(slide) + " columns, not by 0 to " +
                             Twine(vector - 1));
    const int64_t start = tile.offsets[columnDim] - slide,
                  lead = std::max<int64_t>(-start, 0),
                  columns = std::min(end - start, tile.shape[1]) - lead;
    if (columns <= 0)
      continue;
    const int64_t shape[] = {1, columns};
    WindowOperands row{tile.memory, tile.offsets, {}, tile.dims, shape};
    row.offsets[columnDim] = start + lead;
    if (rowDim >= 0)
      row.offsets[rowDim] += r;
    auto window = findWindow(op, does, row);
    if (!window)
      return window.takeError();
    const int64_t byte = (window->first - lead) * byteWidth(tile.memory->dtype);
    if (tile.aligned != 0 && byte % tile.aligned != 0)
      return errorAt(op, "promises rows at multiples of " +
                             Twine(tile.aligned) + " bytes, but row " +
                             Twine(r) + " of the tile starts at byte " +
                             Twine(byte));
    if (llvm::Error error = access(r, lead, *window))
      return error;
  }
  return llvm::Error::success();
}

/// Columns that each row of a slid tile is further back: the last operand.
static llvm::Expected<TilePtr> getSlide(const Step &step, Group &group) {
  return getTile(step, group, step.in.size() - 1);
}

static int64_t vectorOf(Type tile) {
  return cast<gpu::StripedAttr>(gpu::getLayout(tile)).getVector();
}

llvm::Error mlir::smx::gpuhost::runSlidLoad(gpu::LoadOp op, const Step &step,
                                            Group &group) {
  auto slide = getSlide(step, group);
  if (!slide)
    return slide.takeError();
  RankedTensorType type = op.getTile().getType();
  auto tile = makeTile(type.getNumElements());
  const bool isFloat = isa<FloatType>(type.getElementType());
  std::fill(tile->elements.begin(), tile->elements.end(),
            isFloat ? floatSlot(0.0) : intSlot(0));
  auto readRow = [&](int64_t r, int64_t lead,
                     const Window &window) -> llvm::Error {
    std::vector<Slot> row(window.columns);
    if (llvm::Error error =
            readWindow(op, window, group, isFloat, window.columns, row))
      return error;
    llvm::copy(row, tile->elements.begin() + r * type.getDimSize(1) + lead);
    return llvm::Error::success();
  };
  if (llvm::Error error = forSlidRows(
          op, "reads", getWindowOperands(op, step, group, 0, type.getShape()),
          (*slide)->elements, vectorOf(type), readRow))
    return error;
  setResult(step, group, TilePtr(std::move(tile)));
  group.machine.noteProgress();
  return llvm::Error::success();
}

llvm::Error mlir::smx::gpuhost::runSlidStore(gpu::StoreOp op, const Tile &tile,
                                             const Step &step, Group &group) {
  auto slide = getSlide(step, group);
  if (!slide)
    return slide.takeError();
  RankedTensorType type = op.getTile().getType();
  auto writeRow = [&](int64_t r, int64_t lead, const Window &window) {
    return writeWindow(
        op, window, group, window.columns,
        ArrayRef(tile.elements)
            .slice(r * type.getDimSize(1) + lead, window.columns));
  };
  if (llvm::Error error = forSlidRows(
          op, "writes", getWindowOperands(op, step, group, 1, type.getShape()),
          (*slide)->elements, vectorOf(type), writeRow))
    return error;
  group.machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runSlide(const Step &step, Group &group) {
  auto op = cast<gpu::SlideOp>(step.op);
  const MemoryPtr &memory = get<MemoryPtr>(step, group, 0);
  const int64_t rows = op.getRows().getType().getDimSize(0);
  int64_t first = memory->offset;
  for (auto [d, stride] : llvm::enumerate(memory->strides))
    first += getInteger(step, group, 1 + d) * stride;
  const int64_t rowDim = op.getDims()[0],
                stride = rowDim < 0 ? 0 : memory->strides[rowDim];
  auto tile = makeTile(rows);
  for (int64_t r = 0; r < rows; ++r)
    tile->elements[r] = intSlot((first + r * stride) % op.getUnit());
  setResult(step, group, TilePtr(std::move(tile)));
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addSlidRows(HandlerTable &table) {
  table["smx_gpu.slide"] = runSlide;
}
