//===- RowPieces.h - a long row's tile, in pieces ---------------*- C++ -*-===//
//
// The first pieces stay in registers, and the others in shared memory: each
// reduction, and each store, reads them again from there. What one of them
// computes for a later one takes its place, if as wide. What is the same for
// all rows is read where a piece is made of it.
//
//===----------------------------------------------------------------------===//

#ifndef SMX_LIB_GPU_ROWPIECES_H
#define SMX_LIB_GPU_ROWPIECES_H

#include "PartialStates.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {

/// Neighbouring columns of the row's tile.
struct Piece {
  int64_t first = 0, columns = 0;
  bool isShared = false;
  /// What was made of it for roots before, if registers have it still.
  IRMapping made;
  /// Loaded tiles: in registers, or in shared memory.
  llvm::DenseMap<Value, Value> loaded;
  /// What the weights that are kept are to be multiplied by, if anything.
  Value factor;
};

/// A maximum of the row, and the sum of weights whose reference follows from
/// it.
struct RowState {
  ReduceOp maximum;
  /// A reduction, or the sums of threads.
  Operation *sum;
  Weight weight;

  Value weights() const { return weight.exponential->getResult(0); }
  /// The whole tile of the reference.
  Value reference() const { return weight.difference.getRhs(); }
};

/// Memory with one value for each column: an only row, or the weights of a
/// norm, of which what one row needs is read for the next one, too, and cached.
inline bool isOfAllRows(LoadOp load) {
  return load.getSource().getType().getRank() == 1;
}

class RowPieces {
public:
  /// Of those in registers a thread has `bytes`, up to `accesses` of each load
  /// in a piece. Pieces have up to `states` states, if more than one.
  RowPieces(KernelOp kernel, ArrayRef<LoadOp> loads, int64_t bytes,
            int64_t accesses, int64_t states);

  /// Fails, and nothing has changed, if an op has no form on pieces, or if
  /// there are to be several states of what is not one.
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
  /// What all pieces of `tile` are reduced to before there is one exchange: as
  /// many columns as divide those of each.
  RankedTensorType stripeOf(Value tile) const;
  bool isKnown(Operation *op) const;
  void load(OpBuilder &builder, Piece &piece);
  Value loadPiece(OpBuilder &builder, const Piece &piece, LoadOp load);
  Value copyPiece(OpBuilder &builder, const Piece &piece, LoadOp load);
  /// The piece of a tile, computed at the builder's place.
  Value pieceOf(OpBuilder &builder, Piece &piece, Value tile, IRMapping &made);
  static IRMapping &madeBefore(Piece &piece, IRMapping &local) {
    return piece.isShared ? local : piece.made;
  }
  /// All whole tiles that a value is computed from, and itself.
  void collect(Value value, llvm::SetVector<Value> &chain) const;
  /// Finds what reductions compute for later roots.
  void findKept(ArrayRef<Operation *> roots);
  void keep(OpBuilder &builder, Piece &piece, Value tile, Value made);
  /// A loaded tile, or what has taken its place, in the form of `tile`.
  Value loadedOf(OpBuilder &builder, Piece &piece, Value tile);
  /// What is kept of a piece, with its factor; `product` is `tile`, or a
  /// product of it with a value of the row.
  Value weighed(OpBuilder &builder, Piece &piece, Operation *product);

  using Pieces = MutableArrayRef<Piece>;
  /// What a thread has of a piece that a reduction needs, as many elements as
  /// of any other one; with another `reference` than there is, if any.
  Value pieceFor(OpBuilder &builder, Piece &piece, Operation *reduction,
                 Value reference);
  Value combined(OpBuilder &builder, Pieces some, ReduceOp reduction,
                 Value reference);
  /// The sums of threads, widened.
  Value combined(OpBuilder &builder, Pieces some, PartialReduceOp sum,
                 Value reference);
  void convertReduction(Operation *op);
  void convertStore(StoreOp op);
  /// The state that the first two reductions make, if it can be parted.
  std::optional<RowState> matchState(ArrayRef<Operation *> roots);
  /// Some pieces after others: weights of the first ones are computed, by their
  /// own maximum, before the others have arrived.
  void convertState();
  /// Offsets and valid extents of a piece, for a load or a store.
  template <typename OpTy>
  void moveTo(OpBuilder &builder, const Piece &piece, OpTy op);

  KernelOp kernel;
  SmallVector<LoadOp> loads;
  int64_t columns, states;
  SmallVector<Piece> pieces;
  std::optional<RowState> state;
  /// By reduction, the tile that takes the place of the loaded one.
  llvm::DenseMap<Operation *, Value> keptBy;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_ROWPIECES_H
