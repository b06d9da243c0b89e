//===- Values.h - what values of a kernel are on the host -------*- C++ -*-===//
#ifndef SMX_LIB_GPUHOST_VALUES_H
#define SMX_LIB_GPUHOST_VALUES_H

#include "smx/Evaluator/ScalarOps.h"

#include <atomic>
#include <memory>
#include <variant>
#include <vector>

namespace mlir::smx::gpuhost {

struct Channel;
struct Group;
struct SharedTile;
struct Turns;

/// A matrix product that runs on its own. It is computed when it is issued, and
/// shown when it has been waited for.
struct Product {
  Operation *op = nullptr;
  Group *issuer = nullptr;
  /// Its place among the products of the issuing group, from 1.
  int64_t number = 0;
  bool waitedFor = false;
  std::vector<Slot> sum;
};
using ProductPtr = std::shared_ptr<Product>;

/// A register tile, row-major.
struct Tile {
  std::vector<Slot> elements;
  /// The product that will make it; the elements are NaN until its wait.
  ProductPtr runningProduct;
};
using TilePtr = std::shared_ptr<const Tile>;

/// A shared tile of a kernel, or the stage of a channel that a `get` gave.
struct SharedHandle {
  SharedTile *tile = nullptr;
  /// What a stage came from: its channel, the number of the `get`, and who got
  /// it.
  Channel *channel = nullptr;
  int64_t number = 0;
  Group *owner = nullptr;
};

/// Which clusters of a launch have read and written each element: nothing but
/// announcements orders one cluster with another.
struct LaunchAccesses {
  /// Numbers of clusters, from 1; 0: none.
  std::vector<std::atomic<uint32_t>> writer, reader;
  static constexpr uint32_t several = ~uint32_t(0);

  explicit LaunchAccesses(int64_t elements)
      : writer(elements), reader(elements) {}
};

/// Bytes that memrefs lie in.
struct Allocation {
  char *data = nullptr;
  int64_t capacity = 0;
  /// While a kernel runs.
  std::shared_ptr<LaunchAccesses> accesses;
  std::vector<char> owned;
  bool freed = false;
};

/// A memref.
struct Memory {
  std::shared_ptr<Allocation> allocation;
  ::smx::reference::DType dtype = ::smx::reference::DType::F32;
  int64_t offset = 0;
  SmallVector<int64_t, 4> sizes, strides;
};
using MemoryPtr = std::shared_ptr<const Memory>;

using HostValue = std::variant<Slot, TilePtr, MemoryPtr, SharedHandle,
                               Channel *, Turns *, ProductPtr>;

} // namespace mlir::smx::gpuhost

#endif // SMX_LIB_GPUHOST_VALUES_H
