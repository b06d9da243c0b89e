//===- Softmax.h - the softmax family and norms in float64 -----*- C++ -*-===//
//
// The textbook forms: three passes over a visible row. Nothing here streams;
// this is what the compiler's output is measured against. The algebra of
// OnlineState.h appears nowhere.
//
// Contract for the rows of the softmax family:
//   every score -inf or masked, or no score at all: NaN, or 0 if asked for;
//   log-sum-exp -inf;
//   NaN in an unmasked place: the row and its log-sum-exp are NaN;
//   +inf in an unmasked place, and no NaN: the row is NaN, its log-sum-exp
//   +inf; anything in a masked place is ignored.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_SOFTMAX_H
#define SMX_REFERENCE_SOFTMAX_H

#include "smx/Reference/Tensor.h"

namespace smx::reference {

/// What a row without any score above -inf gives.
enum class MaskedRow { NaN, Zero };

struct SoftmaxOptions {
  /// The axis of the rows; a negative axis counts from the end.
  int64_t axis = -1;
  /// Scores are scale * x. Finite.
  double scale = 1.0;
  MaskedRow maskedRow = MaskedRow::NaN;
  /// Has the shape of x; an element of 0 masks its place. Not owned.
  const Tensor *mask = nullptr;
};

/// exp(s_j - max s) / sum_k exp(s_k - max s), in the shape of x. Masked places
/// are 0.
Tensor softmax(const Tensor &x, const SoftmaxOptions &options = {});

/// s_j - logsumexp(s), in the shape of x. Masked places are -inf; in a fully
/// masked row they are NaN, or -inf with MaskedRow::Zero.
Tensor logSoftmax(const Tensor &x, const SoftmaxOptions &options = {});

/// max s + log(sum_k exp(s_k - max s)), in the shape of x without the axis.
Tensor logSumExp(const Tensor &x, const SoftmaxOptions &options = {});

/// sum_k exp(s_k - max s), in the shape of x without the axis; 0 for a fully
/// masked row.
Tensor sumOfScaledExponentials(const Tensor &x,
                               const SoftmaxOptions &options = {});

/// sum_j softmax(s)_j * v_j over the last axis of x. The shape of v starts with
/// that of x, and the result has the shape of v without the reduced axis.
/// `options.axis` must name the last axis. Values in masked places are not
/// read.
Tensor softmaxDot(const Tensor &x, const Tensor &v,
                  const SoftmaxOptions &options = {});

struct TopK {
  /// The k largest probabilities of each row, falling; the axis has extent k.
  Tensor values;
  /// Their places along the axis, as whole numbers.
  Tensor indices;
};

/// Softmax over the whole row, then its k largest; 0 <= k <= extent. Order is
/// that of the scores (probabilities that underflow keep it too); equal scores:
/// the lowest index first. A row that is NaN gives NaN at places 0 .. k-1.
TopK topkSoftmax(const Tensor &x, int64_t k,
                 const SoftmaxOptions &options = {});

struct NormOptions {
  int64_t axis = -1;
  /// Added to the variance (mean square) before the root. Finite, not negative.
  double epsilon = 1e-5;
  /// Has rank 1 and the extent of the axis. Not owned.
  const Tensor *weight = nullptr;
  const Tensor *bias = nullptr;
  /// Rows are centred by means that are off by this share of themselves, to see
  /// what that does to a result. Layer norm only.
  double errorOfMean = 0;
};

/// (x - mean) / sqrt(variance + epsilon) * weight + bias, with the population
/// variance.
Tensor layerNorm(const Tensor &x, const NormOptions &options = {});

/// The share of itself that the mean of `length` elements may be off by in
/// `dtype`: a sum has the depth of a tree of sums, each level of which rounds
/// once, and so do the whole of it and its quotient.
double errorOfMean(int64_t length, DType dtype);

/// The largest |mean| / sqrt(variance + epsilon) of a row: times the relative
/// error of a mean, how far layer norm is off by it.
double largestMean(const Tensor &x, const NormOptions &options = {});

/// x / sqrt(mean of x^2 + epsilon) * weight + bias.
Tensor rmsNorm(const Tensor &x, const NormOptions &options = {});

} // namespace smx::reference

#endif // SMX_REFERENCE_SOFTMAX_H
