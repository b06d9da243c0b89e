//===- Launch.h - start a kernel --------------------------------*- C++ -*-===//
#ifndef SMX_CUDA_LAUNCH_H
#define SMX_CUDA_LAUNCH_H

#include "smx/CUDA/Buffer.h"
#include "smx/CUDA/Module.h"
#include "smx/CUDA/TensorMap.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <type_traits>

namespace smx::cuda {

/// Extents in x, y, z.
struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;

  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// Shape of a launch.
struct LaunchConfig {
  /// Blocks; a multiple of `cluster` in every dimension.
  Dim3 grid;
  /// Threads of a block.
  Dim3 block;
  /// Blocks of a cluster; 1, 1, 1 leaves it to the kernel.
  Dim3 cluster;
  /// Bytes.
  int64_t dynamicShared = 0;
  /// Programmatic dependent launch: the kernel may start before the one in
  /// front of it in the stream has ended, and waits for it by itself.
  bool overlapsPrevious = false;
};

/// Arguments of a kernel, in order, each as the bytes that the kernel sees.
class KernelArgs {
public:
  /// A number or another plain value of exactly the parameter's type.
  template <typename T>
  KernelArgs &add(const T &value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                  "pass a host value; for device memory its Buffer or address");
    return addBytes(&value, sizeof(T));
  }
  /// The address of the buffer's payload.
  KernelArgs &add(const Buffer &buffer);
  /// 128 bytes by value.
  KernelArgs &add(const TensorMap &map);
  /// `bytes` of any kind; they are copied.
  KernelArgs &addBytes(const void *data, size_t bytes);

  size_t size() const { return places.size(); }
  /// The bytes of argument `index`, aligned to 64.
  llvm::ArrayRef<std::byte> bytes(size_t index) const;
  /// Device of argument `index`; -1 for a plain value.
  int device(size_t index) const { return places[index].device; }

private:
  /// Where an argument lies in `chunks`.
  struct Place {
    size_t chunk;
    size_t bytes;
    int device;
  };
  struct alignas(64) Chunk {
    std::array<std::byte, 64> data;
  };
  std::vector<Chunk> chunks;
  llvm::SmallVector<Place, 16> places;
};

/// Queues a launch. Everything that can be told beforehand is checked: devices,
/// number and size of the arguments, threads, shared memory, cluster. A grid of
/// no blocks is a success without a launch. Faults inside of the kernel show
/// when the stream is synchronised.
llvm::Error launch(const Function &function, const Stream &stream,
                   const LaunchConfig &config, const KernelArgs &args);

} // namespace smx::cuda

#endif // SMX_CUDA_LAUNCH_H
