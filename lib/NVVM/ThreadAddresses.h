//===- ThreadAddresses.h - a thread's elements of a shared tile -*- C++ -*-===//
//
// The index algebra of SharedAddress.h, as code of a thread.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_THREADADDRESSES_H
#define SMX_LIB_NVVM_THREADADDRESSES_H

#include "KernelLowering.h"
#include "SharedAddress.h"
#include "ThreadInteger.h"

namespace mlir::smx {

using ThreadIntegerPlace = ::smx::gpu::ThreadPlace<ThreadInteger>;

/// How tiles of a type lie in shared memory.
::smx::gpu::SharedTile sharedTileOf(gpu::SharedType type);

/// Addresses of the elements that lie constant steps away from the first one of
/// the executing thread. The part that differs between threads is computed once
/// per pattern of the swizzle; the rest is an immediate of the access.
class ThreadAddresses {
public:
  /// `base` is the address of the tile (!llvm.ptr<3>), `place` the thread's
  /// first element, and `bits` those that its place may have. Keeps `code`.
  ThreadAddresses(ThreadCode &code, gpu::SharedType type, Value base,
                  ThreadIntegerPlace place, ::smx::gpu::PlaceBits bits);

  /// The address `step` away. Emits code, which later calls may use again: the
  /// first call for a pattern must dominate the others.
  Value at(::smx::gpu::Coordinate step);
  /// The address `step` and `by` away: computed in full.
  Value at(::smx::gpu::Coordinate step, ThreadIntegerPlace by);

private:
  Value pointer(ThreadInteger address);

  ThreadCode &code;
  ::smx::gpu::SharedTile tile;
  ThreadInteger base;
  ThreadIntegerPlace place;
  ::smx::gpu::PlaceBits bits;
  /// By phase and flip.
  llvm::SmallDenseMap<std::pair<int64_t, int64_t>, Value> patterns;
};

/// A load of `type` (a scalar or a vector of at most 16 bytes) from shared
/// memory, and a store, aligned to the bytes that they move.
Value loadShared(ThreadCode &code, Type type, Value address);
void storeShared(ThreadCode &code, Value value, Value address);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_THREADADDRESSES_H
