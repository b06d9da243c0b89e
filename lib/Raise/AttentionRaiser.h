//===- AttentionRaiser.h - one attention on its way -------------*- C++ -*-===//
#ifndef SMX_RAISE_ATTENTIONRAISER_H
#define SMX_RAISE_ATTENTIONRAISER_H

#include "Attention.h"

namespace mlir::smx {

/// The way of the weights from the softmax to the product with the values.
struct WeightsPath {
  SoftmaxOp softmax;
  SmallVector<OpOperand *> steps; ///< from the product back to the softmax
  /// One more score of each row, of which the weight is dropped: `softmax`
  /// stands for what `sinkSlice` takes of a softmax of both.
  Value sinkColumn;
  tensor::ExtractSliceOp sinkSlice;
};

/// Lets a softmax of the scores alone stand in the place of `slice`, if that
/// drops one more score after a softmax; null if it does not.
SoftmaxOp standInForSinks(RewriterBase &rewriter, tensor::ExtractSliceOp slice,
                          Value &sinkColumn);

/// `value` with dimension `permutation[n]` as its n-th one, in a new tensor.
Value transposed(RewriterBase &rewriter, Location loc, Value value,
                 ArrayRef<int64_t> permutation);

/// Raises one product to an attention, in four steps, each of which returns why
/// it can not (an empty string if it can).
class AttentionRaiser {
public:
  AttentionRaiser(RewriterBase &rewriter, Product product, unsigned weights,
                  WeightsPath path);
  /// Returns the reason if nothing was raised, else an empty string.
  std::string raise();

private:
  std::string readWeights();
  /// Sets which of the `rank` dimensions of the scores are queries, and which
  /// are of the batch.
  void chooseRow(unsigned rank);
  std::string readScores();
  std::string chooseOperands();
  /// `queries` with a dimension of one query in front of the feature, if the
  /// scores have none.
  Value withQuery(Value queries);
  OperandChoice copyInOrder(const Element &e, ArrayRef<AffineExpr> order,
                            bool allowFactor);
  std::string build();
  llvm::SetVector<Operation *> clusterOf(LogSumExpOp logSumExp);
  std::string whyKept(const llvm::SetVector<Operation *> &cluster,
                      LogSumExpOp logSumExp);
  AttentionOp createAttention(double scale, bool hasLogSumExp);
  std::string buildRegions(AttentionOp attention, bool needsScore,
                           double outerScale, bool hasLogSumExp,
                           const llvm::SetVector<Operation *> &cluster);
  std::string readSinks();
  LogSumExpOp findLogSumExp();
  void replaceLogSumExp(LogSumExpOp op, AttentionOp attention);
  void followResult();
  Value restoreResult(Value attention);
  bool isScoreProduct(const Element &peeled);
  bool isScaledProduct(Element e);
  SmallVector<double> collectFactors();
  /// Batches and heads, then two more positions.
  SmallVector<AffineExpr> orderOf(unsigned row, unsigned feature) const;
  SmallVector<int64_t> extentsOf(ArrayRef<AffineExpr> order) const;

  RewriterBase &rewriter;
  Product product;
  unsigned weightsInput;
  WeightsPath path;
  Positions positions;
  ElementReader reader{positions};
  ScorePositions parts;
  /// The scores have no dimension of queries: the position is one more.
  bool isOneQuery = false;
  unsigned valueFeature = 0, feature = 0;

  /// The value to replace, the product or what it is reshaped to, and where an
  /// element of it is in terms of the positions.
  Value result;
  SmallVector<AffineExpr> resultAt;
  SmallVector<Operation *> resultSteps; ///< from the product to `result`
  std::optional<Element> valueElement, scoreElement;
  Element scores; ///< what is left of the scores without masks
  std::optional<Product> scoreProduct;
  ScoreMask mask;
  /// The constant that the product is multiplied by wherever it stands in
  /// `scores`.
  double scoreFactor = 1;
  Value sinks; ///< null if there are none
  OperandChoice query, key, value;
};
} // namespace mlir::smx

#endif // SMX_RAISE_ATTENTIONRAISER_H
