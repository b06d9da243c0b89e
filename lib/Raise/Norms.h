//===- Norms.h - what raising to norms of rows shares --------------*- C++
//-*-===//
#ifndef SMX_RAISE_NORMS_H
#define SMX_RAISE_NORMS_H

#include "Rows.h"

namespace mlir::smx {

/// Reads means of rows along one axis of the result of a root.
class RowMeans {
public:
  RowMeans(RowRoot &root, int64_t axis)
      : reader(root.reader), axis(axis), position(root.positions.get(axis)),
        extent(root.positions.extent(axis)) {}

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
  int64_t extent;
};

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

} // namespace mlir::smx

#endif // SMX_RAISE_NORMS_H
