//===- Parts.cpp - rows that warps hold in parts --------------------------===//

#include "ThreadBlock.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

/// Warps, or threads, take turns along the row, each with a vector for every
/// one of its lanes. One value of each thread is in its place.
static llvm::Error runParts(const Step &step, Group &group) {
  auto op = cast<gpu::PartsOp>(step.op);
  auto tile = getTile(step, group, 0);
  if (!tile)
    return tile.takeError();
  auto from = cast<RankedTensorType>(op.getTile().getType()),
       to = cast<RankedTensorType>(op.getResult().getType());
  if (from.getRank() == 1) {
    setResult(step, group, *tile);
    return llvm::Error::success();
  }
  const bool isBack =
      cast<gpu::StripedAttr>(gpu::getLayout(from)).getRowThreads() > 1;
  auto parts = isBack ? from : to;
  auto layout = cast<gpu::StripedAttr>(gpu::getLayout(parts));
  const int64_t rows = parts.getDimSize(0), columns = parts.getDimSize(1),
                run = layout.getColumnThreads() * layout.getVector();
  auto result = makeTile(to.getNumElements());
  for (int64_t p = 0; p < rows; ++p)
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t inRow = (c / run * rows + p) * run + c % run,
                    inParts = p * columns + c;
      result->elements[isBack ? inRow : inParts] =
          (*tile)->elements[isBack ? inParts : inRow];
    }
  setResult(step, group, TilePtr(std::move(result)));
  return llvm::Error::success();
}

/// The elements of tiles, one tile after the other.
static TilePtr inOrder(ArrayRef<TilePtr> tiles) {
  auto all = makeTile(0);
  for (const TilePtr &tile : tiles)
    all->elements.insert(all->elements.end(), tile->elements.begin(),
                         tile->elements.end());
  return all;
}

/// The values of all operands, one operand after the other.
static llvm::Expected<TilePtr> valuesOf(const Step &step, Group &group) {
  SmallVector<TilePtr> tiles;
  for (unsigned i = 0; i < step.in.size(); ++i) {
    auto tile = getTile(step, group, i);
    if (!tile)
      return tile.takeError();
    tiles.push_back(*tile);
  }
  return inOrder(tiles);
}

static llvm::Error runCollect(const Step &step, Group &group) {
  auto op = cast<gpu::CollectOp>(step.op);
  auto values = valuesOf(step, group);
  if (!values)
    return values.takeError();
  TilePtr gathered = *values;
  if (!op.getInBlock()) {
    auto ofCluster = combineInCluster(step, group, *values, inOrder);
    if (!ofCluster)
      return ofCluster.takeError();
    gathered = *ofCluster;
  }
  const std::vector<Slot> &all = gathered->elements;
  const int64_t operands = op.getValues().size(),
                perBlock = (*values)->elements.size(),
                warps = perBlock / operands;
  for (int64_t operand = 0; operand < operands; ++operand) {
    auto type = cast<RankedTensorType>(op.getCollected()[operand].getType());
    const int64_t columns = type.getDimSize(1);
    const std::optional<Slot> fill = readScalar(op.getFill()[operand]);
    auto tile = makeTile(type.getNumElements());
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      const int64_t place = i % columns / warps * perBlock + operand * warps +
                            i % columns % warps;
      tile->elements[i] =
          place < static_cast<int64_t>(all.size()) ? all[place] : *fill;
    }
    setResult(step, group, TilePtr(std::move(tile)), operand);
  }
  group.machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runAgreed(const Step &step, Group &group) {
  auto values = getTile(step, group, 0);
  if (!values)
    return values.takeError();
  const Slot first = (*values)->elements.front();
  for (Slot other : (*values)->elements)
    if (other.i != first.i)
      return errorAt(step.op, "has rows that do not agree");
  auto result = makeTile(
      cast<RankedTensorType>(step.op->getResult(0).getType()).getNumElements());
  std::fill(result->elements.begin(), result->elements.end(), first);
  setResult(step, group, TilePtr(std::move(result)));
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addPartOps(HandlerTable &table) {
  table["smx_gpu.parts"] = runParts;
  table["smx_gpu.collect"] = runCollect;
  table["smx_gpu.agreed"] = runAgreed;
}
