//===- GlobalTile.h - tiles of global memory --------------------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_GLOBALTILE_H
#define SMX_LIB_NVVM_GLOBALTILE_H

#include "KernelLowering.h"

namespace mlir::smx {

/// Tile dimension `d` runs along one dimension of a memref.
struct GlobalDim {
  /// Elements from one place to the next: a constant, or an i64 value where
  /// `constantStride` is not set. 0: no movement.
  std::optional<int64_t> constantStride;
  Value stride;
  /// Places that are read or written: i32 in [0, extent]; null: all.
  Value valid;
};

/// A tile of global memory, as load, store, copy and put see it.
struct GlobalTile {
  /// Element (0, 0): `moved` bytes (i64) along the tile's dimensions from
  /// `base`, a !llvm.ptr<1> that all tiles at the same place in the other
  /// dimensions share, in and outside loops.
  Value base, moved;
  Type elementType;
  /// Bytes of an element in memory (i1: 1).
  int64_t elementBytes = 0;
  SmallVector<GlobalDim, 2> dims;
  /// The first element of every row lies at a multiple of so many bytes (at
  /// least the element's own alignment), where columns are contiguous.
  int64_t aligned = 0;

  bool contiguous() const { return dims.back().constantStride == 1; }
  Value start(ThreadCode &code) const { return code.advance(base, moved); }
};

/// The same value (i32, i64 or a pointer to global memory), of which LLVM knows
/// nothing: what it is computed from needs no registers afterwards, and what is
/// computed from it stays behind it.
Value opaque(ThreadCode &code, Value value);

/// Moves the insertion point before all loops around it in which `needed` is
/// not defined.
void leaveLoops(ThreadCode &code, ValueRange needed);

/// The operands of a load, store, copy or put; `descriptor` is the converted
/// memref, `offsets` and `valid` are converted (i64) and may be empty.
GlobalTile makeGlobalTile(ThreadCode &code, MemRefType type, Value descriptor,
                          ValueRange offsets, ValueRange valid,
                          ArrayRef<int64_t> dims, ArrayRef<int64_t> extents,
                          int64_t aligned);

/// Byte offset (i64) of place `at` (i32) + `constant` along dimension `d`.
Value byteOffset(ThreadCode &code, const GlobalTile &tile, int64_t d, Value at,
                 int64_t constant);

/// `bytes` (1, 2, 4, 8 or 16; aligned to that) at a global address, as a vector
/// of `type`'s elements; zeros and no access where `predicate` (i1, may be
/// null: always) is false. No divergent branch. What is read `again` is not
/// what was read from there before; what is `lasting` stays in the L2 cache.
Value loadGlobal(ThreadCode &code, Value address, VectorType type,
                 Value predicate, bool again = false, bool lasting = false);
/// Writes a vector, where `predicate` is true or null.
void storeGlobal(ThreadCode &code, Value vector, Value address,
                 Value predicate);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_GLOBALTILE_H
