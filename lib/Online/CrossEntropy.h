//===- CrossEntropy.h - losses of integer targets ---------------*- C++ -*-===//
#ifndef SMX_LIB_ONLINE_CROSSENTROPY_H
#define SMX_LIB_ONLINE_CROSSENTROPY_H

#include "ReductionBuilder.h"

namespace mlir::smx {

/// Replaces `op` by a reduction of `algebra`, whose scale is the magnitude of
/// the op's.
void buildCrossEntropy(OpBuilder &builder, CrossEntropyOp op,
                       CrossEntropyAlgebraAttr algebra);

/// Replaces `op` by elementwise arithmetic.
void buildCrossEntropyBackward(CrossEntropyBackwardOp op);

} // namespace mlir::smx

#endif // SMX_LIB_ONLINE_CROSSENTROPY_H
