//===- AttentionScores.h - the scores of an attention -----------*- C++ -*-===//
#ifndef SMX_LIB_ONLINE_ATTENTIONSCORES_H
#define SMX_LIB_ONLINE_ATTENTIONSCORES_H

#include "smx/IR/Smx.h"

namespace mlir::smx {

/// The scores `[batch.., Hq, Sq, Sk]` of `op` as ordinary linalg: the product
/// of queries and keys, then whatever `score`, `visible` and `mask` do to it.
struct AttentionScores {
  Value scores;
  /// What the scores are still to be multiplied by (1 if the scale is already
  /// in them).
  double scale;
  /// Some place may be hidden by `visible` or `mask`.
  bool masked;
};
AttentionScores buildAttentionScores(OpBuilder &builder, AttentionOp op);

/// How the batch dims of a domain (its first dimensions) address the
/// batch dims of keys and values: a head of queries shares the keys of its
/// group.
SmallVector<AffineExpr> getKeyBatchExprs(AttentionOp op);

} // namespace mlir::smx

#endif // SMX_LIB_ONLINE_ATTENTIONSCORES_H
