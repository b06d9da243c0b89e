//===- TileOps.cpp - register tiles ---------------------------------------===//

#include "SlidRows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;
using ::smx::reference::DType;

/// Rows and columns; a one-dimensional tile is a column.
static SmallVector<int64_t, 2> getExtents(Type tile) {
  SmallVector<int64_t, 2> extents(cast<RankedTensorType>(tile).getShape());
  extents.resize(2, 1);
  return extents;
}

static llvm::Error runLoad(const Step &step, Group &group) {
  auto op = cast<gpu::LoadOp>(step.op);
  if (op.getSlide())
    return runSlidLoad(op, step, group);
  SmallVector<int64_t, 2> extents = getExtents(op.getTile().getType());
  auto window =
      findWindow(op, "reads", getWindowOperands(op, step, group, 0, extents));
  if (!window)
    return window.takeError();
  auto tile = makeTile(extents[0] * extents[1]);
  if (llvm::Error error =
          readWindow(op, *window, group,
                     isa<FloatType>(getElementTypeOrSelf(op.getTile())),
                     extents[1], tile->elements))
    return error;
  setResult(step, group, TilePtr(std::move(tile)));
  group.machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runStore(const Step &step, Group &group) {
  auto op = cast<gpu::StoreOp>(step.op);
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  if (op.getSlide())
    return runSlidStore(op, **tile, step, group);
  SmallVector<int64_t, 2> extents = getExtents(op.getTile().getType());
  auto window =
      findWindow(op, "writes", getWindowOperands(op, step, group, 1, extents));
  if (!window)
    return window.takeError();
  const int64_t counts[] = {window->rows, window->columns};
  for (auto [d, memoryDim] : llvm::enumerate(op.getDims()))
    if (memoryDim < 0 && counts[d] > 1)
      return errorAt(op, "writes " + Twine(counts[d]) +
                             " places along dimension " + Twine(d) +
                             " of the tile, which does not move in memory");
  if (llvm::Error error =
          writeWindow(op, *window, group, extents[1], (*tile)->elements))
    return error;
  group.machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runPosition(const Step &step, Group &group) {
  auto op = cast<gpu::PositionOp>(step.op);
  SmallVector<int64_t, 2> extents = getExtents(op.getTile().getType());
  auto tile = makeTile(extents[0] * extents[1]);
  for (int64_t r = 0; r < extents[0]; ++r)
    for (int64_t c = 0; c < extents[1]; ++c)
      tile->elements[r * extents[1] + c] = intSlot(op.getDim() == 0 ? r : c);
  setResult(step, group, TilePtr(std::move(tile)));
  return llvm::Error::success();
}

/// Element by element: each is a window of its own.
static llvm::Error runGather(const Step &step, Group &group) {
  static constexpr int64_t one[] = {1, 1};
  auto op = cast<gpu::GatherOp>(step.op);
  auto type = cast<RankedTensorType>(op.getTile().getType());
  SmallVector<TilePtr> indices;
  for (unsigned i = 1; i < step.in.size(); ++i) {
    auto index = getTile(step, group, i);
    if (!index)
      return index.takeError();
    indices.push_back(*index);
  }
  WindowOperands operands{get<MemoryPtr>(step, group, 0), {}, {}, {}, one};
  operands.offsets.resize(indices.size());
  auto tile = makeTile(type.getNumElements());
  std::vector<Slot> element(1);
  for (size_t i = 0; i < tile->elements.size(); ++i) {
    for (auto [offset, index] : llvm::zip_equal(operands.offsets, indices))
      offset = index->elements[i].i;
    auto window = findWindow(op, "reads", operands);
    if (!window)
      return window.takeError();
    if (llvm::Error error = readWindow(op, *window, group,
                                       isa<FloatType>(type.getElementType()),
                                       /*columns=*/1, element))
      return error;
    tile->elements[i] = element.front();
  }
  setResult(step, group, TilePtr(std::move(tile)));
  group.machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runTileAssert(const Step &step, Group &group) {
  auto op = cast<gpu::AssertOp>(step.op);
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  for (Slot holds : (*tile)->elements)
    if (holds.i == 0)
      return errorAt(op, "stops the kernel: " + op.getMessage());
  return llvm::Error::success();
}

static llvm::Error runAny(const Step &step, Group &group) {
  auto elements = getTile(step, group, 0);
  if (!elements)
    return elements.takeError();
  setResult(step, group,
            intSlot(llvm::any_of((*elements)->elements,
                                 [](Slot element) { return element.i != 0; })));
  return llvm::Error::success();
}

/// A group is one thread here.
static llvm::Error runAnyOfWarps(const Step &step, Group &group) {
  setResult(step, group, intSlot(getInteger(step, group, 0) != 0));
  return llvm::Error::success();
}

static llvm::Error runSplat(const Step &step, Group &group) {
  auto type = cast<RankedTensorType>(step.op->getResult(0).getType());
  auto tile = makeTile(type.getNumElements());
  std::fill(tile->elements.begin(), tile->elements.end(),
            get<Slot>(step, group, 0));
  setResult(step, group, TilePtr(std::move(tile)));
  return llvm::Error::success();
}

static llvm::Error runHold(const Step &step, Group &group) {
  if (isa<gpu::SharedType>(step.op->getOperand(0).getType())) {
    setResult(step, group, group.frame[step.in[0]]);
    return llvm::Error::success();
  }
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  setResult(step, group, *tile);
  return llvm::Error::success();
}

static llvm::Error runBroadcast(const Step &step, Group &group) {
  auto op = cast<gpu::BroadcastOp>(step.op);
  auto values = getTile(step, group, 0);
  if (!values)
    return values.takeError();
  const bool alongRows = gpu::getSlice(op.getValues().getType()).getDim() == 1;
  SmallVector<int64_t, 2> extents = getExtents(op.getTile().getType());
  auto tile = makeTile(extents[0] * extents[1]);
  for (int64_t r = 0; r < extents[0]; ++r)
    for (int64_t c = 0; c < extents[1]; ++c)
      tile->elements[r * extents[1] + c] =
          (*values)->elements[alongRows ? r : c];
  setResult(step, group, TilePtr(std::move(tile)));
  return llvm::Error::success();
}

static llvm::Error runRescale(const Step &step, Group &group) {
  auto op = cast<gpu::RescaleOp>(step.op);
  auto tile = getTile(step, group, 0), factors = getTile(step, group, 1);
  if (!tile || !factors)
    return llvm::joinErrors(tile.takeError(), factors.takeError());
  auto result = std::make_shared<Tile>(**tile);
  const int64_t columns = getExtents(op.getTile().getType())[1];
  std::optional<DType> dtype =
      getStoredType(op.getTile().getType().getElementType());
  for (auto [i, element] : llvm::enumerate(result->elements)) {
    const double product = element.f * (*factors)->elements[i / columns].f;
    element = floatSlot(dtype ? roundTo(*dtype, product) : product);
  }
  setResult(step, group, TilePtr(std::move(result)));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static double combine(gpu::Combiner kind, double a, double b) {
  switch (kind) {
  case gpu::Combiner::Add:
    return a + b;
  case gpu::Combiner::Mul:
    return a * b;
  case gpu::Combiner::Maximum:
    return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b);
  case gpu::Combiner::Minimum:
    return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b);
  case gpu::Combiner::MaxNum:
    return std::fmax(a, b);
  case gpu::Combiner::MinNum:
    return std::fmin(a, b);
  case gpu::Combiner::MaxSI:
  case gpu::Combiner::MinSI:
    break;
  }
  llvm_unreachable("the verifier admits these for integers only");
}

static int64_t combine(gpu::Combiner kind, int64_t a, int64_t b) {
  switch (kind) {
  case gpu::Combiner::Add:
    return static_cast<int64_t>(uint64_t(a) + uint64_t(b));
  case gpu::Combiner::Mul:
    return static_cast<int64_t>(uint64_t(a) * uint64_t(b));
  case gpu::Combiner::MaxSI:
    return std::max(a, b);
  case gpu::Combiner::MinSI:
    return std::min(a, b);
  case gpu::Combiner::Maximum:
  case gpu::Combiner::MaxNum:
  case gpu::Combiner::Minimum:
  case gpu::Combiner::MinNum:
    break;
  }
  llvm_unreachable("the verifier admits these for floats only");
}

namespace {
/// Combines elements of one type, rounding after each step.
struct Reducer {
  gpu::Combiner kind;
  std::optional<DType> dtype;
  bool isFloat;

  Reducer(gpu::Combiner kind, Type type)
      : kind(kind), dtype(getStoredType(getElementTypeOrSelf(type))),
        isFloat(isa<FloatType>(getElementTypeOrSelf(type))) {}

  Slot operator()(Slot a, Slot b) const {
    if (isFloat) {
      const double value = combine(kind, a.f, b.f);
      return floatSlot(dtype ? roundTo(*dtype, value) : value);
    }
    const int64_t value = combine(kind, a.i, b.i);
    return intSlot(dtype == DType::I32 ? static_cast<int32_t>(value) : value);
  }

  /// Neighbours first, so that errors grow as they do over lanes and warps:
  /// with the logarithm of the length.
  Slot reduce(SmallVectorImpl<Slot> &row) const {
    for (size_t length = row.size(); length > 1; length = (length + 1) / 2)
      for (size_t i = 0; 2 * i < length; ++i)
        row[i] = 2 * i + 1 < length ? (*this)(row[2 * i], row[2 * i + 1])
                                    : row[2 * i];
    return row.front();
  }
};
} // namespace

static llvm::Error runReduce(const Step &step, Group &group) {
  auto op = cast<gpu::ReduceOp>(step.op);
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  SmallVector<int64_t, 2> extents = getExtents(op.getTile().getType());
  const bool alongRows = op.getDim() == 1;
  const int64_t rows = extents[alongRows ? 0 : 1],
                length = extents[alongRows ? 1 : 0];
  Reducer reducer(op.getKind(), op.getTile().getType());
  auto result = makeTile(rows);
  SmallVector<Slot> row;
  for (int64_t r = 0; r < rows; ++r) {
    row.clear();
    for (int64_t i = 0; i < length; ++i)
      row.push_back((*tile)->elements[alongRows ? r * extents[1] + i
                                                : i * extents[1] + r]);
    result->elements[r] = reducer.reduce(row);
  }
  setResult(step, group, TilePtr(std::move(result)));
  group.machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runPartialReduce(const Step &step, Group &group) {
  auto op = cast<gpu::PartialReduceOp>(step.op);
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  const int64_t length = op.getTile().getType().getDimSize(1);
  const int64_t columns = op.getResult().getType().getDimSize(1);
  Reducer reducer(op.getKind(), op.getTile().getType());
  auto result = makeTile(op.getResult().getType().getNumElements());
  SmallVector<Slot> row;
  for (auto [i, element] : llvm::enumerate(result->elements)) {
    row.clear();
    for (int64_t c = i % columns; c < length; c += columns)
      row.push_back((*tile)->elements[i / columns * length + c]);
    element = reducer.reduce(row);
  }
  setResult(step, group, TilePtr(std::move(result)));
  group.machine.noteProgress();
  return llvm::Error::success();
}

TilePtr mlir::smx::gpuhost::combineTiles(gpu::Combiner kind, Type type,
                                         ArrayRef<TilePtr> tiles) {
  Reducer reducer(kind, type);
  auto result = std::make_shared<Tile>(*tiles.front());
  for (const TilePtr &tile : tiles.drop_front())
    for (size_t i = 0; i < tile->elements.size(); ++i)
      result->elements[i] = reducer(result->elements[i], tile->elements[i]);
  return result;
}

void mlir::smx::gpuhost::addTileOps(HandlerTable &table) {
  table["smx_gpu.load"] = runLoad;
  table["smx_gpu.store"] = runStore;
  table["smx_gpu.position"] = runPosition;
  table["smx_gpu.broadcast"] = runBroadcast;
  table["smx_gpu.rescale"] = runRescale;
  table["smx_gpu.reduce"] = runReduce;
  table["smx_gpu.partial_reduce"] = runPartialReduce;
  table["smx_gpu.hold"] = runHold;
  table["smx_gpu.gather"] = runGather;
  table["smx_gpu.assert"] = runTileAssert;
  table["smx_gpu.any"] = runAny;
  table["smx_gpu.any_of_warps"] = runAnyOfWarps;
  table["tensor.splat"] = runSplat;
}
