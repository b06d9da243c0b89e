//===- Norms.h - raising to norms of rows -----------------------*- C++ -*-===//
#ifndef SMX_RAISE_NORMS_H
#define SMX_RAISE_NORMS_H

#include "RowReductions.h"
#include "Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::smx {

/// Reads means of rows along one axis of the result of a root.
class RowMeans {
public:
  RowMeans(RowRoot &root, int64_t axis)
      : reader(root.reader), axis(axis), position(root.positions.get(axis)),
        extent(root.extent(axis)) {}

  /// The elements of which `e` is the mean along the axis. `input` is the row
  /// whose extent a mean may divide by where it is open.
  std::optional<Element> match(Element e, const Element &input);
  /// The mean that `e` adds a constant to; `epsilon` is that constant, or 0
  /// where `e` adds none. Null unless it is finite and not negative.
  std::optional<Element> dropEpsilon(Element e, double &epsilon);

private:
  bool isExtent(Element e, const Element &input);

  ElementReader &reader;
  int64_t axis;
  AffineExpr position;
  RowExtent extent;
};

/// What `e` is the square of, as a product or as a power.
std::optional<Element> matchSquare(ElementReader &reader, Element e);

using AcceptQuotient =
    llvm::function_ref<bool(const Element &numerator, const Element &square)>;

/// Reads `e` as `numerator / sqrt(square)`, a quotient or a product with
/// `rsqrt`, `1 / sqrt` or the power of -1/2, in each way until `accept` takes
/// one.
bool matchQuotientByRoot(ElementReader &reader, const Element &e,
                         AcceptQuotient accept);
/// The same of a product with `weights`, factors that nothing is reduced for,
/// in any order, but not where an op of its own computes the quotient.
bool matchWeightedQuotient(RowRoot &root, const Element &e,
                           SmallVectorImpl<Element> &weights,
                           AcceptQuotient accept);

/// A tensor whose elements are factors of a norm's, read at `map` of its
/// places.
struct NormWeight {
  Value tensor;
  AffineMap map;
};
/// Where `weights` are stored; none where one is not.
std::optional<SmallVector<NormWeight>>
findNormWeights(RowRoot &root, ArrayRef<Element> weights);
/// `norm` times `weights`, as an elementwise op.
Value multiply(RewriterBase &rewriter, Location loc, Value norm,
               ArrayRef<NormWeight> weights);

/// Replaces `op`, the op of `root`, by an `OpT` of `input` along `axis`, times
/// `factors`; a remark says why if it can not.
template <typename OpT>
bool replaceByNorm(RewriterBase &rewriter, SharedRows &shared, RowRoot &root,
                   const Element &input, int64_t axis, double epsilon,
                   ArrayRef<Element> factors) {
  Operation *op = root.op;
  std::optional<SmallVector<NormWeight>> weights =
      findNormWeights(root, factors);
  if (!weights) {
    shared.explain(op, OpT::getOperationName(),
                   "a factor of the norm is not read from a tensor");
    return false;
  }
  rewriter.setInsertionPoint(op);
  auto row = takeRow(rewriter, shared, root.reader, input,
                     root.positions.getAll(), op, OpT::getOperationName());
  if (!row)
    return false;
  auto norm = OpT::create(rewriter, op->getLoc(), root.getType(), row->tensor,
                          rewriter.getI64IntegerAttr(axis),
                          rewriter.getF64FloatAttr(epsilon));
  rewriter.replaceAllUsesWith(
      op->getResult(0),
      multiply(rewriter, op->getLoc(), norm.getResult(), *weights));
  eraseUnused(rewriter, row->cluster);
  absorbConversions(rewriter, norm);
  remarkRaised(norm);
  return true;
}

/// Replaces `op` by an `OpT` along the axis for which `MatcherT` matches its
/// result; a remark says `difference` if it only comes near (`isNear`).
template <typename OpT, typename MatcherT>
bool raiseNorm(RewriterBase &rewriter, SharedRows &shared, Operation *op,
               StringRef difference) {
  RowRoot root(op);
  ElementReader &reader = root.reader;
  Element e = reader.strip(root.result);
  if (!root.computes(e) ||
      !isa_and_nonnull<arith::MulFOp, arith::DivFOp>(reader.arithmetic(e)) ||
      !reader.contains(e, isReduction))
    return false;
  bool isNear = false;
  for (int64_t axis = root.getType().getRank() - 1; axis >= 0; --axis) {
    MatcherT matcher(root, axis);
    SmallVector<Element> weights;
    auto accept = [&](const Element &numerator, const Element &square) {
      return matcher.match(numerator, square);
    };
    bool isNorm = matchQuotientByRoot(reader, e, accept);
    isNear |= matcher.isNear();
    if (isNorm || matchWeightedQuotient(root, e, weights, accept))
      return replaceByNorm<OpT>(rewriter, shared, root, matcher.input, axis,
                                matcher.epsilon, weights);
  }
  if (isNear)
    shared.explain(op, OpT::getOperationName(), difference);
  return false;
}

} // namespace mlir::smx

#endif // SMX_RAISE_NORMS_H
