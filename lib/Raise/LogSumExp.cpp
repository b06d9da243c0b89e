//===- LogSumExp.cpp - log-sum-exp, and log-softmax that subtracts it -----===//

#include "RowReductions.h"
#include "Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// `log(sum(exp(x - max(x))))`, without the maximum that has to be added again.
struct LogSum {
  Element input;
  RowExtent extent;
};
} // namespace

/// Reads `e` as the logarithm of a sum of exponentials along `axis`.
/// `isLogOfSum` is set if it is at least the logarithm of a row sum.
static std::optional<LogSum> matchLogSum(ElementReader &reader, Element e,
                                         AffineExpr axis, std::string &whyNot,
                                         bool &isLogOfSum) {
  if (!reader.stripTo<math::LogOp>(e))
    return std::nullopt;
  // A sum of exponentials is its own magnitude.
  Element sum = reader.operand(e, 0);
  if (reader.stripTo<math::AbsFOp>(sum))
    sum = reader.operand(sum, 0);
  auto reduction = matchRowReduction(reader, sum, axis);
  if (!reduction || reduction->combiner != Combiner::Sum)
    return std::nullopt;
  isLogOfSum = true;
  auto exponential =
      matchShiftedExponential(reader, reduction->input, axis, reduction->extent,
                              whyNot, MaximumGuard::Infinity);
  if (!exponential)
    return std::nullopt;
  if (exponential->scale != 1) {
    whyNot = "the exponent is scaled after the maximum is subtracted";
    return std::nullopt;
  }
  return LogSum{exponential->input, reduction->extent};
}

/// The maximum and the log-sum of a sum of both, in either order.
static std::optional<LogSum> matchLogSumExp(ElementReader &reader, Element e,
                                            AffineExpr axis,
                                            std::string &whyNot,
                                            bool &isLogOfSum) {
  if (!reader.stripTo<arith::AddFOp>(e))
    return std::nullopt;
  for (unsigned n : {0u, 1u}) {
    auto logSum =
        matchLogSum(reader, reader.operand(e, n), axis, whyNot, isLogOfSum);
    if (!logSum)
      continue;
    auto row = matchRowMaximum(reader, reader.operand(e, 1 - n), axis,
                               logSum->extent, MaximumGuard::Infinity);
    if (row && reader.equal(*row, logSum->input))
      return logSum;
    whyNot = "what is added to the logarithm is not the maximum of the row";
  }
  return std::nullopt;
}

/// `x - (max + log(sum))` or `(x - max) - log(sum)`, for the row `x` of the
/// log-sum.
static std::optional<LogSum> matchLogSoftmax(ElementReader &reader,
                                             const Element &e, AffineExpr axis,
                                             std::string &whyNot,
                                             bool &isLogOfSum) {
  Element minuend = reader.operand(e, 0), subtrahend = reader.operand(e, 1);
  if (auto logSum =
          matchLogSumExp(reader, subtrahend, axis, whyNot, isLogOfSum)) {
    if (reader.equal(minuend, logSum->input))
      return logSum;
    whyNot = "the log-sum-exp is that of another row";
    return std::nullopt;
  }
  auto logSum = matchLogSum(reader, subtrahend, axis, whyNot, isLogOfSum);
  if (!logSum)
    return std::nullopt;
  if (!reader.stripTo<arith::SubFOp>(minuend)) {
    whyNot = "the row is not shifted by its maximum";
    return std::nullopt;
  }
  auto row =
      matchRowMaximum(reader, reader.operand(minuend, 1), axis, logSum->extent);
  if (row && reader.equal(*row, logSum->input) &&
      reader.equal(reader.operand(minuend, 0), logSum->input))
    return logSum;
  whyNot = "the shifted row is not the one that is exponentiated";
  return std::nullopt;
}

bool mlir::smx::raiseLogSoftmax(RewriterBase &rewriter, SharedRows &shared,
                                Operation *op) {
  RowRoot root(op);
  ElementReader &reader = root.reader;
  Element e = root.result;
  if (!reader.stripTo<arith::SubFOp>(e) || !root.computes(e))
    return false;
  std::string whyNot;
  bool isLogOfSum = false;
  std::optional<LogSum> match;
  int64_t axis = root.getType().getRank();
  while (!match && axis-- > 0) {
    match = matchLogSoftmax(reader, e, root.positions.get(axis), whyNot,
                            isLogOfSum);
    if (match && !(match->extent == root.extent(axis))) {
      whyNot = "the log-sum-exp is that of a part of the row";
      match.reset();
    }
  }
  if (!match) {
    if (isLogOfSum)
      shared.explain(op, "smx.log_softmax", whyNot);
    return false;
  }
  rewriter.setInsertionPoint(op);
  auto row = takeRow(rewriter, shared, reader, match->input,
                     root.positions.getAll(), op, "smx.log_softmax");
  if (!row)
    return false;
  auto logSoftmax = LogSoftmaxOp::create(
      rewriter, op->getLoc(), root.getType(), row->tensor,
      rewriter.getI64IntegerAttr(axis), rewriter.getF64FloatAttr(1.0),
      /*masked_row=*/nullptr);
  rewriter.replaceAllUsesWith(op->getResult(0), logSoftmax.getResult());
  eraseUnused(rewriter, row->cluster);
  absorbConversions(rewriter, logSoftmax);
  remarkRaised(logSoftmax);
  return true;
}

/// Drops or adds dimensions of extent 1.
static Value reshapeTo(RewriterBase &rewriter, Location loc, Value value,
                       RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from == type)
    return value;
  auto groups = getReassociationIndicesForReshape(from, type);
  if (!groups)
    return {};
  if (from.getRank() > type.getRank())
    return tensor::CollapseShapeOp::create(rewriter, loc, type, value, *groups);
  return tensor::ExpandShapeOp::create(rewriter, loc, type, value, *groups);
}

/// The order in which the row is stored: that of the tensor it is read from.
static SmallVector<AffineExpr> orderOf(ElementReader &reader, Element e) {
  if (!e.isTensor() && isa<BlockArgument>(e.value))
    if (std::optional<Element> next = reader.step(e))
      e = *next;
  return e.at;
}

bool mlir::smx::raiseLogSumExp(RewriterBase &rewriter, SharedRows &shared,
                               Operation *op) {
  RowRoot root(op);
  ElementReader &reader = root.reader;
  Element e = root.result;
  if (!reader.stripTo<arith::AddFOp>(e) || !root.computes(e))
    return false;
  SmallVector<AffineExpr> rows;
  for (auto [n, extent] : llvm::enumerate(root.getType().getShape()))
    if (extent != 1)
      rows.push_back(root.positions.get(n));
  AffineExpr axis = root.positions.add(ShapedType::kDynamic);
  std::string whyNot;
  bool isLogOfSum = false;
  auto match = matchLogSumExp(reader, e, axis, whyNot, isLogOfSum);
  if (!match) {
    if (isLogOfSum)
      shared.explain(op, "smx.logsumexp", whyNot);
    return false;
  }
  root.positions.setExtent(cast<AffineDimExpr>(axis).getPosition(),
                           match->extent.size);

  SmallVector<AffineExpr> order = orderOf(reader, match->input);
  auto found = llvm::find(order, axis);
  SmallVector<AffineExpr> others;
  for (AffineExpr position : order)
    if (position != axis && !isa<AffineConstantExpr>(position))
      others.push_back(position);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> sources;
  Value input =
      found == order.end() || others != rows
          ? Value()
          : materialize(rewriter, reader, match->input, order, sources);
  if (!input) {
    shared.explain(op, "smx.logsumexp",
                   "the rows are not stored in the order of the result");
    return false;
  }
  auto cluster = opsBetween(sources, op);
  if (!shared.admits(cluster, op, "smx.logsumexp"))
    return false;
  int64_t axisDim = std::distance(order.begin(), found);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(input.getType()).getShape());
  shape.erase(shape.begin() + axisDim);
  auto type = RankedTensorType::get(shape, root.getType().getElementType());
  Value result = LogSumExpOp::create(rewriter, op->getLoc(), type, input,
                                     rewriter.getI64IntegerAttr(axisDim),
                                     rewriter.getF64FloatAttr(1.0),
                                     /*masked_row=*/nullptr);
  auto logSumExp = result.getDefiningOp<LogSumExpOp>();
  result = reshapeTo(rewriter, op->getLoc(), result, root.getType());
  if (!result) {
    rewriter.eraseOp(logSumExp);
    shared.explain(op, "smx.logsumexp",
                   "the result has other dimensions than the rows");
    return false;
  }
  rewriter.replaceAllUsesWith(op->getResult(0), result);
  eraseUnused(rewriter, cluster);
  absorbConversions(rewriter, logSumExp);
  remarkRaised(logSumExp);
  return true;
}
