//===- TopK.h - the largest probabilities of a row --------------*- C++ -*-===//
#ifndef SMX_LIB_ONLINE_TOPK_H
#define SMX_LIB_ONLINE_TOPK_H

#include "ReductionBuilder.h"

namespace mlir::smx {

/// Replaces `op` by a reduction of `algebra`, whose scale is the magnitude of
/// the op's. Weights are as precise as the probabilities, or, where a row along
/// the fastest dimension has `shortSums`, as the scores.
void buildTopK(OpBuilder &builder, TopKSoftmaxOp op, TopKAlgebraAttr algebra,
               bool shortSums);

} // namespace mlir::smx

#endif // SMX_LIB_ONLINE_TOPK_H
