//===- SharedMemory.cpp - shared tiles, and who may touch them ------------===//

#include "SharedMemory.h"

#include "Channels.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

SharedTile::SharedTile(Operation *made, ArrayRef<int64_t> shape,
                       Type elementType)
    : made(made), rows(shape[0]), columns(shape[1]),
      elements(rows * columns,
               isa<FloatType>(elementType)
                   ? floatSlot(std::numeric_limits<double>::quiet_NaN())
                   : intSlot(0)) {}

WarpMap mlir::smx::gpuhost::getWarpMap(RankedTensorType tile) {
  gpu::LayoutAttrInterface layout = gpu::getLayout(tile);
  WarpMap warps(tile.getNumElements(), 0);
  for (int64_t thread = 0; thread < layout.getThreads(); ++thread)
    for (int64_t i = 0, e = layout.getRegisters(tile.getShape()); i < e; ++i) {
      ::smx::gpu::Coordinate at =
          layout.getCoordinate(tile.getShape(), thread, i);
      warps[at.row * tile.getDimSize(1) + at.column] =
          thread / ::smx::gpu::warpThreads;
    }
  return warps;
}

/// The meeting of an access that the barriers of a channel order.
static constexpr uint64_t orderedByBarriers = ~uint64_t(0);

//===----------------------------------------------------------------------===//
// Between groups
//===----------------------------------------------------------------------===//

const Product *mlir::smx::gpuhost::findRunningProduct(SharedTile &tile) {
  llvm::erase_if(tile.products, [](const ProductPtr &product) {
    return product->number <= product->issuer->completed;
  });
  return tile.products.empty() ? nullptr : tile.products.front().get();
}

void mlir::smx::gpuhost::addReader(Group &group, SharedTile &tile,
                                   ProductPtr product) {
  Machine::Lock held = group.machine.lock();
  tile.products.push_back(std::move(product));
}

llvm::Error mlir::smx::gpuhost::checkHandle(Operation *op,
                                            const SharedHandle &shared) {
  if (!shared.channel)
    return llvm::Error::success();
  const Consumer *consumer = shared.channel->findConsumer(*shared.owner);
  if (consumer->nextToRelease() > shared.number)
    return errorAt(op, "uses tile " + Twine(shared.number) + " of " +
                           describe(*shared.channel) +
                           " after its release by " + shared.owner->name);
  assert(shared.tile->filledBy == shared.number + 1 &&
         "a stage is not filled again before all have released it");
  return llvm::Error::success();
}

static llvm::Error unordered(Operation *op, StringRef does, const Group &group,
                             const SharedTile &tile, StringRef did,
                             const Access &other) {
  return errorAt(op, does + " the shared tile made at " + placeOf(tile.made) +
                         " in " + group.name + ", which " + other.group->name +
                         " " + did + " at " + placeOf(other.op) +
                         ": nothing orders the two (a barrier, a channel or a "
                         "turn between them would)");
}

//===----------------------------------------------------------------------===//
// Between the warps of a group
//===----------------------------------------------------------------------===//

/// The bits of the warps that touch element `i`.
static uint32_t warpsAt(const WarpMap *warps, size_t i) {
  return warps ? uint32_t(1) << (*warps)[i] : ~uint32_t(0);
}
static uint32_t warpsAt(const std::vector<uint32_t> &masks, size_t i) {
  return masks.empty() ? ~uint32_t(0) : masks[i];
}

/// The first element that some warp is about to touch and another one has
/// touched, or none.
static std::optional<size_t> findOtherWarp(const SharedTile &tile,
                                           const WarpMap *now,
                                           const std::vector<uint32_t> &before,
                                           int64_t groupWarps) {
  if (groupWarps == 1)
    return std::nullopt;
  const uint32_t all =
      groupWarps >= 32 ? ~uint32_t(0) : (uint32_t(1) << groupWarps) - 1;
  for (size_t i = 0; i < tile.elements.size(); ++i) {
    const uint32_t first = warpsAt(before, i) & all,
                   second = warpsAt(now, i) & all;
    // Fine only if one and the same warp does both.
    if (first != second || (first & (first - 1)) != 0)
      return i;
  }
  return std::nullopt;
}

static llvm::Error withoutBarrier(Operation *op, StringRef does,
                                  const SharedTile &tile, size_t element,
                                  StringRef did, const Access &other) {
  return errorAt(op, does + " element [" + Twine(element / tile.columns) +
                         ", " + Twine(element % tile.columns) +
                         "] of the shared tile made at " + placeOf(tile.made) +
                         " in another warp than the one that " + did +
                         " it at " + placeOf(other.op) +
                         ", without a barrier between the two");
}

static std::vector<uint32_t> toMasks(const WarpMap *warps) {
  std::vector<uint32_t> masks;
  if (warps)
    for (uint8_t warp : *warps)
      masks.push_back(uint32_t(1) << warp);
  return masks;
}

/// Adds to the warps that have read since the last barrier.
static void addReaders(std::vector<uint32_t> &readers, const WarpMap *warps) {
  if (!warps)
    readers.clear();
  for (size_t i = 0; i < readers.size(); ++i)
    readers[i] |= uint32_t(1) << (*warps)[i];
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

llvm::Error mlir::smx::gpuhost::beginRead(Group &group, Operation *op,
                                          const SharedHandle &shared,
                                          const WarpMap *warps) {
  Machine::Lock held = group.machine.lock();
  if (llvm::Error error = checkHandle(op, shared))
    return error;
  SharedTile &tile = *shared.tile;
  if (!tile.isWritten)
    return errorAt(op, "reads the shared tile made at " + placeOf(tile.made) +
                           ", which nothing has been written to");
  const Access &write = tile.lastWrite;
  if (!group.clock.hasSeen(write.when))
    return unordered(op, "reads", group, tile, "writes", write);
  if (write.group == &group && write.meeting == group.meetings)
    if (auto element = findOtherWarp(tile, warps, write.warps, group.warps))
      return withoutBarrier(op, "reads", tile, *element, "wrote", write);

  Access *mine = llvm::find_if(
      tile.lastReads, [&](const Access &read) { return read.group == &group; });
  if (mine == tile.lastReads.end()) {
    tile.lastReads.push_back(
        {group.now(), group.meetings, &group, op, toMasks(warps)});
    return llvm::Error::success();
  }
  if (mine->meeting == group.meetings)
    addReaders(mine->warps, warps);
  else
    mine->warps = toMasks(warps);
  mine->when = group.now();
  mine->meeting = group.meetings;
  mine->op = op;
  return llvm::Error::success();
}

/// Nothing that other groups, or running products, have done or do to the tile
/// is in the way of writing it.
static llvm::Error checkOrderedWrite(const Group &group, Operation *op,
                                     SharedTile &tile) {
  if (const Product *product = findRunningProduct(tile))
    return errorAt(op, "overwrites the shared tile made at " +
                           placeOf(tile.made) + " while the product at " +
                           placeOf(product->op) + " of " +
                           product->issuer->name +
                           " reads it: it has not been waited for");
  if (tile.isWritten && !group.clock.hasSeen(tile.lastWrite.when))
    return unordered(op, "writes", group, tile, "writes", tile.lastWrite);
  for (const Access &read : tile.lastReads)
    if (!group.clock.hasSeen(read.when))
      return unordered(op, "writes", group, tile, "reads", read);
  return llvm::Error::success();
}

llvm::Error mlir::smx::gpuhost::beginPut(Group &group, Operation *op,
                                         SharedTile &tile) {
  if (llvm::Error error = checkOrderedWrite(group, op, tile))
    return error;
  tile.isWritten = true;
  tile.lastWrite = {group.now(), orderedByBarriers, &group, op, {}};
  tile.lastReads.clear();
  return llvm::Error::success();
}

llvm::Error mlir::smx::gpuhost::checkWrite(const Group &group, Operation *op,
                                           SharedTile &tile,
                                           const WarpMap *warps) {
  if (llvm::Error error = checkOrderedWrite(group, op, tile))
    return error;
  for (const Access &read : tile.lastReads)
    if (read.group == &group && read.meeting == group.meetings)
      if (auto element = findOtherWarp(tile, warps, read.warps, group.warps))
        return withoutBarrier(op, "writes", tile, *element, "read", read);
  if (tile.isWritten && tile.lastWrite.group == &group &&
      tile.lastWrite.meeting == group.meetings)
    if (auto element =
            findOtherWarp(tile, warps, tile.lastWrite.warps, group.warps))
      return withoutBarrier(op, "writes", tile, *element, "wrote",
                            tile.lastWrite);
  return llvm::Error::success();
}

void mlir::smx::gpuhost::noteWrite(const Group &group, Operation *op,
                                   SharedTile &tile, const WarpMap *warps) {
  tile.isWritten = true;
  tile.lastWrite = {group.now(), group.meetings, &group, op, toMasks(warps)};
  tile.lastReads.clear();
}
