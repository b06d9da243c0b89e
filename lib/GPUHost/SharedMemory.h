//===- SharedMemory.h - shared tiles, and who may touch them ----*- C++ -*-===//
#ifndef SMX_LIB_GPUHOST_SHAREDMEMORY_H
#define SMX_LIB_GPUHOST_SHAREDMEMORY_H

#include "Machine.h"

namespace mlir::smx::gpuhost {

/// The warp that holds each element of a register tile, row-major.
using WarpMap = std::vector<uint8_t>;

/// The map of a two-dimensional tile with a layout.
WarpMap getWarpMap(RankedTensorType tile);

/// The last time that something was done to a tile.
struct Access {
  Moment when;
  /// Barriers that the group had passed by then.
  uint64_t meeting = 0;
  const Group *group = nullptr;
  Operation *op = nullptr;
  /// Which warps touched an element since that barrier: a bit per warp. Empty:
  /// all of them touched all.
  std::vector<uint32_t> warps;
};

/// A tile of shared memory: one `alloc`, or one stage of a channel.
struct SharedTile {
  Operation *made = nullptr;
  int64_t rows = 0, columns = 0;
  std::vector<Slot> elements;

  /// Number of the put that filled it, from 1; of a stage.
  int64_t filledBy = 0;
  bool isWritten = false;
  Access lastWrite;
  /// The last read of each group.
  SmallVector<Access, 4> lastReads;
  /// Products that may still be reading.
  SmallVector<ProductPtr> products;

  SharedTile(Operation *made, ArrayRef<int64_t> shape, Type elementType);
};

/// A look at a shared tile by the warps of a group: an error if the tile is not
/// theirs to read or if something that is not ordered with it wrote there.
/// `warps`: which warp reads an element; null if every warp reads them all.
llvm::Error beginRead(Group &group, Operation *op, const SharedHandle &shared,
                      const WarpMap *warps);

/// The same for writing a tile as a whole; the write is not noted. Under the
/// machine's lock.
llvm::Error checkWrite(const Group &group, Operation *op, SharedTile &tile,
                       const WarpMap *warps);
void noteWrite(const Group &group, Operation *op, SharedTile &tile,
               const WarpMap *warps);

/// The same for a put that has found the stage empty; under the machine's lock.
llvm::Error beginPut(Group &group, Operation *op, SharedTile &tile);

/// An error if the handle is of a stage that was released.
llvm::Error checkHandle(Operation *op, const SharedHandle &shared);

/// The product that still reads the tile, or null; under the lock.
const Product *findRunningProduct(SharedTile &tile);

/// From now until its wait, `product` reads the tile.
void addReader(Group &group, SharedTile &tile, ProductPtr product);

} // namespace mlir::smx::gpuhost

#endif // SMX_LIB_GPUHOST_SHAREDMEMORY_H
