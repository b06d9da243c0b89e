//===- Attention.h - softmax between two products ------------------*- C++ -*-===//
#ifndef SMX_RAISE_ATTENTION_H
#define SMX_RAISE_ATTENTION_H

#include "Rows.h"

namespace mlir::smx {
/// Replaces `product`, a contraction of `smx.softmax` with values, by `smx.attention`.
bool raiseAttention(RewriterBase &rewriter, linalg::LinalgOp product);
} // namespace mlir::smx

#endif // SMX_RAISE_ATTENTION_H
