//===- CrossEntropy.h - losses and gradients in float64 --------*- C++ -*-===//
//
// Cross entropy of integer targets, and the gradients of the softmax family,
// three passes over a visible row.
//
// Contract for the rows of a cross entropy: a target of `ignored` gives 0, in
// the loss and in every element of the gradient, whatever else is in the row;
// any other target outside the row gives NaN; everything else is as for
// log-softmax (Softmax.h).
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_CROSSENTROPY_H
#define SMX_REFERENCE_CROSSENTROPY_H

#include "smx/Reference/Tensor.h"

#include <optional>

namespace smx::reference {

struct CrossEntropyOptions {
  /// The axis of the rows; a negative axis counts from the end.
  int64_t axis = -1;
  /// Scores are scale * x. Finite.
  double scale = 1.0;
  /// The weight that is taken from the target and spread over all places; at
  /// least 0 and below 1.
  double smoothing = 0.0;
  std::optional<int64_t> ignored;
};

/// logsumexp(s) - (1 - e)*s_target - e*mean(s). `targets` has the shape of x
/// without the axis, and so has the result.
Tensor crossEntropy(const Tensor &x, const Tensor &targets,
                    const CrossEntropyOptions &options = {});

/// scale * gradient * (exp(s_j - logSumExp) - (1 - e)*[j = target] - e/extent),
/// in the shape of x; the other tensors have that of the targets.
Tensor crossEntropyBackward(const Tensor &x, const Tensor &targets,
                            const Tensor &logSumExp, const Tensor &gradient,
                            const CrossEntropyOptions &options = {});

/// scale * y_j * (g_j - sum_k y_k*g_k) for y = softmax(s).
Tensor softmaxBackward(const Tensor &y, const Tensor &gradient,
                       int64_t axis = -1, double scale = 1.0);

/// scale * (g_j - exp(y_j) * sum_k g_k) for y = log_softmax(s).
Tensor logSoftmaxBackward(const Tensor &y, const Tensor &gradient,
                          int64_t axis = -1, double scale = 1.0);

} // namespace smx::reference

#endif // SMX_REFERENCE_CROSSENTROPY_H
