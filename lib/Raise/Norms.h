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

/// Reads `e` as `numerator / sqrt(square)`, a quotient or a product with
/// `rsqrt` or `1 / sqrt`, in each way until `accept` takes one.
bool matchQuotientByRoot(
    ElementReader &reader, const Element &e,
    llvm::function_ref<bool(const Element &numerator, const Element &square)>
        accept);

/// Replaces `op`, the op of `root`, by an `OpT` of `input` along `axis`; a
/// remark says why if it can not.
template <typename OpT>
bool replaceByNorm(RewriterBase &rewriter, RowRoot &root, const Element &input,
                   int64_t axis, double epsilon) {
  Operation *op = root.op;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> sources;
  Value row = materialize(rewriter, root.reader, input, root.positions.getAll(),
                          sources);
  auto cluster = opsBetween(sources, op);
  if (!row || escapes(cluster, op)) {
    remarkNotRaised(op, OpT::getOperationName(),
                    row ? "an intermediate value has another use"
                        : "the rows are not a tensor");
    return false;
  }
  auto norm = OpT::create(rewriter, op->getLoc(), root.getType(), row,
                          rewriter.getI64IntegerAttr(axis),
                          rewriter.getF64FloatAttr(epsilon));
  rewriter.replaceAllUsesWith(op->getResult(0), norm.getResult());
  eraseUnused(rewriter, cluster);
  absorbConversions(rewriter, norm);
  remarkRaised(norm);
  return true;
}

/// Replaces `op` by an `OpT` along the axis for which `MatcherT` matches its
/// result; a remark says `difference` if it only comes near (`isNear`).
template <typename OpT, typename MatcherT>
bool raiseNorm(RewriterBase &rewriter, Operation *op, StringRef difference) {
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
    if (matcher.match(e))
      return replaceByNorm<OpT>(rewriter, root, matcher.input, axis,
                                matcher.epsilon);
    isNear |= matcher.isNear();
  }
  if (isNear)
    remarkNotRaised(op, OpT::getOperationName(), difference);
  return false;
}

} // namespace mlir::smx

#endif // SMX_RAISE_NORMS_H
