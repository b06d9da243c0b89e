//===- RowPieces.h - a long row's tile, in pieces ---------------*- C++ -*-===//
//
// The first piece stays in registers, and the others in shared memory: each
// reduction, and each store, reads them again from there.
// What one of them computes for a later one takes its place, if as wide.
//
//===----------------------------------------------------------------------===//

#ifndef SMX_LIB_GPU_ROWPIECES_H
#define SMX_LIB_GPU_ROWPIECES_H

#include "smx/GPU/SmxGpu.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {

/// Neighbouring columns of the row's tile.
struct Piece {
  int64_t first = 0, columns = 0;
  /// Loaded tiles: in registers, or in shared memory.
  llvm::DenseMap<Value, Value> loaded;
};

class RowPieces {
public:
  RowPieces(KernelOp kernel, ArrayRef<LoadOp> loads, int64_t bytes);

  /// Fails, and nothing has changed, if an op has no form on pieces.
  LogicalResult run();
  size_t count() const { return pieces.size(); }

private:
  /// A tile of the whole row, or of the parts of its warps.
  bool isWhole(Type type) const {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && getLayout(tile) && tile.getNumElements() == columns;
  }
  RankedTensorType typeOf(const Piece &piece, Value tile) const {
    auto type = cast<RankedTensorType>(tile.getType());
    int64_t rows = type.getDimSize(0);
    return RankedTensorType::get({rows, piece.columns / rows},
                                 type.getElementType(), type.getEncoding());
  }
  bool isKnown(Operation *op) const;
  void load(OpBuilder &builder, Piece &piece, bool isShared);
  /// The piece of a tile, computed at the builder's place.
  Value pieceOf(OpBuilder &builder, Piece &piece, Value tile, IRMapping &made);
  /// All whole tiles that a value is computed from, and itself.
  void collect(Value value, llvm::SetVector<Value> &chain) const;
  /// Finds what reductions compute for later roots.
  void findKept(ArrayRef<Operation *> roots);
  void keep(OpBuilder &builder, Piece &piece, Value tile, Value made);
  /// What a thread has of a piece that a reduction needs, and is kept.
  Value pieceFor(OpBuilder &builder, Piece &piece, Operation *reduction);
  Value firstStripe(OpBuilder &builder, Operation *reduction, Combiner kind);
  void convertReduce(ReduceOp op);
  /// A sum of each thread, which is widened.
  void convertSum(PartialReduceOp op);
  void convertStore(StoreOp op);
  /// Of a load or a store: offsets and valid extents of a piece.
  template <typename OpTy>
  void moveTo(OpBuilder &builder, const Piece &piece, OpTy op);

  KernelOp kernel;
  SmallVector<LoadOp> loads;
  int64_t columns;
  SmallVector<Piece> pieces;
  IRMapping inRegisters;
  /// Of a reduction: the tile that takes the place of the loaded one.
  llvm::DenseMap<Operation *, Value> keptBy;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_ROWPIECES_H
