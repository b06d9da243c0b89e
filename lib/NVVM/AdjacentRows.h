//===- AdjacentRows.h - rows that are one piece of memory -------*- C++ -*-===//
//
// Rows that follow one another without gaps are moved between global and shared
// memory in accesses of 16 bytes, whatever their length: the piece lies as far
// behind a multiple of 16 bytes in one as in the other. Each thread reads and
// writes its elements there, or reads words of two elements as they lie, where
// the columns of a row may stand in any order. The ends of the piece are moved
// by element; so is all of it where, in a call, there are gaps.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_ADJACENTROWS_H
#define SMX_LIB_NVVM_ADJACENTROWS_H

#include "GlobalTile.h"

#include <functional>

namespace mlir::smx {

/// A tile of such rows, of which `scratch` (!llvm.ptr<3>) is for the op alone.
class AdjacentTile {
public:
  /// `columns` of the tile are valid.
  AdjacentTile(ThreadCode &code, RankedTensorType tile,
               const GlobalTile &memory, int64_t columns, Value scratch);

  /// Asks for this thread's part of the piece. All threads of the block wait
  /// for their copies, and meet, before any reads.
  void fetch();
  /// The registers of the tile; 0 outside `valid`. Of valid columns any may be
  /// in the place of another one if they are `unordered`.
  Value read(bool unordered);
  /// Writes the tile, whose registers are `value`; meets on the way.
  void store(Value value);

private:
  Value readElements();
  /// A row that starts within a word has each element one column further on,
  /// and the last one where the first would be, which is that of another row.
  Value readWords();
  /// Whether words are read: a thread has both elements of each.
  bool hasWords() const;
  /// The word that register i is the first element of. `start`: of the row.
  Value wordFrom(int64_t i, Value start);
  /// 0 for columns that are beyond the row's end.
  void appendValid(int64_t i, Value pair, SmallVectorImpl<Value> &elements);
  /// Writes 0 for rows that are not there.
  void clearRest();

  using Bytes = llvm::function_ref<void(Value place, Value isValid)>;

  /// One of them, or both in branches.
  void asPieceOr(llvm::function_ref<void()> ofPiece,
                 llvm::function_ref<void()> ofElements);
  /// Calls `move` for the accesses of 16 bytes that this thread moves, with the
  /// place of each one in the piece, in bytes from the multiple before its
  /// start, and whether all of it is valid (null: it is).
  void forEachAccess(Bytes move);
  /// The same for elements of accesses that are valid in part.
  void forEachEnd(Bytes move);
  /// An element of rows with gaps: its place in shared memory, as above, of one
  /// that is in the tile; and where it is in global memory.
  struct Element {
    Value place, global, isInTile, isValid;
  };
  /// Calls `move` for those that this thread moves. It returns what is left to
  /// be done behind all of a batch.
  void forEachElement(llvm::function_ref<std::function<void()>(Element)> move);
  /// Of register i: where it is in shared memory, and whether its column is
  /// beyond the row's end (i1; null: of no thread).
  Value address(int64_t i);
  Value isOutside(int64_t i);

  ThreadCode &code;
  RankedTensorType tile;
  const GlobalTile &memory;
  int64_t columns, elementBytes;
  VectorType one, access;
  /// Of the piece: where it starts in global memory; how far that is behind a
  /// multiple of 16 bytes, and where it ends from there on (i32); the multiple,
  /// and the same place in shared memory.
  Value start, phase, end, global, shared;
  /// i32; and i1: rows follow one another, or null if the type says whether
  /// they do.
  Value validRows, isPiece;
  ThreadCoordinate first;
};

/// Bytes of shared memory for a load or store of adjacent rows; 0 for other
/// ops.
int64_t adjacentScratchBytes(Operation *op);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_ADJACENTROWS_H
