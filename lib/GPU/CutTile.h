//===- CutTile.h - what only a tile that is cut needs -----------*- C++ -*-===//
#ifndef SMX_LIB_GPU_CUTTILE_H
#define SMX_LIB_GPU_CUTTILE_H

#include "LoopPair.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace mlir::smx::gpu {

/// What `condition` is computed from in its block, in order; none if that is
/// more than places: it is computed twice.
std::optional<SmallVector<Operation *>> placesOf(Value condition);

/// True if the mask only tells zeros from each other: what it hides is 0
/// anyway, by another mask in front.
bool isMark(const LoopPair &pair, TileMask mask);

/// Writes what only a tile that is cut needs.
class CutTile {
public:
  CutTile(RewriterBase &rewriter, Value isCut)
      : rewriter(rewriter), isCut(isCut) {}

  void hide(TileMask mask);
  /// A tile that is not cut has the extent of a whole one.
  void widen(CutExtent extent);
  /// Leaves zeros of all kinds, which a guarded product is to tell apart.
  void leaveUnmarked(TileMask mask);
  void guard(MmaOp product);

private:
  /// `op` is replaced by what `whenCut` gives in a tile that is cut, and by
  /// what `otherwise` gives in another.
  Value choose(Operation *op, function_ref<Value()> whenCut,
               function_ref<Value()> otherwise);
  /// What is shown, computed once more.
  Value cloneShown(TileMask mask);
  RewriterBase &rewriter;
  Value isCut;
  /// By weights without marks, as first operands.
  llvm::DenseMap<Value, TileMask> unmarked;
};

} // namespace mlir::smx::gpu

#endif // SMX_LIB_GPU_CUTTILE_H
