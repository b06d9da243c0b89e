//===- Attention.h - softmax between two products ---------------*- C++ -*-===//
//
// The positions of an attention are the dimensions of its scores, in the order
// in which the softmax has them, then the value feature, then the contracted
// feature.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_RAISE_ATTENTION_H
#define SMX_RAISE_ATTENTION_H

#include "Rows.h"

namespace mlir::smx {

/// A linalg op that sums the product of its two inputs over one loop, from 0.
struct Product {
  linalg::LinalgOp op;
  unsigned reductionLoop;
  AffineMap getMap(unsigned input) {
    return op.getMatchingIndexingMap(op.getDpsInputOperand(input));
  }
  AffineMap getResultMap() {
    return op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  }
};
std::optional<Product> matchProduct(linalg::LinalgOp op);

/// Which position plays which part in the scores.
struct ScorePositions {
  SmallVector<unsigned> batch; ///< batches and heads
  unsigned row;                ///< query
  unsigned key;                ///< key, the axis of the softmax
  /// Batches, heads, row, key: the order of the index arguments of regions.
  SmallVector<unsigned> getOrder() const {
    SmallVector<unsigned> order(batch);
    order.append({row, key});
    return order;
  }
};

/// A condition on positions that hides keys.
struct MaskCondition {
  Element condition;
  bool visibleWhen;
};

/// What is known about which keys a row sees.
struct ScoreMask {
  /// Row i sees key j iff i - left <= j <= i + right; unbounded where not
  /// given.
  std::optional<int64_t> left, right;
  /// Chunks and prefixes.
  SmallVector<Attribute> shapes;
  SmallVector<MaskCondition> conditions;
  /// A finite value in the place of the scores for which these conditions do
  /// not all hold: a row of nothing else is weighed evenly.
  SmallVector<MaskCondition> finiteConditions;
  double finiteValue = 0;
  /// What is left of the scores has been multiplied by this outside of a mask.
  double factor = 1;
};

/// True if nothing is left of the exponential of a score that `value` is added
/// to.
bool hidesAlone(const APFloat &value);

/// A tensor that an operand of an attention may be, and the constant factor
/// that its elements have to be multiplied by.
struct OperandChoice {
  Value tensor;
  double factor;
};

/// The tensors that `e` is stored in on its way, the last first, and the
/// constant factor that has been applied since. What is rounded is not followed
/// further.
SmallVector<std::pair<Element, double>>
findStoredForms(ElementReader &reader, Element e, bool allowFactor);

/// Those that are stored in the order `order`. `dimOfHeads` (-1 for none) may
/// have fewer heads, each of which serves a group.
SmallVector<OperandChoice> findOperands(ElementReader &reader, const Element &e,
                                        ArrayRef<AffineExpr> order,
                                        int64_t dimOfHeads, bool allowFactor);

/// Takes masks off the outside of `scores`, which a softmax multiplies by
/// `scale`: selected and added -inf. `isScore` tells what depends on the
/// product.
ScoreMask takeMasks(ElementReader &reader, const ScorePositions &positions,
                    Element &scores, double scale,
                    function_ref<bool(const Element &)> isScore);

/// The mask attribute of the band and the shapes over `rows` x `keys` scores
/// (which may be dynamic).
MaskAttrInterface buildMask(MLIRContext *context, const ScoreMask &mask,
                            int64_t rows, int64_t keys);

/// Fills the regions of attentions: clones scalar expressions over positions.
class RegionBuilder {
public:
  /// `isProduct` recognises the score itself, constant factor included.
  RegionBuilder(OpBuilder &builder, ElementReader &reader, AttentionOp op,
                const ScorePositions &positions,
                function_ref<bool(Element)> isProduct)
      : builder(builder), reader(reader), op(op), positions(positions),
        isProduct(isProduct) {}
  /// The score that is `scale` times `scores`, under the finite part of `mask`.
  LogicalResult buildScore(const Element &scores, const ScoreMask &mask,
                           double scale);
  LogicalResult buildVisible(ArrayRef<MaskCondition> conditions);
  /// True if hidden scores were given other large numbers than they have, of
  /// which weights are the same but not their log-sum-exp.
  bool boundsScores() const { return isBounded; }

private:
  void enterRegion(Region &region, bool takesScore);
  /// True where all of `conditions` hold. Null if they can not be computed.
  Value emitAll(ArrayRef<MaskCondition> conditions);
  Value emit(const Element &e);
  Value emitNew(Element e);
  Value emitOp(const Element &e);
  Value emitIndex(AffineExpr expr);
  Value extract(const Element &e);
  Value convert(Value value, Type type);
  Type mapType(Type type);
  Value emitConstant(double value, Type type);
  Value bounded(Value value, double limit);

  OpBuilder &builder;
  ElementReader &reader;
  AttentionOp op;
  const ScorePositions &positions;
  function_ref<bool(Element)> isProduct;
  Value score;
  ValueRange indices;
  bool isBounded = false;
  /// What has been emitted into the region: expressions are graphs.
  SmallVector<std::pair<Element, Value>> emitted;
};

/// Replaces `product`, a contraction of `smx.softmax` with values, by
/// `smx.attention`.
bool raiseAttention(RewriterBase &rewriter, linalg::LinalgOp product);

} // namespace mlir::smx

#endif // SMX_RAISE_ATTENTION_H
