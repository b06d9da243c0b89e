//===- Compare.h - is this result right? -----------------------*- C++ -*-===//
//
// The one tolerance table of the project, and the comparison that every test
// and every run uses.
//
// Positions of NaN and of the infinities must match exactly, signs included;
// only then are the finite elements compared. A reference value that is too
// large for the dtype counts as infinity. The reference must have been computed
// from the inputs as the kernel sees them: already rounded to the dtype.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_COMPARE_H
#define SMX_REFERENCE_COMPARE_H

#include "smx/Reference/Tensor.h"

#include <optional>
#include <string>

namespace smx::reference {

/// Families of results that share a tolerance.
enum class OpFamily {
  Softmax,   ///< probabilities
  LogSumExp, ///< log-softmax, log-sum-exp, cross entropy: sums of a score and a
             ///< logarithm
  WeightedSum, ///< attention and softmax-dot
  Norm,        ///< layer norm and RMS norm
};

/// Precise: as good as the dtype allows. Fast: approximate exp2, denormals may
/// become 0.
enum class Mode { Precise, Fast };

/// How far a finite element may be from the reference value r. An element fails
/// when its error exceeds the sum of all parts that are not 0 (`|.|max` is over
/// the finite reference values):
struct Tolerance {
  /// Units in the last place of the dtype at r, for |r| > floor.
  double ulps = 0;
  /// The same for |r| <= floor, where the rounding of the score itself is what
  /// counts.
  double ulpsBelowFloor = 0;
  double floor = 0;
  /// Times |r|, for |r| > floor.
  double relative = 0;
  /// Whatever r is.
  double absolute = 0;
  /// Times max(1, |r|).
  double mixed = 0;
  /// Times |r|max.
  double ofLargest = 0;
  /// Units in the last place at |r|max: the `atol` of the low-precision rule.
  double ulpsOfLargest = 0;
  /// Times max|naive - ref|, where a naive result is given.
  double ofNaive = 0;
  /// Times max(|naive - ref| in units in the last place at ref) over
  /// |ref| > floor, in those units at r.
  double ulpsOfNaive = 0;
  /// The naive error and |r|max are taken per row instead of over the tensor.
  bool perRow = false;
  /// Results whose magnitude is below the smallest normal number may be 0.
  bool mayFlushDenormals = false;
};

/// The table. `rowLength` is the extent of the reduced axis: ulps of sums grow
/// with log2 of it beyond 4096. `dtype` is the floating-point type of the
/// result.
Tolerance toleranceFor(DType dtype, OpFamily family, Mode mode = Mode::Precise,
                       int64_t rowLength = 1);

/// What a comparison found. The figures are over finite elements, the index is
/// that of the first element that is wrong.
struct Report {
  bool pass = true;
  double worstAbsolute = 0;
  /// |out - ref| / |ref|, where ref is not 0.
  double worstRelative = 0;
  /// |out - ref| in units in the last place of the dtype at ref.
  double worstUlps = 0;
  /// max|naive - ref|, or 0 without a naive result.
  double naiveAbsolute = 0;
  int64_t wrongElements = 0;
  Shape firstWrong;
  double outThere = 0;
  double referenceThere = 0;
  double limitThere = 0;
  /// One line for a log: the verdict, the figures, and the first wrong element.
  std::string text;
};

struct Comparison {
  /// How exact the result is: the narrowest type on its way.
  DType dtype = DType::F32;
  /// The type that says which results are infinite, if it is another one.
  std::optional<DType> stored;
  OpFamily family = OpFamily::Softmax;
  Mode mode = Mode::Precise;
  /// Extent of the reduced axis.
  int64_t rowLength = 1;
  /// The axis of rows for tolerances per row.
  int64_t axis = -1;
  /// Largest magnitude of a score that the op computes itself (attention), or
  /// in f64, which no naive result is less exact than, the function (softmax).
  /// Rounding such a score costs that many units in the last place of its
  /// weight, whatever the schedule. The mean by the weights of a row says it,
  /// too (`AttentionResult`), and nothing of scores of no weight.
  double largestScore = 0;
  /// Bits to which each term of such a score is known: 21 of f32 as three TF32
  /// products; 0, all that the type has.
  int scoreBits = 0;
  /// The same of products in f32 before the op. The naive result, in whose
  /// products each term has 24 bits, is as many times nearer.
  int productBits = 0;
  /// How far the result moves if the means that rows are centred by (layer
  /// norm) are off as the type that they are computed in allows
  /// (`errorOfMean`), with all that is computed from the norm.
  double ofMeans = 0;
  /// Scores are computed by the function itself. What rounding does to a score
  /// costs its weight a share, so a naive result in the same precision shows
  /// it: of a softmax in units in the last place.
  bool areScoresComputed = false;
};

/// The table's entry with what computed scores add to it.
Tolerance toleranceFor(const Comparison &how);

/// Compares a result with the float64 reference. `naive` is the same
/// computation in three passes in the dtype (Naive.h), and may be null: without
/// it, low precision has only `atol` left.
Report compare(const Tensor &out, const Tensor &reference, const Tensor *naive,
               const Comparison &how);

/// The same with a tolerance of one's own.
Report compareWithin(const Tensor &out, const Tensor &reference,
                     const Tensor *naive, const Comparison &how,
                     const Tolerance &tolerance);

/// NaN with NaN, +inf with +inf, -inf with -inf, finite with finite;
/// `reference` as it would be stored in `dtype`.
bool sameClass(double out, double reference, DType dtype);

} // namespace smx::reference

#endif // SMX_REFERENCE_COMPARE_H
