//===- LoopResults.h - more results of loops over tiles ---------*- C++ -*-===//
#ifndef SMX_LIB_TILING_LOOPRESULTS_H
#define SMX_LIB_TILING_LOOPRESULTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

/// `loop` with `more` results, which its body does not put together yet.
/// Nothing is left in the old one; `onArgument` is told of each argument of its
/// body, which is going to be erased, and of the one that replaces it.
scf::ForallOp addResults(RewriterBase &rewriter, scf::ForallOp loop,
                         ArrayRef<Value> more,
                         function_ref<void(Value, Value)> onArgument = {});

/// The numbers of those loops of an op that `map` has, a projected permutation.
SmallVector<OpFoldResult> pickLoops(ArrayRef<OpFoldResult> numbers,
                                    AffineMap map);

/// What `map` addresses of `tensor` in a tile of an op's loops.
Value sliceOfTile(OpBuilder &builder, Location loc, Value tensor, AffineMap map,
                  ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes);

/// A product has the registers of its loop, which has no room for tiles of what
/// else is read. Rows that are reduced are in registers, and so are tiles of
/// other tensors beside them.
bool multipliesMatrices(scf::ForallOp loop);

/// Some loops, one for each dimension, in their order. What is transposed is
/// read in tiles of its own.
bool isInOrder(AffineMap map);

} // namespace mlir::smx

#endif // SMX_LIB_TILING_LOOPRESULTS_H
