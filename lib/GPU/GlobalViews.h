//===- GlobalViews.h - tensors that lie in global memory --------*- C++ -*-===//
#ifndef SMX_LIB_GPU_GLOBALVIEWS_H
#define SMX_LIB_GPU_GLOBALVIEWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Sequence.h"

namespace mlir::smx::gpu {

/// A tensor value that stands for a box of a memref: dimension `d` of the
/// tensor runs along dimension `dims[d]` of the memref, from
/// `offsets[dims[d]]`; where `dims[d]` is -1 it stands still.
struct GlobalView {
  Value memref;
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> dims;
  /// Bytes that rows of the memref start at multiples of; 0: not known.
  int64_t aligned = 0;

  GlobalView() = default;
  /// All of `memref`, as it is.
  GlobalView(Value memref, int64_t rank, int64_t aligned)
      : memref(memref),
        offsets(rank, Builder(memref.getContext()).getIndexAttr(0)),
        dims(llvm::to_vector(llvm::seq<int64_t>(rank))), aligned(aligned) {}
};

/// `memref` with a stride of 0, and as long as one likes, along each dimension
/// whose condition is there and holds.
Value viewWithStops(OpBuilder &builder, Location loc, Value memref,
                    ArrayRef<Value> conditions);

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_GLOBALVIEWS_H
