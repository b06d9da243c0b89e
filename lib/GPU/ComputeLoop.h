//===- ComputeLoop.h - loops over tiles of rows that compute ----*- C++ -*-===//
#ifndef SMX_LIB_GPU_COMPUTELOOP_H
#define SMX_LIB_GPU_COMPUTELOOP_H

#include "TileWalk.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::smx::gpu {

/// What computes: a head with the scores of a tile's first round and its
/// weights, and a tail with the last sum of weights.
struct ComputeLoop : TileWalk {
  /// Nothing for a role that does anything else.
  static std::optional<ComputeLoop> match(RoleOp role);
  /// The head of the next tile stands under the last product of this one.
  void rewrite();
  /// True if the sum of weights has at most so many columns, and not every
  /// round asks whether its tile is cut.
  bool leavesRegisters(int64_t columns) {
    return sum.getAcc().getType().getDimSize(1) <= columns &&
           llvm::count_if(rounds, llvm::IsaPred<scf::ForOp>) > 1;
  }

  /// True if the last product may have to be added term by term.
  bool mayNeedTerms();

  MmaAsyncOp scores, sum;
  WaitOp scoresDone, sumDone;
  /// Adds the last product term by term instead, where its then side runs. May
  /// be null.
  scf::IfOp terms;
  GetOp getRows, getKeys;
  ReleaseOp releaseRows;
  /// What the rounds and the tail have of the head, but for numbers.
  llvm::SetVector<Value> carried;

private:
  bool matchSum();
  /// Where the last product stands.
  Operation *placeOfSum() { return terms ? terms : sum.getOperation(); }
  template <typename Between>
  SmallVector<Value> cloneHead(OpBuilder &builder, const Place &place,
                               PassTurnOp without, Between between);
  void addTerms(OpBuilder &builder, IRMapping &mapping);
  /// True if rounds pass a turn on when their products are done.
  bool keepsTurns();
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_COMPUTELOOP_H
