//===- Naive.h - three passes in the precision under test ------*- C++ -*-===//
//
// What a three-pass program gives when its tensors are stored in a low
// precision and its arithmetic is float: the yardstick of the low-precision
// tolerance. It is as wrong as the precision makes it, no more; a kernel may be
// twice as wrong.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_NAIVE_H
#define SMX_REFERENCE_NAIVE_H

#include "smx/Reference/Attention.h"
#include "smx/Reference/Softmax.h"

namespace smx::reference {

/// softmax with inputs and results rounded to `dtype` (f32, f16, bf16) and
/// float in between.
Tensor naiveSoftmax(const Tensor &x, DType dtype,
                    const SoftmaxOptions &options = {});

/// softmaxDot likewise; the probabilities are rounded too.
Tensor naiveSoftmaxDot(const Tensor &x, const Tensor &v, DType dtype,
                       const SoftmaxOptions &options = {});

/// attention with inputs, scores, probabilities and output rounded to `dtype`
/// and float sums, the way a framework runs it as two products around a
/// softmax. The log-sum-exp stays float.
AttentionResult naiveAttention(const Tensor &q, const Tensor &k,
                               const Tensor &v, DType dtype,
                               const AttentionOptions &options = {});

} // namespace smx::reference

#endif // SMX_REFERENCE_NAIVE_H
