//===- Rows.h - raising to the ops over one axis ----------------*- C++ -*-===//
#ifndef SMX_RAISE_ROWS_H
#define SMX_RAISE_ROWS_H

#include "RowReductions.h"
#include "smx/IR/Smx.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::smx {

/// Says at `op` why it was not raised to the op `target`.
void remarkNotRaised(Operation *op, StringRef target, StringRef reason);

/// Reports `op`, which a raise has made, to the remark engine.
void remarkRaised(Operation *op);

/// The elementwise op that computes `root` together with a reader over its
/// positions: one per dimension of the result.
struct RowRoot {
  Operation *op;
  Positions positions;
  ElementReader reader;
  Element result;

  explicit RowRoot(Operation *op);
  /// True if the arithmetic of a peeled element is that of the root op itself.
  bool computes(const Element &peeled) const {
    return peeled.body == op || peeled.value.getDefiningOp() == op;
  }
  RowRoot(const RowRoot &) = delete;
  RowExtent extent(int64_t axis) const {
    return {positions.extent(axis), {{op->getResult(0), axis}}};
  }
  RankedTensorType getType() const {
    return cast<RankedTensorType>(op->getResult(0).getType());
  }
};

/// True if `op` may be the last op of a row computation: elementwise, with one
/// result of floats that an smx op may have.
bool isElementwiseRoot(Operation *op);

/// The ops between `sources` and `root` (included): those that `root` needs and
/// that need a source.
llvm::SetVector<Operation *> opsBetween(ArrayRef<Value> sources,
                                        Operation *root);

using OpSet = llvm::SmallPtrSet<Operation *, 16>;

/// True if a value of `cluster` is used elsewhere than in `users`. The results
/// of `roots` may be used anywhere.
bool escapes(const llvm::SetVector<Operation *> &cluster, const OpSet &users,
             const OpSet &roots);

/// Erases the ops of a cluster that nothing uses any more.
void eraseUnused(RewriterBase &rewriter,
                 const llvm::SetVector<Operation *> &cluster);

/// A tensor whose elements at the dims `order` of the reader's positions are
/// `e`. An existing tensor if there is one, else a new elementwise op. Null if
/// there is no such tensor. What is read to make it is added to `sources`.
Value materialize(RewriterBase &rewriter, ElementReader &reader,
                  const Element &e, ArrayRef<AffineExpr> order,
                  SmallVectorImpl<Value> &sources);

/// What `materialize` would do, without doing it: the existing tensor, if there
/// is one.
Value findTensor(ElementReader &reader, Element e, ArrayRef<AffineExpr> order);

/// Roots may share what lies between them and their rows (a softmax beside its
/// log-sum-exp): it is nobody's once all of them are raised. So all are visited
/// twice. The first visit only finds what each needs; the second raises those
/// that leave nothing behind that others use.
class SharedRows {
public:
  /// True if `root` may be raised to a `target`; a remark says if it may not.
  /// In the first visit never: `cluster`, what it needs, is kept.
  bool admits(const llvm::SetVector<Operation *> &cluster, Operation *root,
              StringRef target);
  /// Says why `op` was not raised, in the second visit.
  void explain(Operation *op, StringRef target, StringRef reason) const {
    if (isDecided)
      remarkNotRaised(op, target, reason);
  }
  /// Ends the first visit.
  void decide();

private:
  bool isDecided = false;
  llvm::MapVector<Operation *, llvm::SetVector<Operation *>> clusters;
  OpSet admitted;
};

/// The row that a raised op takes, and what it leaves to nobody.
struct TakenRow {
  Value tensor;
  llvm::SetVector<Operation *> cluster;
};
/// `row`, stored in `order`, for a `target` in the place of `root`. Nothing in
/// the first visit, or if a remark says why not.
std::optional<TakenRow> takeRow(RewriterBase &rewriter, SharedRows &shared,
                                ElementReader &reader, const Element &row,
                                ArrayRef<AffineExpr> order, Operation *root,
                                StringRef target);

/// The attribute of a softmax whose masked rows are 0, or of any other.
inline MaskedRowAttr maskedRowOf(MLIRContext *context, bool isZero) {
  return isZero ? MaskedRowAttr::get(context, MaskedRow::Zero)
                : MaskedRowAttr();
}

/// The quotient that `root` computes itself.
std::optional<Quotient> quotientOf(RowRoot &root);

/// Each returns true if it replaced `op` by a row op.
bool raiseLinalgSoftmax(RewriterBase &rewriter, linalg::SoftmaxOp op);
bool raiseSoftmax(RewriterBase &rewriter, SharedRows &shared, Operation *op);
bool raiseLogSoftmax(RewriterBase &rewriter, SharedRows &shared, Operation *op);
bool raiseLogSumExp(RewriterBase &rewriter, SharedRows &shared, Operation *op);
bool raiseLayerNorm(RewriterBase &rewriter, SharedRows &shared, Operation *op);
bool raiseRmsNorm(RewriterBase &rewriter, SharedRows &shared, Operation *op);
/// `select(whole row is -inf, 0, softmax)`, or of one that is NaN, is a softmax
/// whose masked rows are 0.
bool raiseMaskedRowGuard(RewriterBase &rewriter, Operation *op);
/// Divides weights where the sum of what they are multiplied by is divided, as
/// kernels do that are written out:
///
///   (sum_j e_ij v_jd) / l_i = sum_j (e_ij / l_i) v_jd,   l_i = sum_j e_ij
bool raiseLateDivision(RewriterBase &rewriter, SharedRows &shared,
                       Operation *op);
/// Float conversions before and after `rowOp`, which computes in f32 anyway,
/// become its operand and result types.
void absorbConversions(RewriterBase &rewriter, Operation *rowOp);
/// The maximum of a row that is subtracted before the softmax subtracts it
/// again is dropped.
bool dropShift(RewriterBase &rewriter, SoftmaxOp op);
/// A constant positive factor of the scores becomes the scale of the softmax.
bool absorbScale(RewriterBase &rewriter, SoftmaxOp op);

} // namespace mlir::smx

#endif // SMX_RAISE_ROWS_H
